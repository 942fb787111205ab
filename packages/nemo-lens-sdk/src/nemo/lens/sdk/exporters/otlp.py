# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Export over OTLP with the official exporter classes, which parse their own variables."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlparse

from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.sdk import _otel_private, otel_environment
from nemo.lens.sdk.export_queue import Outcome, Sink
from nemo.lens.sdk.noise import quieten_exporters, warn_once_a_minute
from nemo.lens.sdk.random_streams import isolate_random_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nemo.lens.sdk.exporters.wire import Attempt

Signal = Literal["traces", "metrics", "logs"]
GRPC, HTTP_PROTOBUF, HTTP_JSON = "grpc", "http/protobuf", "http/json"


class _Official(NamedTuple):
    """Where OpenTelemetry has what belongs to a signal, below its packages of each transport."""

    module: str
    exporter_class: str
    request_module: str
    request_class: str


_OFFICIAL: dict[Signal, _Official] = {
    "traces": _Official(
        "trace_exporter",
        "OTLPSpanExporter",
        "trace.v1.trace_service_pb2",
        "ExportTraceServiceRequest",
    ),
    "metrics": _Official(
        "metric_exporter",
        "OTLPMetricExporter",
        "metrics.v1.metrics_service_pb2",
        "ExportMetricsServiceRequest",
    ),
    "logs": _Official(
        _otel_private.OTLP_LOG_EXPORTER,
        "OTLPLogExporter",
        "logs.v1.logs_service_pb2",
        "ExportLogsServiceRequest",
    ),
}
_HTTP_SESSION = "OTEL_PYTHON_EXPORTER_OTLP_HTTP"
_HTTP_PORT, _GRPC_PORT = 4318, 4317


def protocol_of(signal: Signal) -> str:
    """Choose the protocol of a signal.

    The signal's own variable wins over the common one. Without either, an endpoint on port 4318 or
    with a `/v1/` path means HTTP, anything else gRPC. An unknown protocol counts as none, with one
    warning that lists the valid ones.
    """
    protocol: str | None = _setting(signal, "PROTOCOL")
    if protocol:
        return protocol
    endpoint = _endpoint(signal)
    return HTTP_PROTOBUF if _port(endpoint) == _HTTP_PORT or "/v1/" in endpoint else GRPC


def build_exporter(signal: Signal, protocol: str, attempt: Attempt) -> Any:
    """Build the official exporter of a signal, watched by `attempt`.

    Raises:
        ImportError: The package of the chosen protocol is not installed; the text names it.
    """
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
    isolate_random_streams()
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
        self._protocol = protocol_of(signal)
        self._endpoint = _endpoint(signal)
        self._repair = repair
        self._attempt = Attempt(self._report)
        self.exporter = build_exporter(signal, self._protocol, self._attempt)

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
            self._endpoint or "the default endpoint",
            self._protocol,
            self._attempt.reason,
            again,
            _hint(self._endpoint, self._protocol),
        )


def _build_grpc(signal: Signal, attempt: Attempt) -> Any:
    # Without it a channel built in a forked child hangs on threads that only the parent has.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "1")
    from nemo.lens.sdk.exporters.wire import WatchedStub

    exporter_class = _exporter_class(signal, "grpc")
    exporter_class = _otel_private.watching_grpc_exporter(
        exporter_class, lambda stub: WatchedStub(stub, attempt)
    )
    with otel_environment.without_garbage():
        return exporter_class(compression=_grpc_compression(signal))


def _grpc_compression(signal: Signal) -> Any:
    """Read the compression as the specification has it: the exporter itself refuses "none"."""
    import grpc  # type: ignore[import-untyped]

    known = {"gzip": grpc.Compression.Gzip, "deflate": grpc.Compression.Deflate}
    return known.get(_setting(signal, "COMPRESSION"), grpc.Compression.NoCompression)


def _build_http(signal: Signal, attempt: Attempt, *, as_json: bool) -> Any:
    from nemo.lens.sdk.exporters.wire import WatchedSession

    exporter_class = _exporter_class(signal, "http")
    options: dict[str, Any] = {}
    if not any(_setting(each, "CREDENTIAL_PROVIDER", of=_HTTP_SESSION) for each in _OFFICIAL):
        options["session"] = WatchedSession(attempt, _to_json(signal) if as_json else None)
    with otel_environment.without_garbage():
        return exporter_class(**options)


def _exporter_class(signal: Signal, transport: Literal["grpc", "http"]) -> Any:
    official = _OFFICIAL[signal]
    exporters = import_module(f"opentelemetry.exporter.otlp.proto.{transport}.{official.module}")
    return getattr(exporters, official.exporter_class)


def _to_json(signal: Signal) -> Callable[[bytes], bytes]:
    from nemo.lens.sdk.files.messages import message_to_json

    official = _OFFICIAL[signal]
    requests = import_module(f"opentelemetry.proto.collector.{official.request_module}")
    message_class = getattr(requests, official.request_class)
    return lambda body: message_to_json(message_class.FromString(body)).encode()


def _endpoint(signal: Signal) -> str:
    return _setting(signal, "ENDPOINT") or ""


def _setting(signal: Signal, name: str, *, of: str = "OTEL_EXPORTER_OTLP") -> Any:
    """Read a variable of the signal, else the one that all signals share; None without either."""
    own = read_foreign_variable(f"{of}_{signal.upper()}_{name}")
    return read_foreign_variable(f"{of}_{name}") if own is None else own


def _port(endpoint: str) -> int | None:
    try:
        return urlparse(endpoint if "//" in endpoint else f"//{endpoint}").port
    except ValueError:
        return None


def _hint(endpoint: str, protocol: str) -> str:
    port = _port(endpoint)
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
