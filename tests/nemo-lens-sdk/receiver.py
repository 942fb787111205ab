# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A real OTLP receiver for tests: gRPC and HTTP on loopback, official messages, faults on demand."""

from __future__ import annotations

import gzip
import http.server
import json
import socket
import ssl
import subprocess
import threading
import time
import zlib
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.json_format import MessageToJson, ParseDict
from google.rpc.error_details_pb2 import RetryInfo
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES = {
    "traces": ExportTraceServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "logs": ExportLogsServiceRequest,
}
RESPONSES = {
    "traces": (ExportTraceServiceResponse, "rejected_spans"),
    "metrics": (ExportMetricsServiceResponse, "rejected_data_points"),
    "logs": (ExportLogsServiceResponse, "rejected_log_records"),
}


@dataclass
class Faults:
    """What goes wrong with the next requests.

    Attributes:
        statuses: HTTP statuses (or gRPC status names) for the next requests; then all is well.
        delay_s: Seconds that every answer takes.
        headers: Extra headers of failing HTTP answers.
        retry_after_s: Whole seconds that failing answers ask the client to wait.
        rejected: Items that successful answers say were not kept.
        message: The reason that they give.
        most_bytes: Largest request that is accepted; larger ones get what servers say then.
    """

    statuses: list[Any] = field(default_factory=list)
    delay_s: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    retry_after_s: int | None = None
    rejected: int = 0
    message: str = ""
    most_bytes: int | None = None

    def response(self, signal: str) -> Any:
        """The message of a successful answer."""
        response_class, field_name = RESPONSES[signal]
        response = response_class()
        if self.rejected or self.message:
            setattr(response.partial_success, field_name, self.rejected)
            response.partial_success.error_message = self.message
        return response


@dataclass(frozen=True)
class Tls:
    """Files in PEM format for a receiver that speaks TLS.

    Attributes:
        certificate: Certificate of the receiver; it is its own authority.
        key: Its private key.
        client_certificate: Certificate that a client must show; none when not given.
    """

    certificate: Path
    key: Path
    client_certificate: Path | None = None


