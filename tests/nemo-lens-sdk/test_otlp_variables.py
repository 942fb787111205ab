# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's variables of the OTLP exporters, each over every protocol and for each signal."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import contextmanager

import pytest

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry

pytestmark = pytest.mark.usefixtures("clean_environment")

PROTOCOLS = ("grpc", "http/protobuf", "http/json")
SIGNALS = ("traces", "metrics", "logs")
LONG_TEXT = "x" * 200_000


def _set_up():
    config = NemoLensConfig(
        enabled=True,
        span_groups="all",
        run_id="r",
        logs_enabled=True,
        sigterm_flush=False,
    )
    return setup_telemetry(config, rank=0)


def _record_all_signals(handle, text="hello"):
    with managed_span("step", "qa.step", text=text):
        handle.meter.create_counter("qa.count").add(1, {"text": text})
        logging.getLogger("qa").warning(text)


def _arrived(receiver):
    return {
        signal
        for signal, items in (
            ("traces", receiver.span_names()),
            ("metrics", receiver.metric_names()),
            ("logs", receiver.log_bodies()),
        )
        if items
    }


@pytest.fixture
def start(receiver):
    """Start a receiver of a protocol; all are closed at the end."""
    running = []

    def start_one(protocol, **options):
        kind = receiver.GrpcReceiver if protocol == "grpc" else receiver.HttpReceiver
        running.append(kind(**options))
        return running[-1]

    yield start_one
    for each in running:
        each.close()


@pytest.fixture(scope="session")
def certificates(receiver, tmp_path_factory):
    """Certificates of a server, of a client, and of somebody else; each with its key."""
    folder = tmp_path_factory.mktemp("certificates")
    return {
        name: receiver.make_certificate(folder, name) for name in ("server", "client", "stranger")
    }


def _endpoint(receiver, protocol, signal):
    endpoint = receiver.environment(protocol)["OTEL_EXPORTER_OTLP_ENDPOINT"]
    return endpoint if protocol == "grpc" else f"{endpoint}/v1/{signal}"


@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("own", PROTOCOLS)
@pytest.mark.parametrize("common", PROTOCOLS)
def test_a_signal_may_have_a_protocol_an_endpoint_and_headers_of_its_own(
    start, clean_environment, signal, own, common
):
    """They win over the common ones, for this signal alone."""
    ours, others = start(own), start(common)
    prefix = f"OTEL_EXPORTER_OTLP_{signal.upper()}"
    clean_environment(
        **others.environment(common),
        OTEL_EXPORTER_OTLP_HEADERS="team=common",
        **{
            f"{prefix}_PROTOCOL": own,
            f"{prefix}_ENDPOINT": _endpoint(ours, own, signal),
            f"{prefix}_HEADERS": "team=own,token=a%20b",
        },
    )
    handle = _set_up()
    _record_all_signals(handle)
    assert handle.shutdown()
    assert _arrived(ours) == {signal}
    assert _arrived(others) == set(SIGNALS) - {signal}
    for _, headers in ours.requests:
        assert (headers["team"], headers["token"]) == ("own", "a b")
        if own != "grpc":
            kind = "json" if own == "http/json" else "x-protobuf"
            assert headers["content-type"] == f"application/{kind}"
    assert {headers["team"] for _, headers in others.requests} == {"common"}


