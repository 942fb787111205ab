# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What was lost on the way out, as a metric beside the others."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from opentelemetry.metrics import Observation

from nemo.lens.semconv import NEMO_LENS_QUEUE, NEMO_LENS_REASON

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.metrics import CallbackOptions, Meter

    from nemo.lens.sdk.pipeline import Pipeline

METRIC_NAME = "nemo.lens.export.lost"


def report_losses_as_metric(meter: Meter, pipeline: Pipeline) -> None:
    """Export the number of lost items by queue and reason; nothing while nothing is lost.

    Args:
        meter: The meter of the set-up.
        pipeline: Whose losses to report; held weakly, because instruments outlive a set-up.
    """
    reference = weakref.ref(pipeline)

    def observe(_options: CallbackOptions) -> Iterable[Observation]:
        running = reference()
        if running is None or running.is_shut_down:
            return []
        return [
            Observation(number, {NEMO_LENS_QUEUE: queue, NEMO_LENS_REASON: reason})
            for queue, lost in running.lost_by_queue().items()
            for reason, number in lost.items()
        ]

    meter.create_observable_counter(
        METRIC_NAME,
        [observe],
        unit="{item}",
        description="Spans, log records and metric collections that will not arrive, and cut parts.",
    )
