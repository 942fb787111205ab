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
from nemo.lens.instruments.observing import is_collecting
from nemo.lens.instruments.points import NotANumber, number
from nemo.lens.instruments.problems import warn_once
from nemo.lens.metric_durations import recorded_units
from nemo.lens.spans.conversion import MAX_INT, MIN_INT
from nemo.lens.spans.text import as_text, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nemo.lens.instruments.attribute_sets import Points
    from nemo.lens.instruments.collection import Collection
    from nemo.lens.instruments.emitters import Emitter
    from nemo.lens.instruments.metric_spec import MetricSpec

MOST_PENDING = 1024
"""Calls that wait at most; the next one hands all of them on itself."""

_LONGEST_CALL_S = 0.1
"""How long such a call waits for another thread that is at it.

Without waiting, many busy threads would add values faster than that one hands them on. It costs
them together what the instruments themselves would have."""

# Values that nobody can change any more, so that they may wait as they are.
_IMMUTABLE_TYPES = frozenset({float, int, bool, type(None)})


class InstrumentSet:
    """What can be recorded into, by key.

    One metric that cannot be made is told once and left out; the others of its group work, and it
    does once it can be made.

    Args:
        collection: What the meter leads to: makes the instruments, says whether values may wait.
        group: The name of the group, for messages.
        specs: The metrics of the group.

    Attributes:
        specs: As given; another object means that the group was declared anew.
        discards: True when nothing that is recorded would arrive anywhere.
        is_provisional: True when another set is to be asked for once there is a provider.
        attribute_sets: The attribute sets of this group on this meter.
    """

    __slots__ = (
        "_applied_by",
        "_applying",
        "_collection",
        "_context_now",
        "_emitters",
        "_gauges",
        "_group",
        "_names",
        "_pending",
        "_recording",
        "_unmade",
        "attribute_sets",
        "discards",
        "is_provisional",
        "specs",
    )

    def __init__(self, collection: Collection, group: str, specs: tuple[MetricSpec, ...]) -> None:
        from opentelemetry.context import get_current

        self.specs = specs
        self.discards = collection.discards
        self.is_provisional = collection.is_provisional
        self.attribute_sets = AttributeSets(group)
        self._group = group
        self._collection = collection
        self._context_now = get_current
        self._names = {spec.key: spec.name for spec in specs}
        self._gauges = frozenset(spec.key for spec in specs if spec.kind == "gauge")
        self._pending: deque[tuple[Sequence[str], Sequence[Any], Points, Any]] = deque()
        self._applying = threading.Lock()
        self._applied_by = 0
        self._recording: set[int] = set()  # the threads that are in an instrument
        self._emitters: dict[str, tuple[Emitter, ...]] = {}
        self._unmade = specs
        self.complete()

    def complete(self) -> None:
        """Make the instruments that are not made; why they could not be may be over."""
        if self._unmade and not is_collecting():
            made = self._collection.maker.emitters(self._group, self._unmade)
            self._emitters = {**self._emitters, **made}
            self._unmade = tuple(spec for spec in self.specs if spec.key not in self._emitters)

    def record(self, keys: Sequence[str], values: Sequence[Any], points: Points) -> None:
        """Record one value for each key, now or at the next collection.

        Args:
            keys: Keys of the group's metrics.
            values: As many values; `None` for nothing.
            points: The attributes, from `attribute_sets`.
        """
        if self.discards:
            return
        if self._unmade:
            self.complete()
        if not _are_immutable(values):
            values = [self._plain(key, value) for key, value in zip(keys, values, strict=True)]
        if points is OVERFLOW:
            self._collection.overflow.add("", sum(value is not None for value in values))
        if not self._collection.is_live and self._record_at_once(keys, values, points):
            return
        self._pending.append((keys, values, points, self._context_now()))
        if len(self._pending) >= MOST_PENDING:
            self.apply_pending(wait_s=_LONGEST_CALL_S)

    def apply_pending(self, *, wait_s: float) -> None:
        """Hand what waits to the instruments.

        Args:
            wait_s: How long to wait for another thread that is at it. With 0 it is left to that
                thread.
        """
        this_thread = threading.get_ident()
        if self._applied_by == this_thread:  # a signal handler, or an instrument that records
            return
        if not (
            self._applying.acquire(timeout=wait_s) if wait_s else self._applying.acquire(False)
        ):
            return
        self._applied_by = this_thread
        try:
            waiting = [self._pending.popleft() for _ in range(len(self._pending))]
            if waiting:
                self._apply(waiting)
        finally:
            self._applied_by = 0
            self._applying.release()

    def after_fork(self) -> None:
        """Forget what the parent will record, and the lock that its thread may have held."""
        self._pending = deque()
        self._applying = threading.Lock()
        self._applied_by = 0
        self._recording.intersection_update({threading.get_ident()})

    def _record_at_once(self, keys: Sequence[str], values: Sequence[Any], points: Points) -> bool:
        """Record into the instruments; False when this thread is in one of them.

        A signal handler has interrupted it there then, and would wait for its lock for ever.
        """
        this_thread = threading.get_ident()
        if this_thread in self._recording or this_thread == self._applied_by:
            return False
        self._recording.add(this_thread)
        try:
            for key, value in zip(keys, values, strict=True):
                if value is not None:
                    self._is_finite(key, value)
                    self._emit(key, value, points)
        finally:
            self._recording.discard(this_thread)
        if self._pending:  # of a signal handler that came meanwhile
            self.apply_pending(wait_s=0)
        return True

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

        NaN and infinities replace nothing, and integers beyond 64 bit do not either, since a gauge
        may refuse them and keep the value before.
        """
        gauges, replaced = self._gauges, set[tuple[str, int]]()
        kept: list[tuple[str, Any, Points, Any]] = []
        for keys, values, points, context in reversed(calls):
            for key, value in zip(reversed(keys), reversed(values), strict=True):
                if value is None:
                    continue
                is_finite = self._is_finite(key, value)
                if key in gauges and is_finite:
                    series = (key, id(points))
                    if series in replaced:
                        continue
                    if type(value) is not int or MIN_INT <= value <= MAX_INT:
                        replaced.add(series)
                kept.append((key, value, points, context))
        kept.reverse()
        return kept

    def _is_finite(self, key: str, value: Any) -> bool:
        """Say whether a plain number is finite; count it when it is not."""
        if type(value) is not float or math.isfinite(value):
            return True
        if key in self._names:
            self._collection.not_finite.add(self._names[key])
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
        if not emitters:
            self._tell_no_way(key)
            return
        try:
            for emitter in emitters:
                if not emitter.duration_unit or emitter.duration_unit in recorded_units():
                    emitter.emit(emitter.prepare(number(value)), points, *context)
        except NotANumber as reason:
            self._tell_dropped(key, reason)
        except Exception as reason:  # a foreign meter's instrument; training goes on
            self._drop(
                ("emit", self._group, key),
                "Metric %r of group %r was dropped: %s: %s.",
                type_name(type(reason)),
                as_text(reason),
            )

    def _tell_dropped(self, key: str, reason: NotANumber) -> None:
        self._drop(
            ("value", self._group, key),
            "Metric %r of group %r got %s; it was dropped. Record a plain number.",
            reason,
        )

    def _tell_no_way(self, key: str) -> None:
        if key not in self._names:
            self._drop(
                ("key", self._group, key),
                "Unknown metric key %r in group %r; the value was dropped. Known keys: %s.",
                ", ".join(self._names),
            )
        elif key in self._emitters:
            self._drop(
                ("observable", self._group, key),
                "Metric %r of group %r reports through its callback; the recorded value was"
                " dropped.",
            )
        else:  # it could not be made, which is told
            self._collection.dropped.add(self._names[key])

    def _drop(self, problem: tuple[str, str, str], message: str, *details: object) -> None:
        group, key = problem[1:]
        if key in self._names:
            self._collection.dropped.add(self._names[key])
        warn_once(problem, message, key, group, *details)


def _are_immutable(values: Sequence[Any]) -> bool:
    try:
        return _IMMUTABLE_TYPES.issuperset(map(type, values))
    except Exception:  # a type whose hash or comparison fails
        return False
