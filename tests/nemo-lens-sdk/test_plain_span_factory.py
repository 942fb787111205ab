# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The api's plain span factory on the stock OpenTelemetry SDK, as an application installs it."""

import os

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import SpanKind, StatusCode

from nemo.lens.helpers import (
    SpanOptions,
    managed_span,
    open_span,
    safe_set_span_attributes,
    span_attributes,
    span_cm,
)
from nemo.lens.span_utilities import emit_span


class Choosing(Sampler):
    """Drops what has the attribute `drop`."""

    def should_sample(self, parent_context, trace_id, name, kind=None, attributes=None, *rest, **_):
        """Decide by the attributes given at start."""
        dropped = bool(attributes and attributes.get("drop"))
        return SamplingResult(Decision.DROP if dropped else Decision.RECORD_AND_SAMPLE, attributes)

    def get_description(self):
        """Describe the sampler."""
        return "Choosing"


@pytest.fixture
def exporter(nemo_lens_groups):
    """Install a stock provider whose sampler looks at attributes, and open the group `step`."""
    nemo_lens_groups("step")
    provider = TracerProvider(sampler=Choosing())
    exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


def test_spans_arrive_with_everything_that_was_said(exporter):
    """Parents, attributes, options and scope attributes."""
    with span_attributes({"run": "r"}), managed_span("step", "outer", n=1) as outer:
        options = SpanOptions(kind=SpanKind.CLIENT, attributes=lambda: {"name": "x"})
        with managed_span("step", "inner", _span=options) as inner:
            safe_set_span_attributes(inner, {"sizes": [1, 2.5], "prompt": "p"})
    exported_inner, exported_outer = exporter.get_finished_spans()
    assert exported_inner.parent == outer.get_span_context()
    assert exported_inner.kind is SpanKind.CLIENT
    assert dict(exported_inner.attributes) == {
        "run": "r",
        "name": "x",
        "sizes": (1.0, 2.5),
        "prompt": "[REDACTED]",
    }
    assert dict(exported_outer.attributes) == {"run": "r", "n": 1}
    assert exported_outer.end_time > exported_outer.start_time
    assert exported_outer.instrumentation_scope.name == "nemo.lens"
    assert exported_outer.instrumentation_scope.schema_url


def test_samplers_see_attributes_and_dropped_spans_cause_no_trouble(exporter, caplog):
    """A span that is not recorded still carries the context, and is ended silently."""
    with managed_span("step", "dropped", drop=True) as span:
        assert trace.get_current_span() is span
        safe_set_span_attributes(span, {"a": 1})
    with pytest.raises(ValueError), managed_span("step", "dropped", drop=True):
        raise ValueError
    assert exporter.get_finished_spans() == ()
    assert caplog.records == []


def test_exceptions_are_recorded_with_texts_that_can_be_exported(exporter):
    """The SDK's own texts are replaced by repaired and masked ones."""
    message = "password=hunter2 " + os.fsdecode(b"\xff")
    with pytest.raises(OSError), span_cm("a"):
        raise OSError(message)
    (span,) = exporter.get_finished_spans()
    (event,) = span.events
    assert event.name == "exception"
    assert event.attributes["exception.type"] == "OSError"
    assert event.attributes["exception.message"] == "password=[REDACTED] \\udcff"
    assert "hunter2" not in event.attributes["exception.stacktrace"]
    assert span.status.status_code is StatusCode.ERROR


def test_an_unreadable_exception_is_recorded_without_its_text(exporter):
    """The SDK itself calls `str()`, which raises here."""

    class BrokenError(Exception):
        def __str__(self):
            raise RuntimeError

    with pytest.raises(BrokenError), managed_span("step", "a"):
        raise BrokenError
    (event,) = exporter.get_finished_spans()[0].events
    assert event.attributes["exception.type"].endswith("BrokenError")


def test_ending_early_warns_of_nothing(exporter, caplog):
    """The SDK would warn about a second end and about late attributes."""
    with managed_span("step", "a") as span:
        span.end()
    handle = open_span("step", "b")
    handle.close()
    handle.close()
    handle.set_attributes({"late": 1})
    assert [s.name for s in exporter.get_finished_spans()] == ["a", "b.open", "b"]
    assert caplog.records == []


def test_emitted_spans_keep_their_times(exporter):
    """To the nanosecond."""
    emit_span(None, "a", "1700000000.000000001", "1700000000.000000002", attributes={"n": 1})
    (span,) = exporter.get_finished_spans()
    assert span.end_time - span.start_time == 1
    assert dict(span.attributes) == {"n": 1}
