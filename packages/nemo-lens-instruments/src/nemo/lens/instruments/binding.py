# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Handles for hot loops: meter, group and attributes are looked up once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.meters import instrument_set
from nemo.lens.instruments.recording import merged_values
from nemo.lens.instruments.registry import plain_name, specs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from opentelemetry.metrics import Meter

    from nemo.lens.instruments.attribute_sets import Points
    from nemo.lens.instruments.instrument_set import InstrumentSet


class BoundMetrics:
    """A metric group on one meter with fixed attributes; made by `bind_metrics`."""

    __slots__ = ("_attributes", "_group", "_instruments", "_meter", "_points")

    def __init__(self, meter: Meter, group: str, attributes: Mapping[str, Any] | None) -> None:
        self._meter = meter
        self._group = plain_name(group)
        self._attributes: Mapping[str, Any] | None = attributes
        self._points: Points = None
        self._instruments: InstrumentSet | None = None
        self._bind()

    def record(self, values: Mapping[str, Any] | None = None, /, **more_values: Any) -> None:
        """Record one value for each key, as `record_metrics` does; never raises."""
        merged = merged_values(self._group, values, more_values)
        if merged:
            self._record(tuple(merged), tuple(merged.values()))

    def recorder(self, key: str) -> Callable[[Any], None]:
        """Return a function that records its argument as the metric `key`; it never raises."""
        keys = (plain_name(key),)

        def record(value: Any) -> None:
            self._record(keys, (value,))

        return record

    def _record(self, keys: Sequence[str], values: Sequence[Any]) -> None:
        instruments = self._instruments
        if (
            instruments is None
            or instruments.specs is not specs_of(self._group)
            or instruments.is_provisional
        ):
            instruments = self._bind()
        if instruments is not None:
            instruments.record(keys, values, self._points)

    def _bind(self) -> InstrumentSet | None:
        """Look everything up: at first, and after a new declaration or the set-up."""
        instruments = instrument_set(self._meter, self._group, "bind_metrics")
        if instruments is not None and self._attributes is not None:
            self._attributes = self._points = instruments.attribute_sets.of(self._attributes)
        self._instruments = instruments
        return instruments


def bind_metrics(
    meter: Meter, group: str, *, attributes: Mapping[str, Any] | None = None
) -> BoundMetrics:
    """Bind a metric group to a meter and to attributes, for recording in a hot loop.

        metrics = bind_metrics(handle.meter, "mylib", attributes={"mylib.phase": "train"})
        record_loss = metrics.recorder("loss")
        for batch in batches:
            ...
            record_loss(loss)
            metrics.record(tokens=n, grad_norm=norm)

    Never raises; problems are logged once, as in `record_metrics`. With a meter that exports
    nothing, recording through it costs two or three comparisons.

    Args:
        meter: The meter of the handle, `handle.meter`.
        group: A name given to `register_metric_group`, now or later.
        attributes: Attributes of every point; read now.
    """
    return BoundMetrics(meter, group, attributes)
