# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Collectors with faults, over every protocol and for every signal.

Training goes on in its own thread, what a fault delays arrives later, and what it costs is counted
by reason and told once.
"""

from __future__ import annotations

import logging
import threading
import time

import pytest

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.sdk import backoff
from nemo.lens.sdk.exporters.otlp import OtlpSink

pytestmark = pytest.mark.usefixtures("clean_environment")

PROTOCOLS = ("grpc", "http/protobuf", "http/json")
SIGNALS = ("traces", "metrics", "logs")
SPANS, RECORDS = 40, 10
GRPC_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
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


@pytest.fixture
def warnings_told(caplog):
    """Collect warnings and what is worse; gives a function that returns their texts."""
    with caplog.at_level(logging.WARNING):
        yield lambda: [
            record.getMessage()
            for record in caplog.records
            if record.levelno >= logging.WARNING and record.name != "qa"
        ]


@pytest.fixture
def exporting_threads(monkeypatch):
    """Remember which threads export."""
    threads = set()
    send = OtlpSink.send

    def remember(sink, batch):
        threads.add(threading.current_thread())
        return send(sink, batch)

    monkeypatch.setattr(OtlpSink, "send", remember)
    return threads


def _status(protocol, status):
    return GRPC_NAMES[status] if protocol == "grpc" else status


def _set_up():
    config = NemoLensConfig(
        enabled=True, span_groups="all", run_id="r", logs_enabled=True, sigterm_flush=False
    )
    return setup_telemetry(config, rank=0)


def _record(handle):
    counter = handle.meter.create_counter("qa.count")
    for number in range(SPANS):
        with managed_span("step", "qa.step", i=number):
            counter.add(1)
    for _ in range(RECORDS):
        logging.getLogger("qa").warning("hello")


def _assert_all_arrived(running):
    assert len(running.spans()) == SPANS
    assert running.log_bodies().count("hello") == RECORDS
    [point] = running.metrics()["qa.count"].sum.data_points
    assert point.as_int == SPANS


def _lost(handle):
    return {
        queue.partition(" ")[0]: stats["lost"]
        for queue, stats in handle.stats()["queues"].items()
        if stats["lost"]
    }


@pytest.mark.integration
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", ["dead", "closes", "half-closes", "breaks off", "never answers"])
def test_what_a_broken_connection_delays_arrives_once_the_collector_is_back(  # noqa: PLR0917
    receiver, start, clean_environment, monkeypatch, warnings_told, exporting_threads,
    protocol, fault,
):  # fmt: skip
    """Nothing is exported by the thread that trains, and one warning for each signal is told."""
    monkeypatch.setattr(backoff, "FIRST_S", 0.05)
    broken = receiver.BrokenCollector(fault, protocol)
    if fault == "dead":
        broken.close()
    clean_environment(
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{broken.port}",
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_EXPORTER_OTLP_TIMEOUT="0.3",
    )
    handle = _set_up()
    _record(handle)
    for _ in range(3):
        assert not handle.flush(400)
    if fault != "dead":
        broken.close()
    back = start(protocol, port=broken.port)
    assert handle.flush(20_000)
    _assert_all_arrived(back)
    assert set(_lost(handle)) <= {"metrics"}
    assert threading.current_thread() not in exporting_threads
    told = warnings_told()
    assert sum("export of" in text for text in told) == len(SIGNALS)
    assert len(told) <= 2 * len(SIGNALS)
    assert handle.shutdown()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("status", [503, 429])
def test_a_collector_that_is_busy_gets_everything_later(
    receiver, start, clean_environment, monkeypatch, warnings_told, *, protocol, status
):
    """Each signal is sent again; nothing of it is lost."""
    monkeypatch.setattr(backoff, "FIRST_S", 0.05)
    busy = receiver.Faults(statuses=[_status(protocol, status)] * 9)
    running = start(protocol, faults=busy)
    clean_environment(**running.environment(protocol))
    handle = _set_up()
    _record(handle)
    assert handle.flush(20_000)
    _assert_all_arrived(running)
    assert handle.shutdown()
    assert handle.stats()["lost"] == {}
    assert sum("export of" in text for text in warnings_told()) <= len(SIGNALS)


@pytest.mark.parametrize(
    ("codes", "arrives"), [("internal", True), ("unavailable,aborted", False), (" ", False)]
)
def test_the_answers_over_grpc_that_are_tried_again_can_be_chosen(
    receiver, start, clean_environment, monkeypatch, codes, *, arrives
):
    """By OpenTelemetry's variable, in place of those of the OTLP specification."""
    monkeypatch.setattr(backoff, "FIRST_S", 0.05)
    running = start("grpc", faults=receiver.Faults(statuses=["INTERNAL"] * len(SIGNALS)))
    clean_environment(
        **running.environment(), OTEL_PYTHON_EXPORTER_OTLP_GRPC_RETRYABLE_ERROR_CODES=codes
    )
    handle = _set_up()
    _record(handle)
    assert handle.shutdown(10_000) is arrives
    assert bool(running.spans()) is arrives


