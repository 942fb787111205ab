# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Export over OTLP with the official exporter classes, which parse their own variables."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from nemo.lens.sdk import _otel_private, otel_environment
from nemo.lens.sdk.export_queue import Outcome, Sink
from nemo.lens.sdk.exporters.connection import credentials_for, usable_variables
from nemo.lens.sdk.exporters.otlp_variables import (
    GRPC,
    HTTP_JSON,
    endpoint_of,
    hint,
    protocol_of,
    read,
    uses_tls,
)
from nemo.lens.sdk.noise import quieten_exporters, warn_once_a_minute
from nemo.lens.sdk.random_streams import isolate_random_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nemo.lens.sdk.exporters.otlp_variables import Signal
    from nemo.lens.sdk.exporters.wire import Attempt


class _Official(NamedTuple):
    """Where OpenTelemetry has what belongs to a signal, below its packages of each transport."""

    module: str
    exporter_class: str
    encoder: str
    request_module: str
    request_class: str


_OFFICIAL: dict[Signal, _Official] = {
    "traces": _Official(
        "trace_exporter",
        "OTLPSpanExporter",
        "encode_spans",
        "trace.v1.trace_service_pb2",
        "ExportTraceServiceRequest",
    ),
    "metrics": _Official(
        "metric_exporter",
        "OTLPMetricExporter",
        "encode_metrics",
        "metrics.v1.metrics_service_pb2",
        "ExportMetricsServiceRequest",
    ),
    "logs": _Official(
        _otel_private.OTLP_LOG_EXPORTER,
        "OTLPLogExporter",
        "encode_logs",
        "logs.v1.logs_service_pb2",
        "ExportLogsServiceRequest",
    ),
}

_RECONNECTION = tuple(
    (f"grpc.{which}_reconnect_backoff_ms", pause_ms)
    for which, pause_ms in (("initial", 1000), ("min", 10_000), ("max", 10_000))
)


def build_exporter(
    signal: Signal, protocol: str, attempt: Attempt, encode: Callable[[Any], Any] | None = None
) -> Any:
    """Build the official exporter of a signal, watched by `attempt`.

    Args:
        signal: The signal.
        protocol: As `OTEL_EXPORTER_OTLP_PROTOCOL` calls it.
        attempt: Told about what is sent and what comes back.
        encode: Makes the request message of a batch; ours for spans, and the official encoder for
            the other signals, when None.

    Raises:
        ImportError: The package of the chosen protocol is not installed; the text names it.
    """
    build = _build_grpc if protocol == GRPC else _build_http
    try:
        with otel_environment.without_garbage():
            exporter = build(signal, protocol, attempt, encode)
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
        encode: As for `build_exporter`.
        one_by_one: Whether a batch is one item, which the exporter takes by itself.
    """

    def __init__(
        self,
        signal: Signal,
        repair: Callable[[Any], Any],
        *,
        encode: Callable[[Any], Any] | None = None,
        one_by_one: bool = False,
    ) -> None:
        from nemo.lens.sdk.exporters.wire import Attempt

        self._signal: Signal = signal
        self._protocol = protocol_of(signal)
        self._endpoint = endpoint_of(signal, self._protocol)
        self._repair = repair
        self._one_by_one = one_by_one
        self._attempt = Attempt(signal, self._report)
        self.exporter = build_exporter(signal, self._protocol, self._attempt, encode)

    def send(self, batch: Sequence[Any]) -> Outcome:
        """Send a batch; a collector's answer decides what is to be done with it."""
        data: Any = batch[0] if self._one_by_one else batch
        outcome = self._try(data)
        if not self._attempt.was_sent:
            outcome = self._try(self._repair(data))
            if not self._attempt.was_sent:
                # Too large for the exporter, or one item is beyond repair: halves may fit.
                outcome = Outcome.TOO_LARGE
        self.rejected = self._attempt.rejected
        self.retry_after_s = self._attempt.retry_after_s
        return outcome

    @property
    def reason(self) -> str:
        """What came back from the last attempt, for people."""
        return self._attempt.reason

    def close(self) -> None:
        """Shut the exporter down."""
        self.exporter.shutdown()

    def _try(self, data: Any) -> Outcome:
        attempt = self._attempt
        attempt.begin()
        try:
            self.exporter.export(data)
        except Exception as error:
            if not attempt.was_sent:
                attempt.could_not_encode(error)
        return attempt.outcome

    def _report(self) -> None:
        what_happens = {
            Outcome.DELIVERED: f"it did not keep {self._attempt.rejected}",
            Outcome.RETRY: "it is tried again",
            Outcome.TOO_LARGE: "it is sent in smaller parts",
            Outcome.REFUSED: "the batch is dropped",
        }[self._attempt.outcome]
        warn_once_a_minute(
            f"otlp {self._signal}",
            "export of %s to %s over %s failed (%s); %s%s",
            self._signal,
            self._endpoint or "the default endpoint",
            self._protocol,
            self._attempt.reason,
            what_happens,
            hint(self._endpoint, self._protocol),
        )


