# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The instruments of one group on one meter, and the values on their way into them.

A recording call costs the training thread one tuple: what it records waits, with the context of
the call, until a reader collects, and is handed to the ordinary instruments then, before anything
is read. Readers, views and temporality are OpenTelemetry's, so what is exported is what
`gauge.set`, `counter.add` and `histogram.record` at the call would have exported, with two
differences: the exemplar of a point bears the time of the collection instead of that of the call,
and a gauge is told its latest value only. A view that makes a histogram or a sum out of a gauge
therefore sees one value for each collection.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.attribute_sets import OVERFLOW, AttributeSets
from nemo.lens.instruments.emitters import emitters_of
from nemo.lens.instruments.points import NotANumber, number
from nemo.lens.instruments.problems import warn_once
from nemo.lens.metric_durations import recorded_units
from nemo.lens.spans.conversion import MAX_INT, MIN_INT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from opentelemetry.metrics import Meter

    from nemo.lens.instruments.attribute_sets import Points
    from nemo.lens.instruments.collection import Collection
    from nemo.lens.instruments.metric_spec import MetricSpec

MOST_PENDING = 1024
"""Calls that wait at most; the next one hands all of them on itself."""

# Values that nobody can change any more, so that they may wait as they are.
_IMMUTABLE_TYPES = frozenset({float, int, bool, type(None)})