@pytest.mark.integration
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("signal", SIGNALS)
def test_a_collector_is_left_alone_for_as_long_as_it_asks(
    receiver, start, clean_environment, monkeypatch, *, protocol, signal
):
    """`Retry-After`, and `RetryInfo` over gRPC, count within the deadline of a flush."""
    monkeypatch.setattr(backoff, "FIRST_S", 0.01)
    faults = receiver.Faults(statuses=[_status(protocol, 429)], retry_after_s=1)
    running = start(protocol, faults=faults)
    clean_environment(
        **{
            **running.environment(protocol),
            **{f"OTEL_{each.upper()}_EXPORTER": "none" for each in SIGNALS if each != signal},
        }
    )
    handle = _set_up()
    _record(handle)
    assert not handle.flush(300)
    assert not handle.flush(300)
    assert len(running.times) == 1
    assert handle.flush(10_000)
    assert running.times[1] - running.times[0] >= 1
    assert handle.shutdown()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("status", [400, 401, 403])
def test_what_is_refused_for_good_is_counted_and_told_once(
    receiver, start, clean_environment, warnings_told, *, protocol, status
):
    """It is not sent again, and does not hold up what comes after it."""
    refusals = receiver.Faults(statuses=[_status(protocol, status)] * len(SIGNALS))
    running = start(protocol, faults=refusals)
    clean_environment(**running.environment(protocol))
    handle = _set_up()
    _record(handle)
    assert not handle.flush(10_000)
    assert _lost(handle) == {
        "spans": {"refused": SPANS},
        "metrics": {"refused": 1},
        "logs": {"refused": RECORDS},
    }
    _record(handle)
    assert handle.flush(10_000)
    assert len(running.spans()) == SPANS
    assert running.log_bodies().count("hello") == RECORDS
    assert sum("export of" in text for text in warnings_told()) == len(SIGNALS)
    assert not handle.shutdown()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_a_collector_did_not_keep_is_counted_and_told_once(
    receiver, start, clean_environment, warnings_told, protocol
):
    """A partial success is no success for the items that it names."""
    picky = receiver.Faults(rejected=3, message="too many tenants")
    running = start(protocol, faults=picky)
    clean_environment(**running.environment(protocol))
    handle = _set_up()
    _record(handle)
    assert not handle.flush(10_000)
    assert _lost(handle) == {
        "spans": {"refused": 3},
        "metrics": {"rejected_points": 3},
        "logs": {"refused": 3},
    }
    queues = handle.stats()["queues"]
    assert queues["spans to otlp"]["delivered"] == SPANS - 3
    told = [text for text in warnings_told() if "too many tenants" in text]
    assert len(told) == len(SIGNALS)
    running.faults.rejected = 0
    assert handle.flush(10_000)
    assert not handle.shutdown()


