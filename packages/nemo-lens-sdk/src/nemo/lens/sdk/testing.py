# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests that look at what instrumented code really exports, in memory.

Name this module in the `conftest.py` of a project that has `nemo-lens-sdk` installed:

    pytest_plugins = ["nemo.lens.sdk.testing"]

    def test_the_step_is_traced(nemo_lens_spans):
        train_one_step()
        assert nemo_lens_spans.names() == ["mylib.step"]

Telemetry is set up as in an exporting process, with every span group on and ids that count from 1.
`nemo_lens_clock` is a clock that advances only when a test says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens.config import NemoLensConfig
from nemo.lens.handle import setup_telemetry
from nemo.lens.sdk.ids import RandomIds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.sdk.trace import ReadableSpan

    from nemo.lens.handle import TelemetryHandle

_SECOND_NS = 1_000_000_000
_FLUSH_MS = 10_000


class CountingIds(RandomIds):
    """Ids that count from 1: the first trace is 1, the first span is 1."""

    def __init__(self) -> None:
        super().__init__()
        self._last_trace = 0
        self._last_span = 0

    def generate_trace_id(self) -> int:
        """Return the next trace id."""
        self._last_trace += 1
        return self._last_trace

    def generate_span_id(self) -> int:
        """Return the next span id."""
        self._last_span += 1
        return self._last_span


class FakeClock:
    """A clock for spans, which starts at one second and advances when a test says so.

    Attributes:
        now_ns: The time in nanoseconds.
    """

    def __init__(self) -> None:
        self.now_ns = _SECOND_NS

    def time_ns(self) -> int:
        """Return the time, as `time.time_ns` does."""
        return self.now_ns

    monotonic_ns = time_ns

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now_ns += round(seconds * _SECOND_NS)


class CapturedSpans:
    """The spans that were exported so far, in the order in which they ended.

    Attributes:
        handle: The handle of the set-up that exports them.
    """

    def __init__(self, handle: TelemetryHandle, exporter: InMemorySpanExporter) -> None:
        self.handle = handle
        self._exporter = exporter

    def all(self) -> list[ReadableSpan]:
        """Flush and return every span."""
        self.handle.flush(_FLUSH_MS)
        return list(self._exporter.get_finished_spans())

    def names(self) -> list[str]:
        """Flush and return the names of every span."""
        return [span.name for span in self.all()]

    def one(self, name: str) -> ReadableSpan:
        """Flush and return the one span called `name`.

        Raises:
            AssertionError: There is none or more than one.
        """
        found = [span for span in self.all() if span.name == name]
        if len(found) != 1:
            raise AssertionError(f"expected one span {name!r}, got {self.names()}")
        return found[0]

    def clear(self) -> None:
        """Forget what was exported so far."""
        self.handle.flush(_FLUSH_MS)
        self._exporter.clear()


class CapturedMetrics:
    """The metrics of the set-up, collected when they are asked for.

    Attributes:
        handle: The handle of the set-up.
    """

    def __init__(self, handle: TelemetryHandle, reader: InMemoryMetricReader) -> None:
        self.handle = handle
        self._reader = reader

    def points(self) -> dict[str, list[Any]]:
        """Collect now and return the data points by metric name."""
        data = self._reader.get_metrics_data()
        found: dict[str, list[Any]] = {}
        for resource_metrics in data.resource_metrics if data is not None else ():
            for scope_metrics in resource_metrics.scope_metrics:
                for metric in scope_metrics.metrics:
                    found.setdefault(metric.name, []).extend(metric.data.data_points)
        return found

    def value(self, name: str) -> float:
        """Collect now and return the value of the one data point of a metric."""
        (point,) = self.points()[name]
        value: float = point.value
        return value


class CapturedLogs:
    """The log records that were exported so far."""

    def __init__(self, handle: TelemetryHandle, records: list[Any]) -> None:
        self.handle = handle
        self._records = records

    def all(self) -> list[Any]:
        """Flush and return every exported record, as a log exporter gets it."""
        self.handle.flush(_FLUSH_MS)
        return list(self._records)

    def bodies(self) -> list[Any]:
        """Flush and return the bodies of every record."""
        return [record.log_record.body for record in self.all()]


@pytest.fixture
def nemo_lens_clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """Give spans a fake clock, for their start, their end and their events."""
    from nemo.lens.sdk import _otel_private
    from nemo.lens.spans import span_factory, span_handle

    clock = FakeClock()
    for module in (span_factory, span_handle):
        monkeypatch.setattr(module, "time", clock)
    for module, name in _otel_private.span_clocks():
        monkeypatch.setattr(module, name, clock.time_ns)
    return clock


@pytest.fixture
def nemo_lens_telemetry(
    nemo_lens_isolated: None,  # noqa: ARG001 - resets what this set-up changes
) -> Iterator[tuple[TelemetryHandle, InMemorySpanExporter, InMemoryMetricReader]]:
    """Set telemetry up in memory with every span group on; shut it down after the test."""
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    config = NemoLensConfig(enabled=True, span_groups="all", run_id="test", sigterm_flush=False)
    handle = setup_telemetry(config, rank=0, span_exporter=exporter, metric_reader=reader)
    yield handle, exporter, reader
    handle.shutdown()


@pytest.fixture
def nemo_lens_spans(
    nemo_lens_telemetry: tuple[TelemetryHandle, InMemorySpanExporter, InMemoryMetricReader],
) -> CapturedSpans:
    """Capture spans, with ids that count from 1."""
    from opentelemetry import trace

    handle, exporter, _ = nemo_lens_telemetry
    ids = CountingIds()
    for owner in (trace.get_tracer_provider(), handle.tracer):
        owner.id_generator = ids  # type: ignore[union-attr]
    return CapturedSpans(handle, exporter)


@pytest.fixture
def nemo_lens_metrics(
    nemo_lens_telemetry: tuple[TelemetryHandle, InMemorySpanExporter, InMemoryMetricReader],
) -> CapturedMetrics:
    """Capture metrics."""
    handle, _, reader = nemo_lens_telemetry
    return CapturedMetrics(handle, reader)


@pytest.fixture
def nemo_lens_logs(
    nemo_lens_isolated: None,  # noqa: ARG001 - resets what this set-up changes
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[CapturedLogs]:
    """Capture the records of Python's `logging`, from INFO on, as they would be exported."""
    from nemo.lens.sdk.export_queue import Outcome, Sink
    from nemo.lens.sdk.exporters import routes
    from nemo.lens.sdk.logging_bridge import setup_logging_bridge

    records: list[Any] = []

    class Memory(Sink):
        def send(self, batch: Any) -> Outcome:
            records.extend(batch)
            return Outcome.DELIVERED

    def memory_sink(_route: object) -> Sink:
        return Memory()

    monkeypatch.setattr(routes.ConsoleRoute, "log_sink", memory_sink)
    config = NemoLensConfig(
        enabled=True,
        exporter="console",
        logs_enabled=True,
        traces_enabled=False,
        metrics_enabled=False,
        run_id="test",
        sigterm_flush=False,
    )
    handle = setup_telemetry(config, rank=0)
    setup_logging_bridge()
    yield CapturedLogs(handle, records)
    handle.shutdown()
