# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a configuration changes about single metrics, as views of the meter provider.

The SDK exports an instrument once for each view that matches it, so there is one view for a name
at most, and none for a name that is dropped.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from opentelemetry.sdk.metrics import Histogram
from opentelemetry.sdk.metrics.view import (
    DropAggregation,
    ExplicitBucketHistogramAggregation,
    View,
)

if TYPE_CHECKING:
    from nemo.lens.config import NemoLensConfig


def views_of(config: NemoLensConfig) -> list[View]:
    """Build the views that `metric_buckets`, `metric_drop` and `metric_attributes` ask for."""
    buckets = dict(config.metric_buckets)
    attributes = dict(config.metric_attributes)
    dropped = config.metric_drop
    kept = [
        name
        for name in dict.fromkeys((*buckets, *attributes))
        if not any(fnmatchcase(name, pattern) for pattern in dropped)
    ]
    return [
        *(View(instrument_name=name, aggregation=DropAggregation()) for name in dropped),
        *(
            View(
                instrument_name=name,
                instrument_type=Histogram if name in buckets else None,
                attribute_keys=set(attributes[name]) if name in attributes else None,
                aggregation=(
                    ExplicitBucketHistogramAggregation(buckets[name]) if name in buckets else None
                ),
            )
            for name in kept
        ),
    ]
