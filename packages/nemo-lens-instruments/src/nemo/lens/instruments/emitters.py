# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The instruments of a group, made from its specifications and bound to their recording method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nemo.lens.instruments.points import checked_for
from nemo.lens.instruments.problems import warn_once
from nemo.lens.metric_durations import MILLISECONDS, SECONDS

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


def emitters_of(
    meter: Meter, group: str, specs: Iterable[MetricSpec]
) -> dict[str, tuple[Emitter, ...]]:
    """Make the instruments of `specs` on `meter`.

    Returns:
        For each key how to record its value; none for observable metrics and for those that could
        not be made, which is told once.
    """
    emitters: dict[str, tuple[Emitter, ...]] = {}
    for spec in specs:
        try:
            made = _emitters(meter, spec)
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
            continue
        if made:
            emitters[spec.key] = made
    return emitters


def _emitters(meter: Meter, spec: MetricSpec) -> tuple[Emitter, ...]:
    instrument = instrument_of(meter, spec)
    if spec.is_observable:
        return ()
    record = getattr(instrument, _RECORDING_METHODS[spec.kind])
    check = checked_for(spec.kind)
    twin = spec.in_seconds()
    if twin is None:
        return (Emitter(record, check),)

    def in_seconds(milliseconds: float) -> float:
        return check(milliseconds) / 1000

    return (
        Emitter(record, check, MILLISECONDS),
        Emitter(instrument_of(meter, twin).record, in_seconds, SECONDS),
    )


def instrument_of(meter: Meter, spec: MetricSpec) -> Any:
    """Make the instrument of one specification."""
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