@pytest.mark.integration
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_request_that_is_too_large_is_sent_in_parts(
    receiver, start, clean_environment, warnings_told, protocol
):
    """The parts arrive whole; only what is too large by itself is counted and dropped."""
    running = start(protocol, faults=receiver.Faults(most_bytes=30_000))
    clean_environment(**running.environment(protocol))
    handle = _set_up()
    for number in range(60):
        with managed_span("step", "qa.step", i=number, filler="x" * 2000):
            logging.getLogger("qa").warning("%d %s", number, "x" * 2000)
    with managed_span("step", "qa.huge", filler="x" * 50_000):
        pass
    assert not handle.flush(20_000)
    assert len(running.spans()) == 60
    assert {len(str(body)) for body in running.log_bodies()} <= {2002, 2003}
    assert len(running.log_bodies()) == 60
    assert _lost(handle) == {"spans": {"refused": 1}}
    assert sum("export of traces" in text for text in warnings_told()) == 1
    handle.shutdown()


@pytest.mark.parametrize("protocol", ["http/protobuf", "http/json"])
def test_a_login_page_is_no_collector(receiver, start, clean_environment, warnings_told, protocol):
    """A redirection is not followed, and does not count as delivery."""
    elsewhere = {"location": "http://127.0.0.1:9/login"}
    proxy = receiver.Faults(statuses=[302] * len(SIGNALS), headers=elsewhere)
    running = start(protocol, faults=proxy)
    clean_environment(**running.environment(protocol))
    handle = _set_up()
    _record(handle)
    assert not handle.flush(10_000)
    assert _lost(handle)["spans"] == {"refused": SPANS}
    assert any("HTTP status 302" in text for text in warnings_told())
    handle.shutdown()


@pytest.mark.integration
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_slow_collector_delays_nobody(
    receiver, start, clean_environment, exporting_threads, protocol
):
    """Recording goes on while an export takes its time."""
    running = start(protocol, faults=receiver.Faults(delay_s=0.5))
    clean_environment(**running.environment(protocol))
    handle = _set_up()
    _record(handle)
    assert handle.flush(20_000)
    _assert_all_arrived(running)
    assert threading.current_thread() not in exporting_threads
    assert handle.shutdown()


@pytest.mark.integration
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_collector_that_is_back_after_three_seconds_gets_everything_at_the_end(
    start, clean_environment, protocol
):
    """A shutdown with time left waits for it, with the pauses that are usual between retries."""
    gone = start(protocol)
    gone.close()
    clean_environment(**gone.environment(protocol))
    handle = _set_up()
    _record(handle)
    ended = []
    ending = threading.Thread(target=lambda: ended.append(handle.shutdown(15_000)))
    ending.start()
    time.sleep(3)
    back = start(protocol, port=gone.port)
    ending.join()
    assert ended == [True]
    _assert_all_arrived(back)


@pytest.mark.integration
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", ["dead", "never answers", "breaks off"])
@pytest.mark.parametrize("timeout_s", ["", "600"])
def test_a_shutdown_keeps_its_deadline_whatever_the_collector_does(
    receiver, clean_environment, *, protocol, fault, timeout_s
):
    """Also when one export may take far longer; every span is accounted for."""
    broken = receiver.BrokenCollector(fault, protocol)
    if fault == "dead":
        broken.close()
    clean_environment(
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{broken.port}",
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_EXPORTER_OTLP_TIMEOUT=timeout_s,
    )
    handle = _set_up()
    for _ in range(50):
        _record(handle)
    begun = time.monotonic()
    assert not handle.shutdown(1000)
    assert time.monotonic() - begun <= 1.1
    if fault != "dead":
        broken.close()
    lost = _lost(handle)
    assert sum(lost["spans"].values()) == 50 * SPANS
    assert sum(lost["logs"].values()) >= 50 * RECORDS