@contextmanager
def _counting_proxy(port):
    """Forward connections to a port; gives the address, and the bytes that went there."""
    listening = socket.create_server(("127.0.0.1", 0))
    sent = []
    sockets = [listening]

    def forward(source, target, count):
        try:
            while chunk := source.recv(65_536):
                if count:
                    sent.append(len(chunk))
                target.sendall(chunk)
        except OSError:
            return

    def accept():
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", port))
            sockets.extend((client, server))
            for arguments in ((client, server, True), (server, client, False)):
                threading.Thread(target=forward, args=arguments, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listening.getsockname()[1], sent
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        for each in sockets:
            each.close()


@pytest.mark.integration
@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("compression", ["gzip", "deflate"])
def test_compression_of_one_signal_makes_it_small_on_the_wire(
    start, clean_environment, signal, protocol, compression
):
    """The bytes are counted between exporter and collector; the other signals stay as they are."""
    behind = start(protocol)
    with _counting_proxy(behind.port) as (port, sent):
        endpoint = f"http://127.0.0.1:{port}"
        prefix = f"OTEL_EXPORTER_OTLP_{signal.upper()}"
        clean_environment(
            **behind.environment(protocol),
            OTEL_EXPORTER_OTLP_COMPRESSION="none",
            **{
                f"{prefix}_ENDPOINT": endpoint if protocol == "grpc" else f"{endpoint}/v1/{signal}",
                f"{prefix}_COMPRESSION": compression,
            },
        )
        handle = _set_up()
        _record_all_signals(handle, LONG_TEXT)
        assert handle.shutdown()
        assert _arrived(behind) == set(SIGNALS)
        assert 0 < sum(sent) < len(LONG_TEXT) / 10
    if protocol != "grpc":
        encodings = {name: headers.get("content-encoding") for name, headers in behind.requests}
        assert encodings.pop(signal) == compression
        assert set(encodings.values()) == {None}


@pytest.mark.integration
@pytest.mark.parametrize("signal", ["", *SIGNALS])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_collector_with_a_certificate_of_its_own_is_trusted_when_told(
    receiver, start, clean_environment, certificates, *, protocol, signal
):
    """For all signals, or for one by its own variable, whatever `requests` trusts otherwise."""
    behind = start(protocol, tls=receiver.Tls(*certificates["server"]))
    clean_environment(REQUESTS_CA_BUNDLE=str(certificates["stranger"][0]))
    infix = f"{signal.upper()}_" if signal else ""
    clean_environment(
        **behind.environment(protocol),
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
        **{f"OTEL_EXPORTER_OTLP_{infix}CERTIFICATE": str(certificates["server"][0])},
    )
    handle = _set_up()
    _record_all_signals(handle)
    assert handle.shutdown(2000) is (not signal)
    assert _arrived(behind) == ({signal} if signal else set(SIGNALS))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_collector_that_asks_for_a_certificate_gets_ours(
    receiver, start, clean_environment, certificates, protocol
):
    """Mutual TLS, by the variables for the key and the certificate of the client."""
    client, key = certificates["client"]
    behind = start(protocol, tls=receiver.Tls(*certificates["server"], client))
    clean_environment(
        **behind.environment(protocol),
        OTEL_EXPORTER_OTLP_CERTIFICATE=str(certificates["server"][0]),
        OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=str(client),
        OTEL_EXPORTER_OTLP_CLIENT_KEY=str(key),
    )
    handle = _set_up()
    _record_all_signals(handle)
    assert handle.shutdown()
    assert _arrived(behind) == set(SIGNALS)


# Warnings are limited to one a minute for each subject, and an exporter that is given up may go on
# trying in its thread: a process of its own is where the first warning is really the first.
FAILING_EXPORT = """
import logging, time
from nemo.lens import NemoLensConfig, managed_span, setup_telemetry

told = []

class Keep(logging.Handler):
    def emit(self, record):
        if "export of traces" in record.getMessage():
            told.append(time.monotonic())

logging.getLogger("nemo.lens.sdk").addHandler(Keep())
handle = setup_telemetry(NemoLensConfig.from_env(), rank=0)
with managed_span("step", "qa.step"):
    pass
begun = time.monotonic()
while not told and time.monotonic() - begun < 10:
    handle.flush(100)
told_after = told[0] - begun
handle.flush(1500)
begun = time.monotonic()
delivered = handle.shutdown(1000)
took = time.monotonic() - begun
print(len(told), told_after, took, delivered, sum(handle.stats()["lost"].values()))
"""


def _failing_export(run_python, environment):
    variables = {**environment, "NEMO_LENS_METRICS_ENABLED": "0"}
    printed = run_python(FAILING_EXPORT, environment=variables).stdout.split()
    told, told_after, took, delivered, lost = printed
    assert (told, delivered, lost) == ("1", "False", "1")
    assert float(took) <= 1.1
    return float(told_after)


@pytest.mark.integration
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", ["another certificate", "no certificate file"])
def test_a_tls_error_is_told_once_and_costs_the_deadline_at_most(
    receiver, start, run_python, certificates, *, protocol, fault
):
    """Training goes on; what is lost is counted."""
    behind = start(protocol, tls=receiver.Tls(*certificates["server"]))
    trusted = certificates["stranger"][0] if fault == "another certificate" else "/no/such/file"
    _failing_export(
        run_python,
        {
            **behind.environment(protocol),
            "OTEL_EXPORTER_OTLP_CERTIFICATE": str(trusted),
            "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
        },
    )
    assert _arrived(behind) == set()


@pytest.mark.integration
@pytest.mark.parametrize("variable", ["OTLP_TIMEOUT", "OTLP_TRACES_TIMEOUT"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_export_takes_no_longer_than_its_timeout(
    receiver, start, run_python, protocol, variable
):
    """A collector that answers late is given up after the time of the variable, and told."""
    behind = start(protocol, faults=receiver.Faults(delay_s=20))
    told_after = _failing_export(
        run_python, {**behind.environment(protocol), f"OTEL_EXPORTER_{variable}": "1"}
    )
    assert 0.9 <= told_after < 4
