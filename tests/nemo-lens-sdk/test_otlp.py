# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Every OTLP route, with spans, metrics and logs, against a real receiver; and its faults."""

from __future__ import annotations

import logging
import time

import pytest
from opentelemetry import trace
from opentelemetry.metrics import Observation

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.sdk import backoff
from nemo.lens.sdk.exporters.otlp_variables import protocol_of
from nemo.lens.sdk.logging_bridge import setup_logging_bridge

pytestmark = pytest.mark.usefixtures("clean_environment")


def _config(**fields):
    return NemoLensConfig(
        **{
            "enabled": True,
            "span_groups": "all",
            "run_id": "r",
            "sigterm_flush": False,
            **fields,
        }
    )


def _record_all_signals(handle):
    with managed_span("step", "qa.step", i=1):
        handle.meter.create_counter("qa.count").add(1)
        logging.getLogger("qa").warning("hello")


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf", "http/json"])
@pytest.mark.parametrize("compression", ["none", "gzip", "deflate"])
def test_all_signals_arrive(receiver, clean_environment, protocol, compression):
    """Spans, metrics and logs reach the receiver over every protocol, compressed or not."""
    running = receiver.GrpcReceiver() if protocol == "grpc" else receiver.HttpReceiver()
    try:
        clean_environment(
            **running.environment(protocol), OTEL_EXPORTER_OTLP_COMPRESSION=compression
        )
        handle = setup_telemetry(_config(logs_enabled=True), rank=0)
        setup_logging_bridge()
        _record_all_signals(handle)
        assert handle.is_exporting
        assert handle.shutdown()
        assert running.span_names() == ["qa.step"]
        assert "qa.count" in running.metric_names()
        assert running.log_bodies() == ["hello"]
        if protocol == "http/json":
            assert {headers["content-type"] for _, headers in running.requests} == {
                "application/json"
            }
    finally:
        running.close()


def test_signals_may_take_different_routes(receiver, http_receiver, grpc_receiver, monkeypatch):
    """The variables of a signal win over the common ones."""
    for name, value in http_receiver.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc")
    monkeypatch.setenv(
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", f"http://127.0.0.1:{grpc_receiver.port}"
    )
    handle = setup_telemetry(_config(), rank=0)
    _record_all_signals(handle)
    assert handle.shutdown()
    assert http_receiver.span_names() == ["qa.step"]
    assert "qa.count" in grpc_receiver.metric_names()
    assert http_receiver.metric_names() == set()


