# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Recorded lines as the official request messages, and parts of these."""

from __future__ import annotations

import base64
import binascii
from importlib import import_module
from typing import Any, Final, NamedTuple, cast

import orjson

from nemo.lens.runs.otlp_json import is_list

SIGNALS: Final = ("traces", "metrics", "logs")
_KEYS: Final = {"resourceSpans": "traces", "resourceMetrics": "metrics", "resourceLogs": "logs"}
_MESSAGES: Final = {
    "traces": ("trace.v1.trace_service_pb2", "ExportTraceServiceRequest"),
    "metrics": ("metrics.v1.metrics_service_pb2", "ExportMetricsServiceRequest"),
    "logs": ("logs.v1.logs_service_pb2", "ExportLogsServiceRequest"),
}
_LEVELS: Final = {
    "traces": ("resource_spans", "scope_spans", "spans"),
    "metrics": ("resource_metrics", "scope_metrics", "metrics"),
    "logs": ("resource_logs", "scope_logs", "log_records"),
}
# OTLP-JSON writes ids in hex; the JSON form of protobuf has bytes in base64.
_ID_KEYS: Final = frozenset({"traceId", "spanId", "parentSpanId"})


class RequestError(ValueError):
    """A line that is no request; the message says why."""


class Request(NamedTuple):
    """One request.

    Attributes:
        signal: What it carries.
        message: The official protobuf message.
    """

    signal: str
    message: Any

    @property
    def items(self) -> int:
        """How many spans, metrics or log records it carries."""
        return sum(len(leaves) for leaves in _leaf_lists(self))

    def part(self, first: int, last: int) -> Request:
        """A request with the items from `first` up to `last`, which is left out."""
        message = type(self.message)()
        message.CopyFrom(self.message)
        place = 0
        for leaves in _leaf_lists(Request(self.signal, message)):
            count = len(leaves)
            del leaves[max(0, min(count, last - place)) :]
            del leaves[: max(0, min(len(leaves), first - place))]
            place += count
        return Request(self.signal, message)


def signal_of(line: bytes) -> str:
    """What a line carries, by the first key that says so; "" for none."""
    places = {line.find(f'"{key}"'.encode()): signal for key, signal in _KEYS.items()}
    found = [place for place in places if place >= 0]
    return places[min(found)] if found else ""


def parse(line: bytes) -> Request:
    """The request that a line holds.

    Raises:
        RequestError: It holds none.
    """
    from google.protobuf.json_format import ParseDict, ParseError

    try:
        content = orjson.loads(line)
    except ValueError as error:
        raise RequestError(f"not valid JSON ({error})") from error
    signal = next((_KEYS[key] for key in _KEYS if isinstance(content, dict) and key in content), "")
    if not signal:
        raise RequestError(f"no object with one of {', '.join(_KEYS)}")
    module, name = _MESSAGES[signal]
    message = getattr(import_module(f"opentelemetry.proto.collector.{module}"), name)()
    try:
        ParseDict(_with_protobuf_ids(content), message, ignore_unknown_fields=True)
    except (ParseError, ValueError, TypeError, RecursionError) as error:
        raise RequestError(f"not a request of OTLP ({error})") from error
    return Request(signal, message)


def _leaf_lists(request: Request) -> list[Any]:
    """The lists of items, one for each scope."""
    outer, middle, inner = _LEVELS[request.signal]
    return [
        getattr(scope, inner)
        for block in getattr(request.message, outer)
        for scope in getattr(block, middle)
    ]


def _with_protobuf_ids(value: Any) -> Any:
    if is_list(value):
        return [_with_protobuf_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _base64(item) if key in _ID_KEYS else _with_protobuf_ids(item)
        for key, item in cast("dict[str, Any]", value).items()
    }


def _base64(text: Any) -> str:
    try:
        return base64.b64encode(bytes.fromhex(text)).decode()
    except (TypeError, ValueError, binascii.Error) as error:
        raise RequestError(f"the id {text!r} is not hexadecimal") from error