class InstrumentSet:
    """What can be recorded into, by key.

    One metric that cannot be made is told once and left out; the others of its group work.

    Args:
        meter: Makes the instruments.
        group: The name of the group, for messages.
        specs: The metrics of the group.
        collection: Says whether values may wait.

    Attributes:
        specs: As given; another object means that the group was declared anew.
        attribute_sets: The attribute sets of this group on this meter.
        overflowed: Measurements that were recorded under the overflow attribute.
        not_finite: How many measurements of which metric were NaN or infinite.
    """

    __slots__ = (
        "_applying",
        "_collection",
        "_context_now",
        "_discards",
        "_emitters",
        "_gauges",
        "_group",
        "_pending",
        "attribute_sets",
        "not_finite",
        "overflowed",
        "specs",
    )

    def __init__(
        self, meter: Meter, group: str, specs: tuple[MetricSpec, ...], collection: Collection
    ) -> None:
        from opentelemetry.context import get_current
        from opentelemetry.metrics import NoOpMeter

        self.specs = specs
        self.attribute_sets = AttributeSets(group)
        self.overflowed = 0
        self.not_finite: dict[str, int] = {}
        self._group = group
        self._collection = collection
        self._context_now = get_current
        self._discards = type(meter) is NoOpMeter
        self._emitters = emitters_of(meter, group, specs)
        self._gauges = frozenset(spec.key for spec in specs if spec.kind == "gauge")
        self._pending: deque[tuple[Sequence[str], Sequence[Any], Points, Any]] = deque()
        self._applying = threading.Lock()

    def record(self, keys: Sequence[str], values: Sequence[Any], points: Points) -> None:
        """Record one value for each key, now or at the next collection.

        Args:
            keys: Keys of the group's metrics.
            values: As many values; `None` for nothing.
            points: The attributes, from `attribute_sets`.
        """
        if self._discards:
            return
        if not _IMMUTABLE_TYPES.issuperset(map(type, values)):
            values = [self._plain(key, value) for key, value in zip(keys, values, strict=True)]
        if points is OVERFLOW:
            self.overflowed += sum(value is not None for value in values)
        if not self._collection.is_live:
            for key, value in zip(keys, values, strict=True):
                if value is not None:
                    self._is_finite(key, value)
                    self._emit(key, value, points)
            return
        self._pending.append((keys, values, points, self._context_now()))
        if len(self._pending) >= MOST_PENDING:
            self.apply_pending(wait_s=0)

    def apply_pending(self, *, wait_s: float) -> None:
        """Hand what waits to the instruments.

        Args:
            wait_s: How long to wait for another thread that is at it. With 0 it is left to that
                thread.
        """
        if not (
            self._applying.acquire(timeout=wait_s) if wait_s else self._applying.acquire(False)
        ):
            return
        try:
            waiting = [self._pending.popleft() for _ in range(len(self._pending))]
            if waiting:
                self._apply(waiting)
        finally:
            self._applying.release()

    def after_fork(self) -> None:
        """Forget what the parent will record, and the lock that its thread may have held."""
        self._pending = deque()
        self._applying = threading.Lock()

    def _apply(self, calls: Sequence[tuple[Sequence[str], Sequence[Any], Points, Any]]) -> None:
        from opentelemetry.context import Context, attach, detach

        # An empty context makes instruments ask for the current one, which is not the call's.
        token = attach(Context())
        try:
            for key, value, points, context in self._latest(calls):
                self._emit(key, value, points, context)
        finally:
            detach(token)

    def _latest(
        self, calls: Sequence[tuple[Sequence[str], Sequence[Any], Points, Any]]
    ) -> Iterable[tuple[str, Any, Points, Any]]:
        """Leave out the gauge values that a later one with the same attributes replaces.

        A gauge may refuse NaN, infinities and integers beyond 64 bit, and keep the value before;
        so these replace nothing.
        """
        gauges, replaced = self._gauges, set[tuple[str, int]]()
        kept: list[tuple[str, Any, Points, Any]] = []
        for keys, values, points, context in reversed(calls):
            for key, value in zip(reversed(keys), reversed(values), strict=True):
                if value is None:
                    continue
                is_finite = self._is_finite(key, value)
                if key in gauges:
                    series = (key, id(points))
                    if series in replaced:
                        continue
                    if is_finite and (type(value) is not int or MIN_INT <= value <= MAX_INT):
                        replaced.add(series)
                kept.append((key, value, points, context))
        kept.reverse()
        return kept

    def _is_finite(self, key: str, value: Any) -> bool:
        """Say whether a plain number is finite; count it when it is not."""
        if type(value) is not float or math.isfinite(value):
            return True
        name = next((spec.name for spec in self.specs if spec.key == key), "")
        if name:
            self.not_finite[name] = self.not_finite.get(name, 0) + 1
        return False

    def _plain(self, key: str, value: Any) -> Any:
        """Read a value that may change or hold much memory; None when it is no number."""
        if value is None:
            return None
        try:
            return number(value)
        except NotANumber as reason:
            self._tell_dropped(key, reason)
            return None

    def _emit(self, key: str, value: Any, points: Points, *context: Any) -> None:
        emitters = self._emitters.get(key)
        if emitters is None:
            self._tell_missing(key)
            return
        try:
            for emitter in emitters:
                if not emitter.duration_unit or emitter.duration_unit in recorded_units():
                    emitter.emit(emitter.prepare(number(value)), points, *context)
        except NotANumber as reason:
            self._tell_dropped(key, reason)
        except Exception as reason:  # a foreign meter's instrument; training goes on
            warn_once(
                ("emit", self._group, key),
                "Metric %r of group %r was dropped: %r.",
                key,
                self._group,
                reason,
            )

    def _tell_dropped(self, key: str, reason: NotANumber) -> None:
        warn_once(
            ("value", self._group, key),
            "Metric %r of group %r got %s; it was dropped. Record a plain number.",
            key,
            self._group,
            reason,
        )

    def _tell_missing(self, key: str) -> None:
        spec = next((spec for spec in self.specs if spec.key == key), None)
        if spec is None:
            warn_once(
                ("key", self._group, key),
                "Unknown metric key %r in group %r; the value was dropped. Known keys: %s.",
                key,
                self._group,
                ", ".join(spec.key for spec in self.specs),
            )
        elif spec.is_observable:
            warn_once(
                ("observable", self._group, key),
                "Metric %r of group %r reports through its callback; the recorded value was"
                " dropped.",
                key,
                self._group,
            )