@pytest.mark.parametrize(
    ("endpoint", "protocol"),
    [
        ("http://collector:4318", "http/protobuf"),
        ("collector:4318", "http/protobuf"),
        ("https://api.example.test/v1/traces", "http/protobuf"),
        ("http://collector:4317", "grpc"),
        ("", "grpc"),
        ("http://[::1]:4318", "http/protobuf"),
        ("not a url", "grpc"),
    ],
)
def test_without_a_protocol_the_endpoint_decides(clean_environment, endpoint, protocol):
    """Port 4318 and a /v1/ path mean HTTP."""
    clean_environment(OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
    assert protocol_of("traces") == protocol


def test_an_unknown_protocol_is_one_warning_that_lists_the_valid_ones(clean_environment, caplog):
    """A typo never chooses a protocol in silence."""
    clean_environment(OTEL_EXPORTER_OTLP_PROTOCOL="htp")
    with caplog.at_level(logging.WARNING):
        assert protocol_of("traces") == "grpc"
    assert "'htp'" in caplog.text
    assert "http/protobuf" in caplog.text


@pytest.mark.integration
def test_an_unknown_protocol_is_told_once_however_often_export_fails(
    receiver, clean_environment, monkeypatch, caplog
):
    """Neither another signal nor a failed attempt repeats it."""
    monkeypatch.setattr(backoff, "FIRST_S", 0.05)
    dead = receiver.GrpcReceiver()
    dead.close()
    clean_environment(
        **{**dead.environment(), "OTEL_EXPORTER_OTLP_PROTOCOL": "htp"},
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
    )
    with caplog.at_level(logging.WARNING):
        handle = setup_telemetry(_config(logs_enabled=True), rank=0)
        _record_all_signals(handle)
        assert [handle.flush(1500) for _ in range(3)] == [False] * 3
        handle.shutdown(100)
    assert len([line for line in caplog.messages if "'htp'" in line]) == 1


@pytest.mark.integration
def test_a_collector_that_comes_back_gets_everything(receiver, clean_environment, monkeypatch):
    """What was recorded while it was away arrives once it is back."""
    monkeypatch.setattr(backoff, "FIRST_S", 0.05)
    first = receiver.HttpReceiver()
    first.close()
    clean_environment(**first.environment(), OTEL_EXPORTER_OTLP_TIMEOUT="1")
    handle = setup_telemetry(_config(metrics_enabled=False), rank=0)
    for number in range(50):
        with managed_span("step", "qa.step", i=number):
            pass
    assert not handle.flush(2500)
    back = receiver.HttpReceiver(port=first.port)
    try:
        assert handle.flush(10_000)
        assert len(back.span_names()) == 50
        assert handle.shutdown()
        assert handle.stats()["lost"] == {}
    finally:
        back.close()


@pytest.mark.parametrize("status", [503, 429])
def test_a_busy_collector_is_asked_again(receiver, clean_environment, status):
    """503 and 429 are no loss."""
    faults = receiver.Faults(statuses=[status], headers={"retry-after": "0"})
    running = receiver.HttpReceiver(faults)
    try:
        clean_environment(**running.environment())
        handle = setup_telemetry(_config(metrics_enabled=False), rank=0)
        _record_all_signals(handle)
        assert handle.flush(10_000)
        assert running.span_names() == ["qa.step"]
        assert handle.shutdown()
    finally:
        running.close()


@pytest.mark.parametrize("status", [400, 401, 413])
def test_a_refused_batch_is_counted_and_not_sent_again(receiver, clean_environment, status):
    """What a collector refuses for good does not hold up what comes after it."""
    running = receiver.HttpReceiver(receiver.Faults(statuses=[status]))
    try:
        clean_environment(**running.environment())
        handle = setup_telemetry(_config(metrics_enabled=False), rank=0)
        with managed_span("step", "refused"):
            pass
        handle.flush(5000)
        with managed_span("step", "accepted"):
            pass
        handle.shutdown()
        assert running.span_names() == ["accepted"]
        assert handle.stats()["lost"] == {"refused": 1}
    finally:
        running.close()


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_one_odd_span_does_not_cost_its_batch(receiver, clean_environment, protocol):
    """Surrogates, names that are no text and huge integers are repaired, and the batch arrives."""
    running = receiver.GrpcReceiver() if protocol == "grpc" else receiver.HttpReceiver()
    try:
        clean_environment(**running.environment(protocol))
        handle = setup_telemetry(_config(metrics_enabled=False), rank=0)
        tracer = trace.get_tracer("direct")
        for name, attributes in (
            ("fine", {"a": 1}),
            ("bad\udcff", {"a": "x\ud800"}),
            (7, {}),
            ("huge", {"n": 2**70}),
        ):
            tracer.start_span(name, attributes=attributes).end()
        assert handle.shutdown()
        assert sorted(running.span_names()) == ["7", r"bad\udcff", "fine", "huge"]
    finally:
        running.close()


def test_a_value_that_is_no_number_costs_only_its_own_metric(http_receiver, clean_environment):
    """One bad measurement does not poison the whole export."""
    clean_environment(**http_receiver.environment())
    handle = setup_telemetry(_config(), rank=0)
    handle.meter.create_observable_gauge("qa.bad", [lambda _options: [Observation("0.5")]])
    handle.meter.create_gauge("qa.good").set(1.5)
    handle.shutdown()
    assert "qa.good" in http_receiver.metric_names()


@pytest.mark.integration
@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_a_burst_of_100_000_spans_arrives_whole(receiver, clean_environment, protocol):
    """A healthy collector loses none of a burst."""
    running = receiver.GrpcReceiver() if protocol == "grpc" else receiver.HttpReceiver()
    try:
        clean_environment(**running.environment(protocol), OTEL_BSP_MAX_EXPORT_BATCH_SIZE="4096")
        handle = setup_telemetry(_config(metrics_enabled=False), rank=0)
        for number in range(100_000):
            with managed_span("step", "qa.step", i=number, b="x", c=1.5):
                pass
        assert handle.shutdown(120_000)
        assert len(running.spans()) == 100_000
        assert handle.stats()["lost"] == {}
    finally:
        running.close()


@pytest.mark.integration
def test_shutdown_keeps_its_deadline_with_a_black_hole(receiver, clean_environment):
    """A collector that accepts and never answers costs the deadline, and no more."""
    running = receiver.HttpReceiver(receiver.Faults(delay_s=4))
    try:
        clean_environment(**running.environment())
        handle = setup_telemetry(_config(), rank=0)
        for _ in range(2000):
            with managed_span("step", "qa.step"):
                pass
        begun = time.monotonic()
        assert not handle.shutdown(1000)
        assert time.monotonic() - begun <= 1.1
        assert handle.stats()["lost"]["shutdown_deadline"] == 2000
    finally:
        running.close()


def test_a_dead_collector_costs_the_deadline_at_most(receiver, clean_environment):
    """Refused connections do not make a shutdown late."""
    dead = receiver.HttpReceiver()
    dead.close()
    clean_environment(**dead.environment())
    handle = setup_telemetry(_config(), rank=0)
    _record_all_signals(handle)
    begun = time.monotonic()
    assert not handle.shutdown(1000)
    assert time.monotonic() - begun <= 1.1


@pytest.mark.integration
def test_the_first_export_warning_names_a_protocol_that_does_not_fit_the_port(
    clean_environment, caplog
):
    """GRPC against port 4318 is told, with the cure."""
    clean_environment(
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:4318",
        OTEL_EXPORTER_OTLP_PROTOCOL="grpc",
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
    )
    handle = setup_telemetry(_config(metrics_enabled=False), rank=0)
    _record_all_signals(handle)
    with caplog.at_level(logging.WARNING):
        handle.flush(4000)
    handle.shutdown(100)
    assert "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf" in caplog.text
