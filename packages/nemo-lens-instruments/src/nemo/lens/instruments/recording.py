# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Record the values of a metric group; nothing on this path ever raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.instrument_set import InstrumentSet, instrument_set
from nemo.lens.instruments.points import NotANumber, number, point_attributes
from nemo.lens.instruments.problems import warn_once
from nemo.lens.instruments.registry import specs_of

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.util.types import Attributes


def record_metrics(
    meter: Meter,
    group: str,
    values: Mapping[str, Any] | None = None,
    /,
    *,
    attributes: Mapping[str, Any] | None = None,
    **more_values: Any,
) -> None:
    """Record one value for each key of a metric group.

    Never raises; each distinct problem is logged once as a WARNING, and the other values are
    recorded. With a meter that exports nothing this costs a few look-ups.

    Args:
        meter: The meter of the handle, `handle.meter`.
        group: A name given to `register_metric_group`.
        values: Keys and numbers; `None` values are left out. numpy and torch scalars in host
            memory are read; one on an accelerator is dropped, because reading it would wait.
        attributes: Attributes of every point recorded by this call.
        **more_values: Further values; they win over `values`.
    """
    merged = _merged(group, values, more_values)
    if not merged:
        return
    specs = specs_of(group)
    if specs is None:
        warn_once(
            ("group", group),
            "record_metrics was called for the unregistered group %r; its values are dropped."
            " Call register_metric_group first.",
            group,
        )
        return
    instruments = instrument_set(meter, group, specs)
    points = point_attributes(attributes, group)
    for key, value in merged.items():
        if value is not None:
            _record_one(instruments, group, key, value, points)


def create_metric_instruments(meter: Meter, group: str) -> None:
    """Make the instruments of `group` now, which starts its observable metrics.

    A second call does nothing. Never raises; problems are logged as in `record_metrics`.
    """
    specs = specs_of(group)
    if specs is None:
        warn_once(
            ("group", group),
            "create_metric_instruments was called for the unregistered group %r. Call"
            " register_metric_group first.",
            group,
        )
        return
    instrument_set(meter, group, specs)


def _merged(group: str, values: Any, more_values: dict[str, Any]) -> dict[str, Any]:
    if values is None:
        return more_values
    if not isinstance(values, Mapping):
        warn_once(
            ("values", group),
            "record_metrics(%r): the `values` argument of type %s is not a mapping; the call"
            " records nothing. Pass a mapping of metric keys to numbers.",
            group,
            type(values).__name__,
        )
        return {}
    try:
        return {**values, **more_values}
    except Exception:  # a mapping of the caller's whose own methods fail
        warn_once(
            ("values", group),
            "record_metrics(%r): the `values` argument of type %s cannot be read.",
            group,
            type(values).__name__,
        )
        return more_values


def _record_one(
    instruments: InstrumentSet, group: str, key: str, value: Any, points: Attributes
) -> None:
    emitter = instruments.emitters.get(key)
    if emitter is None:
        _tell_missing(instruments, group, key)
        return
    kind, emit = emitter
    try:
        emit(number(value, kind), points)
    except NotANumber as reason:
        warn_once(
            ("value", group, key),
            "Metric %r of group %r got %s; it was dropped. Record a plain number.",
            key,
            group,
            reason,
        )
    except Exception as reason:  # a foreign meter's instrument; training goes on
        warn_once(
            ("emit", group, key), "Metric %r of group %r was dropped: %r.", key, group, reason
        )


def _tell_missing(instruments: InstrumentSet, group: str, key: str) -> None:
    if key in instruments.observable_keys:
        warn_once(
            ("observable", group, key),
            "Metric %r of group %r reports through its callback; the recorded value was dropped.",
            key,
            group,
        )
    elif all(spec.key != key for spec in instruments.specs):
        warn_once(
            ("key", group, key),
            "Unknown metric key %r in group %r; the value was dropped. Known keys: %s.",
            key,
            group,
            ", ".join(spec.key for spec in instruments.specs),
        )