def make_certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate of this host that is its own authority; gives it and its key."""
    certificate, key, settings = (folder / f"{name}.{kind}" for kind in ("crt", "key", "cnf"))
    settings.write_text(
        "[req]\ndistinguished_name = name\nx509_extensions = extensions\nprompt = no\n"
        f"[name]\nCN = {name}\n"
        "[extensions]\nsubjectAltName = DNS:localhost, IP:127.0.0.1\n"
        "basicConstraints = critical, CA:TRUE\n"
        "keyUsage = critical, digitalSignature, keyCertSign\n"
        "subjectKeyIdentifier = hash\nauthorityKeyIdentifier = keyid\n",
        encoding="utf-8",
    )
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    files = ["-config", settings, "-keyout", key, "-out", certificate]
    subprocess.run([*command, *files], check=True, capture_output=True)
    return certificate, key


class Received:
    """What arrived, by signal, and how."""

    def __init__(self, faults: Faults | None = None) -> None:
        self.faults = faults or Faults()
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.times: list[float] = []
        self._messages: dict[str, list[Any]] = {signal: [] for signal in MESSAGES}
        self._lock = threading.Lock()

    def accept(self, signal: str, headers: dict[str, str], message: Any) -> Any:
        """Note a request; return the status to fail with, or None."""
        with self._lock:
            self.requests.append((signal, headers))
            self.times.append(time.monotonic())
            status = self.faults.statuses.pop(0) if self.faults.statuses else None
        if self.faults.delay_s:
            time.sleep(self.faults.delay_s)
        if status is None:
            with self._lock:
                self._messages[signal].append(message)
        return status

    def spans(self) -> list[Any]:
        """Every span that arrived."""
        return [
            span
            for message in list(self._messages["traces"])
            for block in message.resource_spans
            for scope in block.scope_spans
            for span in scope.spans
        ]

    def span_names(self) -> list[str]:
        """Names of the spans that arrived."""
        return [span.name for span in self.spans()]

    def resources(self) -> list[dict[str, Any]]:
        """Resource attributes of each block of spans."""
        return [
            {pair.key: plain(pair.value) for pair in block.resource.attributes}
            for message in list(self._messages["traces"])
            for block in message.resource_spans
        ]

    def metrics(self) -> dict[str, Any]:
        """The metrics that arrived, by name; of each the last state."""
        return {
            metric.name: metric
            for message in list(self._messages["metrics"])
            for block in message.resource_metrics
            for scope in block.scope_metrics
            for metric in scope.metrics
        }

    def metric_names(self) -> set[str]:
        """Names of the metrics that arrived."""
        return set(self.metrics())

    def forget(self) -> None:
        """Start over: nothing has arrived yet."""
        with self._lock:
            self.requests.clear()
            self._messages = {signal: [] for signal in MESSAGES}

    def log_records(self) -> list[Any]:
        """Every log record that arrived."""
        return [
            record
            for message in list(self._messages["logs"])
            for block in message.resource_logs
            for scope in block.scope_logs
            for record in scope.log_records
        ]

    def log_bodies(self) -> list[Any]:
        """Bodies of the log records that arrived."""
        return [plain(record.body) for record in self.log_records()]


def _secure(listening: socket.socket, tls: Tls) -> socket.socket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls.certificate, tls.key)
    if tls.client_certificate is not None:
        context.load_verify_locations(tls.client_certificate)
        context.verify_mode = ssl.CERT_REQUIRED
    # The handshake is for the thread of a connection, not for the one that accepts.
    return context.wrap_socket(listening, server_side=True, do_handshake_on_connect=False)


def plain(value: Any) -> Any:
    """An AnyValue as a Python value."""
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    content = getattr(value, kind)
    if kind == "array_value":
        return [plain(item) for item in content.values]
    if kind == "kvlist_value":
        return {pair.key: plain(pair.value) for pair in content.values}
    return content


def parse_otlp_json(text: str | bytes, message: Any) -> Any:
    """Read OTLP-JSON into an official message; its parser wants ids as base64, not hexadecimal."""
    import base64

    def convert(node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                convert(item)
        elif isinstance(node, dict):
            for key, value in node.items():
                if key in {"traceId", "spanId", "parentSpanId"}:
                    node[key] = base64.b64encode(bytes.fromhex(value)).decode()
                else:
                    convert(value)

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no JSON")

    content = json.loads(text, parse_constant=refuse)
    convert(content)
    return ParseDict(content, message)


class _HttpHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    received: Received

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        faults = self.received.faults
        if len(body) > (faults.most_bytes or len(body)):
            self._answer(413, {}, b"")
            return
        signal = self.path.rpartition("/")[2]
        kind = self.headers.get("content-type", "")
        headers = {key.lower(): value for key, value in self.headers.items()}
        status = self.received.accept(signal, headers, self._message(signal, kind, body))
        if status is not None:
            asked = faults.retry_after_s
            wait = {} if asked is None else {"retry-after": str(asked)}
            self._answer(status, {**faults.headers, **wait}, b"")
            return
        response = faults.response(signal)
        in_json = kind == "application/json"
        content = MessageToJson(response).encode() if in_json else response.SerializeToString()
        self._answer(200, {"content-type": kind}, content)

    def _message(self, signal: str, kind: str, body: bytes) -> Any:
        encoding = self.headers.get("content-encoding", "")
        if encoding == "gzip":
            body = gzip.decompress(body)
        elif encoding == "deflate":
            body = zlib.decompress(body)
        message = MESSAGES[signal]()
        if kind == "application/json":
            return parse_otlp_json(body, message)
        message.ParseFromString(body)
        return message

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        with suppress(OSError):
            self.send_response(status)
            for key, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        pass


class HttpReceiver(Received):
    """OTLP over HTTP, protobuf and JSON, gzip and deflate."""

    def __init__(self, faults: Faults | None = None, port: int = 0, tls: Tls | None = None) -> None:
        super().__init__(faults)
        self._scheme = "https" if tls else "http"
        handler = type("Handler", (_HttpHandler,), {"received": self})

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *arguments: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", port), handler)
        if tls is not None:
            self._server.socket = _secure(self._server.socket, tls)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def environment(self, protocol: str = "http/protobuf") -> dict[str, str]:
        """Variables that point an exporter here."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"{self._scheme}://127.0.0.1:{self.port}",
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
        }

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class GrpcReceiver(Received):
    """OTLP over gRPC."""

    def __init__(self, faults: Faults | None = None, port: int = 0, tls: Tls | None = None) -> None:
        super().__init__(faults)
        received = self
        self._scheme = "https" if tls else "http"
        names = {"trace": "traces", "metrics": "metrics", "logs": "logs"}

        class Services(grpc.GenericRpcHandler):
            def service(self, details: Any) -> Any:
                signal = names[details.method.split(".")[3]]
                metadata = {key: str(value) for key, value in details.invocation_metadata}

                def export(body: bytes, context: Any) -> bytes:
                    message = MESSAGES[signal].FromString(body)
                    status = received.accept(signal, metadata, message)
                    if status is not None:
                        asked = received.faults.retry_after_s
                        if asked is not None:
                            info = RetryInfo()
                            info.retry_delay.seconds = asked
                            trailer = ("google.rpc.retryinfo-bin", info.SerializeToString())
                            context.set_trailing_metadata((trailer,))
                        context.abort(getattr(grpc.StatusCode, status), "on purpose")
                    return received.faults.response(signal).SerializeToString()

                return grpc.unary_unary_rpc_method_handler(export)

        most_bytes = self.faults.most_bytes or -1
        self._server = grpc.server(
            futures.ThreadPoolExecutor(4),
            options=[("grpc.max_receive_message_length", most_bytes)],
        )
        self._server.add_generic_rpc_handlers((Services(),))
        address = f"127.0.0.1:{port}"
        if tls is None:
            self.port = self._server.add_insecure_port(address)
        else:
            authority = tls.client_certificate and tls.client_certificate.read_bytes()
            credentials = grpc.ssl_server_credentials(
                [(tls.key.read_bytes(), tls.certificate.read_bytes())],
                root_certificates=authority,
                require_client_auth=authority is not None,
            )
            self.port = self._server.add_secure_port(address, credentials)
        self._server.start()

    def environment(self, protocol: str = "grpc") -> dict[str, str]:
        """Variables that point an exporter here."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"{self._scheme}://127.0.0.1:{self.port}",
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
        }

    def close(self) -> None:
        """Stop listening."""
        self._server.stop(0).wait()


class BrokenCollector:
    """Accepts connections and does not speak OTLP, over whichever protocol the client tries.

    Args:
        how: `"never answers"`, `"closes"` after the first bytes, `"half-closes"`: ends its own side
            and goes on reading, or `"breaks off"` in the middle of an answer.
        protocol: What the client speaks, for the beginning of an answer.
        port: Where to listen; any free port when not given.
    """

    def __init__(self, how: str, protocol: str, port: int = 0) -> None:
        self._how = how
        self._answer = (
            b"\x00\x00\x12\x04\x00"
            if protocol == "grpc"
            else b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"
        )
        self._listening = socket.create_server(("127.0.0.1", port))
        self._clients: list[socket.socket] = []
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            self._clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            client.recv(1)
            if self._how == "breaks off":
                client.sendall(self._answer)
            if self._how == "half-closes":
                client.shutdown(socket.SHUT_WR)
            while self._how not in {"closes", "breaks off"} and client.recv(65_536):
                pass
        client.close()

    def close(self) -> None:
        """Stop listening, and end every connection."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        for client in self._clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
