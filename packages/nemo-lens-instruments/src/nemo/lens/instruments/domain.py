# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The metric groups of this package: how each is declared, and how its functions record it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nemo.lens.instruments.durations import MINUTES_MS
from nemo.lens.instruments.meters import instrument_set
from nemo.lens.instruments.metric_spec import MetricSpec
from nemo.lens.instruments.recording import record_row
from nemo.lens.instruments.registry import register_metric_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.metrics import Meter

OWNER: Final = "nemo-lens"
"""Who owns the metrics of this package."""


class Domain:
    """A metric group of this package, declared when its module is imported.

    Args:
        group: The name of the group.
        *specs: Its metrics, in the order of the values that are recorded.
    """

    __slots__ = ("group", "keys")

    def __init__(self, group: str, *specs: MetricSpec) -> None:
        self.group = group
        self.keys = tuple(spec.key for spec in specs)
        # The module may be imported again after it was dropped.
        register_metric_group(group, specs, allow_override=True)

    def is_discarded(self, meter: Meter) -> bool:
        """Say whether nothing that is recorded with `meter` arrives anywhere."""
        instruments = instrument_set(meter, self.group, "record_metrics")
        return instruments is None or instruments.discards

    def record(
        self, meter: Meter, values: Sequence[Any], attributes: Mapping[str, Any] | None
    ) -> None:
        """Record a value for each metric of the group, `None` for nothing; never raises."""
        record_row(meter, self.group, self.keys, values, attributes)


def gauge(key: str, name: str, unit: str, description: str) -> MetricSpec:
    """Declare a number whose latest value counts."""
    return MetricSpec(key, name, "gauge", unit, description, owner=OWNER)


def duration_ms(key: str, name: str, seconds_name: str, description: str) -> MetricSpec:
    """Declare the durations of work in milliseconds, and in seconds under another name."""
    return MetricSpec(
        key,
        name,
        "histogram",
        "ms",
        description,
        buckets=MINUTES_MS,
        seconds_name=seconds_name,
        owner=OWNER,
    )


def distribution(  # noqa: PLR0917 - the columns of a table
    key: str,
    name: str,
    unit: str,
    description: str,
    buckets: tuple[float, ...],
    attributes: tuple[str, ...],
) -> MetricSpec:
    """Declare numbers whose distribution counts."""
    return MetricSpec(
        key,
        name,
        "histogram",
        unit,
        description,
        buckets=buckets,
        attributes=attributes,
        owner=OWNER,
    )
