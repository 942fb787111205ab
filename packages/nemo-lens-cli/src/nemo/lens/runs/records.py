# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a run is made of: spans, metric points and log records, decoded from OTLP-JSON.

Nothing in a file is trusted: a value of the wrong shape is left out and counted, never raised.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from nemo.lens.runs.otlp_json import SHAPE_ERRORS, any_value, attribute, attributes, items
from nemo.lens.semconv import NEMO_SPAN_GROUP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nemo.lens.runs.process import Process

MAX_NANO: Final = 2**63 - 1
STATUS_ERROR: Final = 2
_GROUP_KEY: Final = NEMO_SPAN_GROUP
_POINT_KINDS: Final = ("gauge", "sum", "histogram", "exponentialHistogram", "summary")


class Span(NamedTuple):
    """One finished span.

    Attributes:
        name: Span name.
        group: Span group, None where the writer did not record it.
        span_id: 16 hex digits.
        parent_span_id: 16 hex digits, "" for a root.
        start_unix_nano: Start, nanoseconds since 1970 by the clock of its host.
        end_unix_nano: End, never before the start.
        process: The process that made it.
        raw: The OTLP-JSON span as it was read.
    """

    name: str
    group: str | None
    span_id: str
    parent_span_id: str
    start_unix_nano: int
    end_unix_nano: int
    process: Process
    raw: dict[str, Any]

    @property
    def trace_id(self) -> str:
        """32 hex digits, "" where it is missing."""
        value = self.raw.get("traceId")
        return value if isinstance(value, str) else ""

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes as plain values."""
        return attributes(self.raw.get("attributes"))

    @property
    def failed(self) -> bool:
        """Whether its status is error."""
        return is_failed(self.raw)


class Point(NamedTuple):
    """One metric data point.

    Attributes:
        name: Metric name.
        unit: Unit, "" when none is given.
        kind: The OTLP name of the data: "gauge", "sum", "histogram", ...
        time_unix_nano: When it was taken.
        value: The number; for histograms and summaries the mean.
        low: The smallest value the point speaks of.
        high: The largest.
        measurements: How many measurements it stands for.
        attributes: Attributes of the point.
        process: The process that made it.
    """

    name: str
    unit: str
    kind: str
    time_unix_nano: int
    value: float
    low: float
    high: float
    measurements: int
    attributes: dict[str, Any]
    process: Process


class LogRecord(NamedTuple):
    """One log record.

    Attributes:
        time_unix_nano: When it was made.
        severity: Severity text, or "severity <number>" without one.
        body: The message as text.
        attributes: Its attributes.
        process: The process that made it.
        raw: The OTLP-JSON record as it was read.
    """

    time_unix_nano: int
    severity: str
    body: str
    attributes: dict[str, Any]
    process: Process
    raw: dict[str, Any]


def _scope_group(scope_spans: dict[str, Any]) -> str | None:
    scope = scope_spans.get("scope")
    if not isinstance(scope, dict):
        return None
    group = attribute(cast("dict[str, Any]", scope).get("attributes"), _GROUP_KEY)
    return group if isinstance(group, str) else None


def span_fields(raw: dict[str, Any]) -> tuple[str, str, str, int, int] | None:
    """Name, span id, parent span id, start and end of an OTLP-JSON span; None for no such thing."""
    try:
        name = raw["name"]
        span_id = raw["spanId"]
        parent = raw.get("parentSpanId") or ""
        start = int(raw["startTimeUnixNano"])
        end = int(raw["endTimeUnixNano"])
    except SHAPE_ERRORS:
        return None
    if (
        name.__class__ is not str
        or span_id.__class__ is not str
        or parent.__class__ is not str
        or not 0 <= start <= MAX_NANO
        or not 0 < end <= MAX_NANO
    ):
        return None
    # A clock that was set back must not make a negative duration.
    return name, span_id, parent, start, max(start, end)


def is_failed(raw: dict[str, Any]) -> bool:
    """Whether the status of an OTLP-JSON span is error."""
    status = raw.get("status")
    if not isinstance(status, dict):
        return False
    code = cast("dict[str, Any]", status).get("code")
    return code in (STATUS_ERROR, "STATUS_CODE_ERROR")


def decode_spans(
    resource_spans: dict[str, Any], process: Process, damaged: Callable[[], None]
) -> Iterator[Span]:
    """The spans of one `resourceSpans` entry; `damaged` is called for each unusable one."""
    for block in decode_span_blocks(resource_spans, process, damaged):
        for raw in block.spans:
            found = span_fields(raw)
            if found is None:
                damaged()
                continue
            name, span_id, parent, start, end = found
            yield Span(name, block.group, span_id, parent, start, end, process, raw)


class SpanBlock(NamedTuple):
    """Spans of one process and group as they were read, for those who cannot afford a `Span` each.

    Attributes:
        process: The process that made them.
        group: Span group, None where the writer did not record it.
        spans: The OTLP-JSON spans, unchecked.
        damaged: To be called for each unusable one.
    """

    process: Process
    group: str | None
    spans: list[dict[str, Any]]
    damaged: Callable[[], None]


def decode_span_blocks(
    resource_spans: dict[str, Any], process: Process, damaged: Callable[[], None]
) -> Iterator[SpanBlock]:
    """The spans of one `resourceSpans` entry, one block per scope."""
    for scope_spans in items(resource_spans, "scopeSpans"):
        yield SpanBlock(process, _scope_group(scope_spans), items(scope_spans, "spans"), damaged)


def decode_points(
    resource_metrics: dict[str, Any], process: Process, damaged: Callable[[], None]
) -> Iterator[Point]:
    """The points of one `resourceMetrics` entry; `damaged` is called for each unusable one."""
    for scope_metrics in items(resource_metrics, "scopeMetrics"):
        for metric in items(scope_metrics, "metrics"):
            for kind in _POINT_KINDS:
                for raw in items(metric.get(kind), "dataPoints"):
                    point = _point_or_none(metric, kind, raw, process)
                    if point is None:
                        damaged()
                    else:
                        yield point


def _point_or_none(
    metric: dict[str, Any], kind: str, raw: dict[str, Any], process: Process
) -> Point | None:
    try:
        return _point(metric, kind, raw, process)
    except SHAPE_ERRORS:
        return None


def _point(metric: dict[str, Any], kind: str, raw: dict[str, Any], process: Process) -> Point:
    name, unit = metric["name"], metric.get("unit", "")
    if not isinstance(name, str) or not isinstance(unit, str):
        raise TypeError(name)
    time_unix_nano = _nano(raw["timeUnixNano"])
    if kind in {"gauge", "sum"}:
        value = float(raw["asDouble"] if "asDouble" in raw else int(raw["asInt"]))
        low = high = value
        count = 1
    else:
        count = int(raw.get("count", 0))
        value = float(raw.get("sum", 0.0)) / count if count > 0 else math.nan
        low, high = float(raw.get("min", value)), float(raw.get("max", value))
    labels = attributes(raw.get("attributes"))
    return Point(name, unit, kind, time_unix_nano, value, low, high, count, labels, process)


def decode_logs(
    resource_logs: dict[str, Any], process: Process, damaged: Callable[[], None]
) -> Iterator[LogRecord]:
    """The records of one `resourceLogs` entry; `damaged` is called for each unusable one."""
    for scope_logs in items(resource_logs, "scopeLogs"):
        for raw in items(scope_logs, "logRecords"):
            record = _log_record(raw, process)
            if record is None:
                damaged()
            else:
                yield record


def _log_record(raw: dict[str, Any], process: Process) -> LogRecord | None:
    try:
        time_unix_nano = _nano(raw.get("timeUnixNano") or raw.get("observedTimeUnixNano") or 0)
    except SHAPE_ERRORS:
        return None
    text = raw.get("severityText")
    severity = text if isinstance(text, str) and text else _severity(raw.get("severityNumber"))
    body = any_value(raw.get("body"))
    message = "" if body is None else str(body)
    labels = attributes(raw.get("attributes"))
    return LogRecord(time_unix_nano, severity, message, labels, process, raw)


def _severity(number: Any) -> str:
    return f"severity {number}" if isinstance(number, (int, str)) else "unspecified"


def _nano(value: Any) -> int:
    nano = int(value)
    if not 0 <= nano <= MAX_NANO:
        raise ValueError(nano)
    return nano
