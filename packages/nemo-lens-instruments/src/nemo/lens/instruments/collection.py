# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The moment at which a reader collects a meter: what waits to be recorded is recorded then.

OpenTelemetry calls the callbacks of observable instruments first and reads the synchronous ones
after that. So one observable instrument of ours is enough to learn that a reader collects, with
nothing but the OpenTelemetry API. Until a first collection nothing waits at all.

OpenTelemetry keeps the callback that an instrument was made with and ignores those of later
makers. Several meters may lead to the same instruments: those that were asked for before set-up,
and those that were asked for by the same scope after it. They share one `Collection`.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.instruments.emitters import InstrumentMaker
from nemo.lens.instruments.identity_map import WeakIdentityMap
from nemo.lens.instruments.metric_spec import MetricSpec
from nemo.lens.instruments.problems import warn_once
from nemo.lens.instruments.stand_ins import installed_provider, stands_in
from nemo.lens.instruments.tallies import Tally
from nemo.lens.semconv import NEMO_METRIC_NAME
from nemo.lens.spans.text import as_text, type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from opentelemetry.metrics import CallbackOptions, Meter, Observation

    from nemo.lens.instruments.instrument_set import InstrumentSet

GROUP = "nemo.lens.metrics"


def _reported_here(_options: CallbackOptions) -> Iterable[Observation]:
    """Stand in the table for the `Collection` of a meter, which reports there."""
    return ()


def _report(key: str, description: str, *attributes: str) -> MetricSpec:
    return MetricSpec(
        key,
        f"{GROUP}.{key}",
        "observable_counter",
        "{measurement}",
        description,
        callback=_reported_here,
        attributes=attributes,
        owner="nemo-lens",
    )


OVERFLOW = _report(
    "overflow",
    "Measurements whose attribute set was one too many, recorded under otel.metric.overflow.",
)
NOT_FINITE = _report(
    "not_finite",
    "Measurements that were NaN or infinite, of which exports show nothing.",
    NEMO_METRIC_NAME,
)
DROPPED = _report(
    "dropped",
    "Measurements that were dropped: no number, or one that the metric cannot take.",
    NEMO_METRIC_NAME,
)
SPECS = (OVERFLOW, NOT_FINITE, DROPPED)
"""What each meter reports about its own measurements, once there is something to report."""

_LONGEST_WAIT_S = 1.0
"""How long a collection waits for a thread that is applying the same values right now.

It is bounded because that thread may be the one that a signal handler interrupted."""

# Weak on both sides: a collection leads to the instruments of its meter, which has its callbacks.
_by_instrument: WeakIdentityMap[weakref.ref[Collection]] = WeakIdentityMap()
_alive: weakref.WeakSet[Collection] = weakref.WeakSet()


class Collection:
    """The instrument sets of what one meter leads to, and whether a reader collects them.

    Args:
        meter: The meter; it is not kept alive.

    Attributes:
        maker: Makes the instruments.
        discards: True when nothing that is recorded would arrive anywhere.
        is_live: True once a reader has collected: from then on values may wait for the next time.
        is_provisional: True while the meter leads to nothing: there is no provider yet.
        sets: The instrument sets by group.
        overflow: How many measurements were recorded under the overflow attribute.
        not_finite: How many measurements of which metric were NaN or infinite.
        dropped: How many measurements of which metric were not recorded.
    """

    __slots__ = (
        "__weakref__",
        "discards",
        "dropped",
        "is_live",
        "is_provisional",
        "maker",
        "not_finite",
        "overflow",
        "sets",
    )

    def __init__(self, meter: Meter) -> None:
        from opentelemetry.metrics import NoOpMeter

        self.maker = InstrumentMaker(meter)
        self.is_provisional = stands_in(meter) and stands_in(installed_provider())
        self.discards = self.is_provisional or type(meter) is NoOpMeter
        self.is_live = False
        self.sets: dict[str, InstrumentSet] = {}
        self.overflow, self.not_finite, self.dropped = Tally(), Tally(), Tally()
        _alive.add(self)

    @classmethod
    def of(cls, meter: Meter) -> Collection:
        """Return the collection of what `meter` leads to.

        Raises:
            TypeError: It cannot be referenced weakly; nothing else is raised.
        """
        collection = cls(meter)
        try:
            return collection if collection.is_provisional else collection._attached()
        except Exception as reason:  # a foreign meter without observable instruments
            warn_once(
                ("collection", type_name(type(meter))),
                "Meter %r makes no observable counter (%s: %s); values are recorded at each call.",
                type_name(type(meter)),
                type_name(type(reason)),
                as_text(reason),
            )
            return collection

    def _attached(self) -> Collection:
        """Have the meter call this object at every collection, unless it calls another already."""
        instruments = [self.maker.make(spec, self._reporter(spec.key)) for spec in SPECS]
        reference = _by_instrument.get(instruments[0])
        attached = None if reference is None else reference()
        if attached is None:
            _by_instrument.set(instruments[0], weakref.ref(self))
            return self
        return attached

    def _reporter(self, what: str) -> Callable[[CallbackOptions], Iterable[Observation]]:
        tally: Tally = getattr(self, what)
        # The first of the three has waited when the others are asked.
        wait_s = _LONGEST_WAIT_S if what == OVERFLOW.key else 0

        def report(_options: CallbackOptions) -> Iterable[Observation]:
            return self._report(tally, wait_s)

        return report

    def _report(self, tally: Tally, wait_s: float) -> list[Observation]:
        """Record what waits, then report what was counted, by metric."""
        from opentelemetry.metrics import Observation

        self.is_live = True
        for instruments in tuple(self.sets.values()):
            instruments.apply_pending(wait_s=wait_s)
        return [
            Observation(count, {NEMO_METRIC_NAME: name} if name else None)
            for name, count in tally.counts().items()
        ]

    def after_fork(self) -> None:
        """Leave what waits to the parent; wait for a collection in this process."""
        self.is_live = False
        for tally in (self.overflow, self.not_finite, self.dropped):
            tally.after_fork()
        for instruments in tuple(self.sets.values()):
            instruments.after_fork()


@run_in_forked_child
def _leave_all_to_the_parent() -> None:
    for collection in tuple(_alive):
        collection.after_fork()
