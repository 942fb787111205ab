# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One odd item must not cost its batch: repair what an official encoder refuses, or drop it."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from opentelemetry.sdk.metrics.export import Metric, MetricsData, NumberDataPoint
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Link, Status

from nemo.lens.spans.text import encodable

_Data = TypeVar("_Data")
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1


def encode_repaired(
    encode: Callable[[_Data], Any], repair: Callable[[_Data], _Data], data: _Data
) -> Any:
    """Encode data, and its repaired copy when the encoder refuses it."""
    try:
        return encode(data)
    except Exception:
        return encode(repair(data))


def repair_spans(spans: Sequence[ReadableSpan]) -> list[ReadableSpan]:
    """Copy spans with names, attributes and messages that every encoder accepts."""
    return [_repaired_span(span) for span in spans]


def repair_metrics(data: MetricsData) -> MetricsData:
    """Copy metrics with plain numbers; points that are no numbers are dropped."""
    return MetricsData(
        [
            replace(
                resource_metrics,
                scope_metrics=[
                    replace(
                        scope_metrics,
                        metrics=[_repaired_metric(metric) for metric in scope_metrics.metrics],
                    )
                    for scope_metrics in resource_metrics.scope_metrics
                ],
            )
            for resource_metrics in data.resource_metrics
        ]
    )


def repair_logs(records: Sequence[Any]) -> list[Any]:
    """Copy log records with bodies and attributes that every encoder accepts."""
    repaired: list[Any] = []
    for record in records:
        clone = copy.copy(record)
        inner = copy.copy(record.log_record)
        inner.body = _repaired_value(inner.body)
        inner.attributes = _repaired_attributes(inner.attributes)
        if inner.severity_text is not None:
            inner.severity_text = _repaired_text(inner.severity_text)
        object.__setattr__(clone, "log_record", inner)
        repaired.append(clone)
    return repaired


def _repaired_text(text: Any) -> str:
    return encodable(_safe_str(text))


def _repaired_attributes(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    """A plain dictionary of attributes that every encoder accepts."""
    return {
        _repaired_text(key): _repaired_value(value) for key, value in (attributes or {}).items()
    }


def _repaired_value(value: Any) -> Any:
    """The nearest value that OTLP can carry: large integers and unknown objects become text."""
    if value is None or isinstance(value, bool | float | bytes):
        return value
    if isinstance(value, str):
        return _repaired_text(value)
    if isinstance(value, int):
        return int(value) if _INT64_MIN <= value <= _INT64_MAX else str(value)
    if isinstance(value, Mapping):
        return _repaired_attributes(cast("Mapping[str, Any]", value))
    if isinstance(value, Sequence):
        items: Any = value  # pyright: ignore[reportUnknownVariableType]
        return [_repaired_value(item) for item in items]
    return _repaired_text(value)


def _repaired_span(span: ReadableSpan) -> ReadableSpan:
    status = span.status
    if status.description:
        status = Status(status.status_code, _repaired_text(status.description))
    return ReadableSpan(
        name=_repaired_text(span.name),
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=_repaired_attributes(span.attributes),
        events=[
            Event(
                _repaired_text(event.name), _repaired_attributes(event.attributes), event.timestamp
            )
            for event in span.events
        ],
        links=[Link(link.context, _repaired_attributes(link.attributes)) for link in span.links],
        kind=span.kind,
        status=status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _repaired_metric(metric: Metric) -> Metric:
    data: Any = metric.data
    points = [_repaired_point(point) for point in data.data_points]
    kept = [point for point in points if point is not None]
    return replace(metric, data=replace(data, data_points=kept))


def _repaired_point(point: Any) -> Any:
    point = replace(point, attributes=_repaired_attributes(point.attributes))
    if not isinstance(point, NumberDataPoint):
        return point
    number = _plain_number(point.value)
    return None if number is None else replace(point, value=number)


def _plain_number(value: Any) -> int | float | None:
    if isinstance(value, numbers.Integral):
        integer = int(value)
        return integer if _INT64_MIN <= integer <= _INT64_MAX else float(integer)
    if isinstance(value, str | bytes):
        return None
    try:
        return float(value)
    except Exception:
        return None


def _safe_str(value: Any) -> str:
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__}>"
