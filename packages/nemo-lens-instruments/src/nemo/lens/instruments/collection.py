# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The moment at which a reader collects a meter: what waits to be recorded is recorded then.

OpenTelemetry calls the callbacks of observable instruments first and reads the synchronous ones
after that. So one observable instrument of ours is enough to learn that a reader collects, with
nothing but the OpenTelemetry API. Until a first collection nothing waits at all.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.emitters import instrument_of
from nemo.lens.instruments.metric_spec import MetricSpec
from nemo.lens.instruments.problems import warn_once

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.metrics import CallbackOptions, Meter, Observation

    from nemo.lens.instruments.instrument_set import InstrumentSet

OVERFLOW_GROUP = "nemo.lens.metrics"
OVERFLOW_SPEC = MetricSpec(
    "overflow",
    "nemo.lens.metrics.overflow",
    "observable_counter",
    "{measurement}",
    "Measurements whose attribute set was one too many, recorded under otel.metric.overflow.",
    callback=lambda _options: (),
    owner="nemo-lens",
)
"""Reported by the `Collection` of each meter, once there is an overflow."""

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
        try:
            instrument_of(meter, dataclasses.replace(OVERFLOW_SPEC, callback=self))
        except Exception as reason:  # a foreign meter without observable instruments
            warn_once(
                ("collection", type(meter).__name__),
                "Meter %r makes no observable counter (%r); values are recorded at each call.",
                type(meter).__name__,
                reason,
            )

    def __call__(self, _options: CallbackOptions) -> Iterable[Observation]:
        """Record what waits; report the overflow, when there was one."""
        self.is_live = True
        overflowed = 0
        for instruments in tuple(self.sets.values()):
            instruments.apply_pending(wait_s=_LONGEST_WAIT_S)
            overflowed += instruments.overflowed
        return [_observation(overflowed)] if overflowed else []

    def after_fork(self) -> None:
        """Leave what waits to the parent; wait for a collection in this process."""
        self.is_live = False
        for instruments in self.sets.values():
            instruments.after_fork()


def _observation(count: int) -> Any:
    from opentelemetry.metrics import Observation

    return Observation(count)
