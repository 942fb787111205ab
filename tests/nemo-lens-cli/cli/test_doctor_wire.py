# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What speaks at the other end of a connection, with servers that do not answer as they should."""

from __future__ import annotations

import contextlib
import socket
import threading
import time

import pytest

from nemo.lens.cli.doctor.endpoints import endpoint_of
from nemo.lens.cli.doctor.wire import Address, Speech, what_speaks

TIMEOUT_S = 0.3


@contextlib.contextmanager
def serving(answer):
    """A server that calls `answer` with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection, contextlib.suppress(OSError):
                        answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield Address("127.0.0.1", listening.getsockname()[1])
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def hangs_up(connection):
    connection.recv(1)


def is_silent(connection):
    connection.settimeout(5)
    while connection.recv(1000):
        pass


def talks_nonsense(connection):
    connection.recv(1)
    connection.sendall(b"220 mail.example.com ESMTP\r\n" * 3)


def speaks_slowly(connection):
    connection.recv(1)
    for byte in b"HTTP/1.1 200 OK\r\n\r\n":
        connection.sendall(bytes([byte]))
        time.sleep(0.005)


@pytest.mark.parametrize("answer", [hangs_up, is_silent, talks_nonsense])
@pytest.mark.parametrize("tls", [False, True])
def test_a_server_that_is_no_collector_is_told_within_bounds(answer, tls):
    """Whatever it does, the question comes to an end, and nothing is claimed of it."""
    with serving(answer) as address:
        started = time.monotonic()
        spoken = what_speaks(address, tls=tls, first=Speech.GRPC, timeout_s=TIMEOUT_S)
        took = time.monotonic() - started

    assert spoken is Speech.NOTHING_KNOWN
    assert took < 20


def test_an_answer_may_come_byte_by_byte():
    """As it does through some tunnels."""
    with serving(speaks_slowly) as address:
        spoken = what_speaks(address, tls=False, first=Speech.GRPC, timeout_s=TIMEOUT_S)

    assert spoken is Speech.HTTP


def test_no_connection_is_an_error():
    """Nobody listens on the port."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = Address("127.0.0.1", bound.getsockname()[1])
        with pytest.raises(ConnectionRefusedError):
            what_speaks(address, tls=False, first=Speech.HTTP, timeout_s=TIMEOUT_S)


@pytest.mark.parametrize(
    ("variables", "address", "tls"),
    [
        ({}, ("localhost", 4317), False),
        ({"PROTOCOL": "http/protobuf"}, ("localhost", 4318), False),
        ({"ENDPOINT": "https://c:4317"}, ("c", 4317), True),
        ({"ENDPOINT": "http://[::1]:4317"}, ("::1", 4317), False),
        ({"ENDPOINT": "https://c", "PROTOCOL": "http/protobuf"}, ("c", 443), True),
        ({"ENDPOINT": "c:4317"}, ("c", 4317), True),
        ({"ENDPOINT": "c:4317", "INSECURE": "true"}, ("c", 4317), False),
        ({"ENDPOINT": "http://a:1", "TRACES_ENDPOINT": "http://b:2"}, ("b", 2), False),
        ({"ENDPOINT": "http://c:99999"}, ("localhost", 4317), False),
        ({"ENDPOINT": "unix:///run/collector.sock"}, None, True),
    ],
)
def test_endpoints_are_understood_as_opentelemetry_understands_them(
    without_telemetry, monkeypatch, variables, address, tls
):
    """Scheme, port, the signal's own variable, and the switch for gRPC without a scheme."""
    for name, value in variables.items():
        monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)

    endpoint = endpoint_of("traces")

    assert endpoint.address == address
    assert address is None or endpoint.tls is tls


def test_a_proxy_on_the_way_is_seen(without_telemetry, monkeypatch):
    """Unless the host is excepted."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    assert endpoint_of("traces").proxy == "http://proxy:3128"

    monkeypatch.setenv("no_proxy", "collector")
    assert not endpoint_of("traces").proxy
