# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The instruments of one meter: made from specifications, bound to their recording methods."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from nemo.lens.instruments.observing import Reporter
from nemo.lens.instruments.points import checked_for
from nemo.lens.instruments.problems import warn_once
from nemo.lens.metric_durations import MILLISECONDS, SECONDS
from nemo.lens.spans.text import as_text, type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from opentelemetry.metrics import Meter

    from nemo.lens.instruments.metric_spec import MetricSpec

_RECORDING_METHODS = {
    "counter": "add",
    "gauge": "set",
    "histogram": "record",
    "up_down_counter": "add",
}


class Emitter(NamedTuple):
    """How to record into one instrument.

    Attributes:
        emit: Its bound `set`, `record` or `add`.
        prepare: Checks a number for this kind of instrument and gives it in the instrument's unit.
        duration_unit: `"ms"` or `"s"` where `NemoLensConfig.metric_durations` decides whether this
            instrument is recorded into; empty otherwise.
    """

    emit: Callable[..., None]
    prepare: Callable[[int | float], int | float]
    duration_unit: str = ""


class InstrumentMaker:
    """Makes instruments on one meter and remembers what cannot be changed about them.

    Args:
        meter: The meter; it is not kept alive. There may be others that lead to the same
            instruments, see `use`.
    """

    __slots__ = ("_histograms", "_meter", "_reporters")

    def __init__(self, meter: Meter) -> None:
        self.use(meter)
        self._reporters: dict[object, Reporter] = {}
        self._histograms: dict[object, tuple[Any, MetricSpec]] = {}

    def use(self, meter: Meter) -> None:
        """Make further instruments with another object that leads to the same meter."""
        self._meter = weakref.ref(meter)

    def emitters(self, group: str, specs: Iterable[MetricSpec]) -> dict[str, tuple[Emitter, ...]]:
        """Make the instruments of `specs`.

        Returns:
            For each key how to record its value: no way for observable metrics. Those that could
            not be made are left out, which is told once.
        """
        made = {spec.key: self._emitters_or_none(group, spec) for spec in specs}
        return {key: emitters for key, emitters in made.items() if emitters is not None}

    def make(self, spec: MetricSpec, callback: Callable[..., Any] | None = None) -> Any:
        """Make the instrument of one specification, which reports through `callback`."""
        create = getattr(self._meter(), f"create_{spec.kind}")
        options: dict[str, Any] = {"unit": spec.unit, "description": spec.description}
        if callback is not None:
            options["callbacks"] = [callback]
        if spec.buckets is not None:
            options["explicit_bucket_boundaries_advisory"] = list(spec.buckets)
        return create(spec.name, **options)

    def _emitters_or_none(self, group: str, spec: MetricSpec) -> tuple[Emitter, ...] | None:
        try:
            return self._emitters(group, spec)
        except Exception as reason:  # the meter may be foreign, or refuse the name
            warn_once(
                ("instruments", group, spec.key),
                "Failed to resolve instruments of metric group %r: %r (%s) could not be created:"
                " %s: %s. Its values are dropped until it can be.",
                group,
                spec.name,
                spec.kind,
                type_name(type(reason)),
                as_text(reason),
            )
            return None

    def _emitters(self, group: str, spec: MetricSpec) -> tuple[Emitter, ...]:
        if spec.is_observable:
            self._observe(group, spec)
            return ()
        check = checked_for(spec.kind)
        twin = spec.in_seconds()
        if twin is None:
            return (Emitter(self._recording(group, spec), check),)

        def in_seconds(milliseconds: float) -> float:
            return check(milliseconds) / 1000

        return (
            Emitter(self._recording(group, spec), check, MILLISECONDS),
            Emitter(self._recording(group, twin), in_seconds, SECONDS),
        )

    def _recording(self, group: str, spec: MetricSpec) -> Callable[..., None]:
        instrument = self.make(spec)
        if spec.kind == "histogram":
            self._tell_fixed_buckets(group, spec, instrument)
        record: Callable[..., None] = getattr(instrument, _RECORDING_METHODS[spec.kind])
        return record

    def _observe(self, group: str, spec: MetricSpec) -> None:
        reporter = self._reporters.get(spec.instrument)
        if reporter is None:
            reporter = Reporter(group, spec)
            self.make(spec, reporter)
            self._reporters[spec.instrument] = reporter
        else:
            reporter.follow(group, spec)

    def _tell_fixed_buckets(self, group: str, spec: MetricSpec, instrument: Any) -> None:
        made, first = self._histograms.setdefault(spec.instrument, (instrument, spec))
        if made is instrument and first.buckets != spec.buckets:
            warn_once(
                ("buckets", group, spec.key),
                "Histogram %r of metric group %r keeps the bucket bounds %r that it was made with;"
                " OpenTelemetry cannot change them to %r. Give the metric another name, or declare"
                " it before it is first recorded.",
                spec.name,
                group,
                first.buckets,
                spec.buckets,
            )
