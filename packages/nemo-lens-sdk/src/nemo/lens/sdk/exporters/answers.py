# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a collector says in its answers: how much it did not keep, and when to come back."""

from __future__ import annotations

import json
import math
import time
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from nemo.lens.sdk.exporters.otlp_variables import Signal

_LONGEST_WAIT_S: Final = 300.0
"""A collector that asks for more must not silence a process for the rest of its run."""

_REJECTED: Final = {
    "traces": ("spans", "trace.v1.trace_service_pb2", "ExportTraceServiceResponse"),
    "metrics": ("data_points", "metrics.v1.metrics_service_pb2", "ExportMetricsServiceResponse"),
    "logs": ("log_records", "logs.v1.logs_service_pb2", "ExportLogsServiceResponse"),
}


class PartialSuccess(NamedTuple):
    """What a collector did not keep of a batch that it accepted.

    Attributes:
        rejected: Number of spans, data points or log records.
        message: Its reason, or advice when it kept them all.
    """

    rejected: int = 0
    message: str = ""


def partial_success(signal: Signal, message: Any) -> PartialSuccess:
    """Read it from an official response message."""
    told = message.partial_success
    rejected = getattr(told, f"rejected_{_REJECTED[signal][0]}")
    return PartialSuccess(max(0, rejected), told.error_message)


def partial_success_of_body(signal: Signal, body: bytes, content_type: str) -> PartialSuccess:
    """Read it from the body of an HTTP answer; what is no such answer rejects nothing."""
    try:
        if content_type.startswith("application/json"):
            return _from_json(signal, body)
        _noun, module, name = _REJECTED[signal]
        messages = import_module(f"opentelemetry.proto.collector.{module}")
        return partial_success(signal, getattr(messages, name).FromString(body))
    except Exception:
        return PartialSuccess()


def _from_json(signal: Signal, body: bytes) -> PartialSuccess:
    told: dict[str, Any] = json.loads(body or b"{}").get("partialSuccess") or {}
    key = "rejected" + _REJECTED[signal][0].title().replace("_", "")
    return PartialSuccess(max(0, int(told.get(key) or 0)), str(told.get("errorMessage") or ""))


def wait_of_header(value: str | None) -> float:
    """Give the seconds that a `Retry-After` header asks for, as a number or as a date."""
    if value is None:
        return 0.0
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    return _bounded(seconds)


def wait_of_trailers(error: Any) -> float:
    """Give the seconds that the `RetryInfo` of a gRPC status asks for."""
    try:
        retry_info = import_module("google.rpc.error_details_pb2").RetryInfo
        content = dict(error.trailing_metadata())["google.rpc.retryinfo-bin"]
        delay = retry_info.FromString(content).retry_delay
        return _bounded(delay.seconds + delay.nanos / 1e9)
    except Exception:  # most answers have none, and some errors no trailers at all
        return 0.0


def _seconds_until(date: str) -> float:
    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except (TypeError, ValueError):
        return 0.0


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), _LONGEST_WAIT_S) if math.isfinite(seconds) else 0.0
