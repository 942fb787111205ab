# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The instruments of one group on one meter, made once and bound to their recording method."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.instruments.problems import warn_once

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

    from nemo.lens.instruments.metric_spec import MetricSpec

Emit = Callable[..., None]
"""A bound `gauge.set`, `histogram.record` or `counter.add`."""

_RECORDING_METHODS = {
    "counter": "add",
    "gauge": "set",
    "histogram": "record",
    "up_down_counter": "add",
}

_lock = threading.RLock()


class InstrumentSet:
    """What can be recorded into: for each key the kind of its instrument and the method to call.

    One metric that cannot be made is told once and left out; the others of its group work.
    """

    __slots__ = ("emitters", "observable_keys", "specs")

    def __init__(self, meter: Meter, group: str, specs: tuple[MetricSpec, ...]) -> None:
        self.specs = specs
        self.observable_keys = frozenset(spec.key for spec in specs if spec.is_observable)
        self.emitters: dict[str, tuple[str, Emit]] = {}
        for spec in specs:
            emit = _emitter(meter, group, spec)
            if emit is not None:
                self.emitters[spec.key] = (spec.kind, emit)


_sets_by_meter: weakref.WeakKeyDictionary[Meter, dict[str, InstrumentSet]] = (
    weakref.WeakKeyDictionary()
)


def instrument_set(meter: Meter, group: str, specs: tuple[MetricSpec, ...]) -> InstrumentSet:
    """Return the set of `group` on `meter`, made on first use and after a new declaration."""
    try:
        known = _sets_by_meter.get(meter, {}).get(group)
    except TypeError:  # a meter that cannot be referenced weakly, such as None
        return InstrumentSet(meter, group, specs)
    if known is not None and known.specs is specs:
        return known
    with _lock:
        sets = _sets_by_meter.setdefault(meter, {})
        known = sets.get(group)
        if known is None or known.specs is not specs:
            known = sets[group] = InstrumentSet(meter, group, specs)
    return known


def _emitter(meter: Meter, group: str, spec: MetricSpec) -> Emit | None:
    """Make the instrument; return how to record into it, or None where a callback reports."""
    try:
        instrument = _instrument(meter, spec)
        return None if spec.is_observable else getattr(instrument, _RECORDING_METHODS[spec.kind])
    except Exception as reason:  # the meter may be None, foreign or shut down
        warn_once(
            ("instruments", group, spec.key),
            "Failed to resolve instruments of metric group %r: %r (%s) could not be created on"
            " %r: %s. Its values are dropped.",
            group,
            spec.name,
            spec.kind,
            type(meter).__name__,
            reason,
        )
        return None


def _instrument(meter: Meter, spec: MetricSpec) -> Any:
    create = getattr(meter, f"create_{spec.kind}")
    if spec.is_observable:
        return create(
            spec.name, callbacks=[spec.callback], unit=spec.unit, description=spec.description
        )
    if spec.buckets is not None:
        return create(
            spec.name,
            unit=spec.unit,
            description=spec.description,
            explicit_bucket_boundaries_advisory=list(spec.buckets),
        )
    return create(spec.name, unit=spec.unit, description=spec.description)


@run_in_forked_child
def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()