def _build_grpc(
    signal: Signal, _protocol: str, attempt: Attempt, encode: Callable[[Any], Any] | None
) -> Any:
    from nemo.lens.sdk.exporters.grpc_forks import with_fork_support
    from nemo.lens.sdk.exporters.wire import WatchedStub

    with with_fork_support():
        exporter_class = _exporter_class(signal, "grpc", encode)
        if signal == "traces":
            exporter_class = _otel_private.sending_bytes(exporter_class)
        exporter_class = _otel_private.watching_grpc_exporter(
            exporter_class, lambda stub: WatchedStub(stub, attempt)
        )
        return _built(
            exporter_class,
            signal,
            GRPC,
            compression=_grpc_compression(signal),
            credentials=credentials_for(signal, "grpc") if uses_tls(signal, GRPC) else None,
            **_channel_options(exporter_class),
        )


def _channel_options(exporter_class: Any) -> dict[str, Any]:
    """Bound the pauses between attempts to connect, where the release has such options.

    Left alone they grow to two minutes, for which a collector that is back goes on missing.
    """
    if "channel_options" not in signature(exporter_class).parameters:
        return {}
    return {"channel_options": _RECONNECTION}


def _grpc_compression(signal: Signal) -> Any:
    """Read the compression as the specification has it: the exporter itself refuses "none"."""
    import grpc  # type: ignore[import-untyped]

    known = {"gzip": grpc.Compression.Gzip, "deflate": grpc.Compression.Deflate}
    return known.get(read(signal, "COMPRESSION"), grpc.Compression.NoCompression)


def _build_http(
    signal: Signal, protocol: str, attempt: Attempt, encode: Callable[[Any], Any] | None
) -> Any:
    import requests

    from nemo.lens.sdk.exporters.wire import watch_session

    session = credentials_for(signal, "http") or requests.Session()
    to_json = _to_json(signal) if protocol == HTTP_JSON else None
    return _built(
        _exporter_class(signal, "http", encode),
        signal,
        protocol,
        session=watch_session(session, attempt, to_json),
    )


def _built(exporter_class: Any, signal: Signal, protocol: str, **options: Any) -> Any:
    timeout = read(signal, "TIMEOUT")
    with otel_environment.with_variables(usable_variables(signal, protocol)):
        return exporter_class(timeout=timeout, **options)


def _exporter_class(
    signal: Signal, transport: Literal["grpc", "http"], encode: Callable[[Any], Any] | None
) -> Any:
    official = _OFFICIAL[signal]
    exporters = import_module(f"opentelemetry.exporter.otlp.proto.{transport}.{official.module}")
    exporter_class = getattr(exporters, official.exporter_class)
    if encode is None and signal != "traces":
        return exporter_class
    isolate_random_streams()  # the class below keeps the globals that it finds now
    return _otel_private.directly_encoding(
        exporter_class, official.encoder, encode or _encode_spans
    )


def _encode_spans(batch: Any) -> Any:
    from nemo.lens.sdk.exporters.span_protobuf import encode_spans

    return encode_spans(batch)


def _to_json(signal: Signal) -> Callable[[bytes], bytes]:
    from nemo.lens.sdk.files.messages import message_to_json

    official = _OFFICIAL[signal]
    requests = import_module(f"opentelemetry.proto.collector.{official.request_module}")
    message_class = getattr(requests, official.request_class)
    return lambda body: message_to_json(message_class.FromString(body)).encode()
