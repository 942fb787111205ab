# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Export over OTLP with the official exporter classes, which parse their own variables."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlparse

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.export_queue import Outcome, Sink
from nemo.lens.sdk.noise import quieten_exporters, warn_once_a_minute

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nemo.lens.sdk.exporters.wire import Attempt

_logger = logging.getLogger(__name__)

Signal = Literal["traces", "metrics", "logs"]
GRPC, HTTP_PROTOBUF, HTTP_JSON = "grpc", "http/protobuf", "http/json"
_PROTOCOLS = (GRPC, HTTP_PROTOBUF, HTTP_JSON)
_HTTP_PORT, _GRPC_PORT = 4318, 4317
_CREDENTIAL_PROVIDERS = (
    "OTEL_PYTHON_EXPORTER_OTLP_HTTP_CREDENTIAL_PROVIDER",
    "OTEL_PYTHON_EXPORTER_OTLP_HTTP_TRACES_CREDENTIAL_PROVIDER",
    "OTEL_PYTHON_EXPORTER_OTLP_HTTP_METRICS_CREDENTIAL_PROVIDER",
    "OTEL_PYTHON_EXPORTER_OTLP_HTTP_LOGS_CREDENTIAL_PROVIDER",
)


def protocol_of(signal: Signal) -> str:
    """Choose the protocol of a signal.

    The signal's own variable wins over the common one. Without either, an endpoint on port 4318 or
    with a `/v1/` path means HTTP, anything else gRPC. An unknown protocol is one warning that
    lists the valid ones, and gRPC.
    """
    for name in (f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        value = os.environ.get(name, "").strip().lower()
        if value in _PROTOCOLS:
            return value
        if value:
            _logger.warning(
                "%s=%r is no OTLP protocol (expected one of %s); %s is used",
                name,
                value,
                ", ".join(_PROTOCOLS),
                GRPC,
            )
            return GRPC
    endpoint = _endpoint(signal)
    return HTTP_PROTOBUF if _port(endpoint) == _HTTP_PORT or "/v1/" in endpoint else GRPC


def build_exporter(signal: Signal, attempt: Attempt) -> Any:
    """Build the official exporter of a signal, watched by `attempt`.

    Raises:
        ImportError: The package of the chosen protocol is not installed; the text names it.
    """
    protocol = protocol_of(signal)
    try:
        exporter = (
            _build_grpc(signal, attempt)
            if protocol == GRPC
            else _build_http(signal, attempt, as_json=protocol == HTTP_JSON)
        )
    except ModuleNotFoundError as error:
        package = "grpc" if protocol == GRPC else "http"
        raise ImportError(
            f"exporting {signal} over {protocol} needs the package "
            f"opentelemetry-exporter-otlp-proto-{package} ({error}). "
            "Install with: pip install nemo-lens-sdk"
        ) from error
    _otel_private.isolate_random_streams()
    quieten_exporters()
    return exporter


class OtlpSink(Sink):
    """Sends batches of one signal, and repairs a batch that cannot be encoded.

    Args:
        signal: The signal.
        repair: Makes a batch encodable.
    """

    def __init__(self, signal: Signal, repair: Callable[[Any], Any]) -> None:
        from nemo.lens.sdk.exporters.wire import Attempt

        self._signal: Signal = signal
        self._repair = repair
        self._attempt = Attempt(self._report)
        self.exporter = build_exporter(signal, self._attempt)

    def send(self, batch: Sequence[Any]) -> Outcome:
        """Send a batch; what a collector refuses for good is not tried again."""
        data: Any = batch[0] if self._signal == "metrics" else batch
        outcome = self._try(data)
        if outcome is not Outcome.DELIVERED and not self._attempt.was_sent:
            outcome = self._try(self._repair(data))
        return outcome

    def close(self) -> None:
        """Shut the exporter down."""
        self.exporter.shutdown()

    def _try(self, data: Any) -> Outcome:
        self._attempt.begin()
        try:
            result = self.exporter.export(data)
        except Exception as error:
            if not self._attempt.was_sent:
                self._attempt.failed(error)
                return Outcome.REFUSED
        else:
            if result.name == "SUCCESS":
                return Outcome.DELIVERED
            if not self._attempt.was_sent:
                return Outcome.REFUSED
        return Outcome.RETRY if self._attempt.can_be_retried else Outcome.REFUSED

    def _report(self) -> None:
        again = "it is tried again" if self._attempt.can_be_retried else "the batch is dropped"
        warn_once_a_minute(
            f"otlp {self._signal}",
            "export of %s to %s over %s failed (%s); %s%s",
            self._signal,
            _endpoint(self._signal) or "the default endpoint",
            protocol_of(self._signal),
            self._attempt.reason,
            again,
            _hint(self._signal),
        )


def _build_grpc(signal: Signal, attempt: Attempt) -> Any:
    # Without it a channel built in a forked child hangs on threads that only the parent has.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "1")
    from nemo.lens.sdk.exporters.wire import WatchedStub

    exporter_class: Any
    if signal == "traces":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        exporter_class = OTLPSpanExporter
    elif signal == "metrics":
        from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter

        exporter_class = OTLPMetricExporter
    else:
        exporter_class = _otel_private.otlp_log_exporter_class(grpc=True)
    if signal == "traces":
        exporter_class = _otel_private.sending_bytes(_directly_encoding(exporter_class))
    exporter_class = _otel_private.watching_grpc_exporter(
        exporter_class, lambda stub: WatchedStub(stub, attempt)
    )
    return exporter_class(compression=_grpc_compression(signal))


def _grpc_compression(signal: Signal) -> Any:
    """Read the compression as the specification has it: the exporter itself refuses "none"."""
    import grpc  # type: ignore[import-untyped]

    known = {"gzip": grpc.Compression.Gzip, "deflate": grpc.Compression.Deflate}
    for name in (
        f"OTEL_EXPORTER_OTLP_{signal.upper()}_COMPRESSION",
        "OTEL_EXPORTER_OTLP_COMPRESSION",
    ):
        value = os.environ.get(name, "").strip().lower()
        if value:
            return known.get(value, grpc.Compression.NoCompression)
    return grpc.Compression.NoCompression


def _build_http(signal: Signal, attempt: Attempt, *, as_json: bool) -> Any:
    from nemo.lens.sdk.exporters.wire import WatchedSession

    exporter_class: Any
    if signal == "traces":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        exporter_class = OTLPSpanExporter
    elif signal == "metrics":
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        exporter_class = OTLPMetricExporter
    else:
        exporter_class = _otel_private.otlp_log_exporter_class(grpc=False)
    if signal == "traces":
        exporter_class = _directly_encoding(exporter_class)
    if any(os.environ.get(name) for name in _CREDENTIAL_PROVIDERS):
        return exporter_class()
    return exporter_class(session=WatchedSession(attempt, _to_json(signal) if as_json else None))


def _directly_encoding(exporter_class: Any) -> Any:
    from nemo.lens.sdk.exporters.span_protobuf import encode_spans

    return _otel_private.directly_encoding(exporter_class, encode_spans)


def _to_json(signal: Signal) -> Callable[[bytes], bytes]:
    from nemo.lens.sdk.files.messages import message_to_json

    message_class: Any
    if signal == "traces":
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceRequest,
        )

        message_class = ExportTraceServiceRequest
    elif signal == "metrics":
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
            ExportMetricsServiceRequest,
        )

        message_class = ExportMetricsServiceRequest
    else:
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
            ExportLogsServiceRequest,
        )

        message_class = ExportLogsServiceRequest
    return lambda body: message_to_json(message_class.FromString(body)).encode()


def _endpoint(signal: Signal) -> str:
    return (
        os.environ.get(f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT", "").strip()
        or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()
    )


def _port(endpoint: str) -> int | None:
    try:
        return urlparse(endpoint if "//" in endpoint else f"//{endpoint}").port
    except ValueError:
        return None


def _hint(signal: Signal) -> str:
    port, protocol = _port(_endpoint(signal)), protocol_of(signal)
    if port == _HTTP_PORT and protocol == GRPC:
        return (
            f"; port {_HTTP_PORT} usually speaks HTTP: set OTEL_EXPORTER_OTLP_PROTOCOL="
            f"{HTTP_PROTOBUF} or use port {_GRPC_PORT}"
        )
    if port == _GRPC_PORT and protocol != GRPC:
        return (
            f"; port {_GRPC_PORT} usually speaks gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL={GRPC} "
            f"or use port {_HTTP_PORT}"
        )
    return ""
