# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G14 and S4: shutdown and memory while the collector is dead, silent or slow."""

from __future__ import annotations

import http.server
import json
import resource
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING

from benchmarks.children import printed_by
from benchmarks.rows import Measurement, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

PENDING = 2_000
SHUTDOWN_MS = 5_000
SPANS = 1_000_000
_FULL_AFTER = 200_000
_SLOW_ANSWER_S = 1.0
_LARGE_TIMEOUT_S = "600"


@contextmanager
def _collector(kind: str) -> Iterator[str]:
    """Start a faulty collector; gives its address."""
    if kind == "slow":
        with _slow_collector() as address:
            yield address
        return
    # Connections that nobody accepts are established all the same, and never answered.
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    if kind == "dead":
        listening.close()
    try:
        yield address
    finally:
        listening.close()


@contextmanager
def _slow_collector() -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(_SLOW_ANSWER_S)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *arguments: object) -> None:
            """Say nothing about a client that has ended."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _in_child(what: str, protocol: str, kind: str, **variables: str) -> float:
    with _collector(kind) as address:
        environment = {
            "NEMO_LENS_ENABLED": "1",
            "NEMO_LENS_SPAN_GROUPS": "all",
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
            "OTEL_EXPORTER_OTLP_ENDPOINT": address,
            **variables,
        }
        told = printed_by("benchmarks.collector_faults", what, environment=environment)
        return float(json.loads(told))


def _shutdown_s() -> float:
    from nemo.lens import NemoLensConfig, managed_span, setup_telemetry

    handle = setup_telemetry(NemoLensConfig.from_env())
    for number in range(PENDING):
        with managed_span("step", "train.step", i=number):
            pass
    begun = time.perf_counter()
    handle.shutdown(timeout_ms=SHUTDOWN_MS)
    return time.perf_counter() - begun


def _memory_growth() -> float:
    """Give the largest memory after all spans, as a multiple of that once the queue is full."""
    from nemo.lens import NemoLensConfig, managed_span, setup_telemetry

    handle = setup_telemetry(NemoLensConfig.from_env())
    once_full = 0
    for number in range(SPANS):
        with managed_span("step", "train.step", i=number, b="x", c=1.5):
            pass
        if number == _FULL_AFTER:
            once_full = _largest_memory()
    growth = _largest_memory() / once_full
    handle.shutdown(timeout_ms=100)
    return growth


def _largest_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _shutdowns() -> Measurement:
    cases = list(product(("http/protobuf", "grpc"), ("dead", "silent"), ("", _LARGE_TIMEOUT_S)))
    with ThreadPoolExecutor(len(cases)) as pool:
        taken = list(
            pool.map(
                lambda case: _in_child(
                    "shutdown", case[0], case[1], OTEL_EXPORTER_OTLP_TIMEOUT=case[2]
                ),
                cases,
            )
        )
    detail: dict[str, float | str] = {
        f"{protocol} {kind} timeout {timeout or 'default'}_s": seconds
        for (protocol, kind, timeout), seconds in zip(cases, taken, strict=True)
    }
    return Measurement(max(taken), detail)


def _memory() -> Measurement:
    detail: dict[str, float | str] = {
        f"{protocol} {kind}": _in_child("memory", protocol, kind)
        for protocol, kind in (
            ("http/protobuf", "slow"),
            ("http/protobuf", "dead"),
            ("grpc", "dead"),
        )
    }
    return Measurement(max(float(growth) for growth in detail.values()), detail)


ROWS = (
    Row(
        "G14",
        "shutdown(timeout_ms=5000), dead or silent collector, 2000 spans pending: seconds",
        5.5,
        _shutdowns,
        "28 to 40 s",
    ),
    Row(
        "S4",
        "memory after 1,000,000 spans, collector slow or dead / memory once the queue is full",
        1.1,
        _memory,
    ),
)

if __name__ == "__main__":
    print(json.dumps(_shutdown_s() if sys.argv[1] == "shutdown" else _memory_growth()))
