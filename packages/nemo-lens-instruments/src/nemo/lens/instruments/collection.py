# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The moment at which a reader collects a meter: what waits to be recorded is recorded then.

OpenTelemetry calls the callbacks of observable instruments first and reads the synchronous ones
after that. So one observable instrument of ours is enough to learn that a reader collects, with
nothing but the OpenTelemetry API. Until a first collection nothing waits at all.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from nemo.lens.instruments.emitters import instrument_of
from nemo.lens.instruments.metric_spec import MetricSpec
from nemo.lens.instruments.problems import warn_once
from nemo.lens.semconv import NEMO_METRIC_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.metrics import CallbackOptions, Meter, Observation

    from nemo.lens.instruments.instrument_set import InstrumentSet

GROUP = "nemo.lens.metrics"


def _reported_here(_options: CallbackOptions) -> Iterable[Observation]:
    """Stand in the table for the `Collection` of a meter, which reports there."""
    return ()


OVERFLOW = MetricSpec(
    "overflow",
    "nemo.lens.metrics.overflow",
    "observable_counter",
    "{measurement}",
    "Measurements whose attribute set was one too many, recorded under otel.metric.overflow.",
    callback=_reported_here,
    owner="nemo-lens",
)
NOT_FINITE = MetricSpec(
    "not_finite",
    "nemo.lens.metrics.not_finite",
    "observable_counter",
    "{measurement}",
    "Measurements that were NaN or infinite; exports show nothing of most of them.",
    callback=_reported_here,
    attributes=(NEMO_METRIC_NAME,),
    owner="nemo-lens",
)
SPECS = (OVERFLOW, NOT_FINITE)
"""What each meter reports about its own measurements, once there is something to report."""

_LONGEST_WAIT_S = 1.0
"""How long a collection waits for a thread that is applying the same values right now.

It is bounded because that thread may be the one that a signal handler interrupted."""


class Collection:
    """The instrument sets of one meter, and whether a reader collects them.

    Attributes:
        is_live: True once a reader has collected: from then on values may wait for the next time.
        sets: The instrument sets by group.
    """

    __slots__ = ("__weakref__", "is_live", "sets")

    def __init__(self) -> None:
        self.is_live = False
        self.sets: dict[str, InstrumentSet] = {}

    def attach(self, meter: Meter) -> None:
        """Have `meter` call this object at every collection; without that nothing ever waits."""
        reports = {OVERFLOW: self.report_overflow, NOT_FINITE: self.report_not_finite}
        try:
            for spec, callback in reports.items():
                instrument_of(meter, dataclasses.replace(spec, callback=callback))
        except Exception as reason:  # a foreign meter without observable instruments
            warn_once(
                ("collection", type(meter).__name__),
                "Meter %r makes no observable counter (%r); values are recorded at each call.",
                type(meter).__name__,
                reason,
            )

    def report_overflow(self, _options: CallbackOptions) -> Iterable[Observation]:
        """Record what waits, then report the overflow, when there was one."""
        from opentelemetry.metrics import Observation

        overflowed = sum(instruments.overflowed for instruments in self._up_to_date())
        return [Observation(overflowed)] if overflowed else []

    def report_not_finite(self, _options: CallbackOptions) -> Iterable[Observation]:
        """Record what waits, then report how often which metric was no finite number."""
        from opentelemetry.metrics import Observation

        return [
            Observation(count, {NEMO_METRIC_NAME: name})
            for instruments in self._up_to_date()
            for name, count in tuple(instruments.not_finite.items())
        ]

    def _up_to_date(self) -> tuple[InstrumentSet, ...]:
        self.is_live = True
        sets = tuple(self.sets.values())
        for instruments in sets:
            instruments.apply_pending(wait_s=_LONGEST_WAIT_S)
        return sets

    def after_fork(self) -> None:
        """Leave what waits to the parent; wait for a collection in this process."""
        self.is_live = False
        for instruments in self.sets.values():
            instruments.after_fork()
