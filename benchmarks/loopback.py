# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""An OTLP receiver in a process of its own, which counts the spans that arrive."""

from __future__ import annotations

import gzip
import http.server
import subprocess
import sys
import threading
from concurrent import futures
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Receiver:
    """The receiving process, seen from the measuring one.

    Attributes:
        endpoints: The endpoint of each protocol.
    """

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.loopback"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        http_port, grpc_port = self._ask("").split()
        self.endpoints = {
            "http/protobuf": f"http://127.0.0.1:{http_port}",
            "grpc": f"http://127.0.0.1:{grpc_port}",
        }
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def spans(self) -> int:
        """Return how many spans have arrived so far."""
        return int(self._ask("count"))

    def _ask(self, question: str) -> str:
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("the receiver has no pipes")
        if question:
            self._process.stdin.write(question + "\n")
            self._process.stdin.flush()
        return self._process.stdout.readline()


def _serve() -> None:
    import grpc
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceRequest,
    )

    arrived: list[int] = []

    def count(body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        arrived.append(
            sum(len(scope.spans) for part in request.resource_spans for scope in part.scope_spans)
        )

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            count(body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            pass

    class Service(grpc.GenericRpcHandler):
        def service(self, _details: Any) -> Any:
            def export(request: bytes, _context: Any) -> bytes:
                count(request)
                return b""

            return grpc.unary_unary_rpc_method_handler(export)

    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.daemon_threads = True
    threading.Thread(target=web.serve_forever, daemon=True).start()
    rpc = grpc.server(futures.ThreadPoolExecutor(4))
    rpc.add_generic_rpc_handlers((Service(),))
    rpc_port = rpc.add_insecure_port("127.0.0.1:0")
    rpc.start()
    print(web.server_port, rpc_port, flush=True)
    for _question in sys.stdin:
        print(sum(arrived), flush=True)
    rpc.stop(None)


if __name__ == "__main__":
    _serve()
