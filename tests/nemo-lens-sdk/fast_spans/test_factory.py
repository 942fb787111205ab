# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""When spans are fast ones, and what is said when they are not."""

from __future__ import annotations

import logging
from unittest import mock

import pytest
from opentelemetry import trace
from opentelemetry.sdk import trace as sdk_trace
from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

from nemo.lens.helpers import managed_span
from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.fast_spans import factory, rehearsal
from nemo.lens.sdk.fast_spans.span import FastSpan
from nemo.lens.state import set_enabled_span_groups

_LOGGER = "nemo.lens.sdk.fast_spans.factory"


@pytest.fixture
def provider(nemo_lens_isolated):
    """A stock provider that is the global one, with the group `g` on."""
    provider = TracerProvider(shutdown_on_exit=False)
    trace.set_tracer_provider(provider)
    set_enabled_span_groups({"g"})
    return provider


@pytest.fixture
def unrehearsed():
    """Let the rehearsal be held again, before and after."""
    rehearsal.difference_from_sdk.cache_clear()
    yield
    rehearsal.difference_from_sdk.cache_clear()


def _span(*arguments, **attributes):
    with managed_span("g", "x", *arguments, **attributes) as span:
        return span


def _reasons(caplog):
    return [record.getMessage() for record in caplog.records if record.name == _LOGGER]


def test_a_fast_span_is_a_span_of_the_sdk(provider):
    """Whoever asks for the SDK's classes gets yes."""
    assert factory.install(provider)
    span = _span()
    assert isinstance(span, FastSpan)
    assert isinstance(span, Span)
    assert isinstance(span, ReadableSpan)
    assert isinstance(span, trace.Span)


def test_set_up_installs_fast_spans_and_shutdown_takes_them_back(nemo_lens_telemetry):
    """The helpers build fast spans from set-up until shutdown."""
    handle, exporter, _ = nemo_lens_telemetry
    with managed_span("step", "in set-up") as span:
        assert isinstance(span, FastSpan)
    handle.flush()
    assert [span.name for span in exporter.get_finished_spans()] == ["in set-up"]
    handle.shutdown()
    set_enabled_span_groups({"step"})
    with managed_span("step", "after") as span:
        assert not isinstance(span, FastSpan)


def test_a_foreign_provider_is_left_to_the_plain_factory(nemo_lens_isolated, caplog):
    """A provider that is not exactly the SDK's is declined, with one line that names it."""

    class OwnProvider(TracerProvider):
        pass

    with caplog.at_level(logging.DEBUG, _LOGGER):
        assert not factory.install(OwnProvider(shutdown_on_exit=False))
        assert not factory.install(trace.NoOpTracerProvider())
    assert ["OwnProvider" in _reasons(caplog)[0], "NoOp" in _reasons(caplog)[1]] == [True, True]


def test_another_context_runtime_is_left_to_the_plain_factory(provider, caplog):
    """Without OpenTelemetry's contextvars variable there is nothing to set."""

    class OwnRuntime(type(_otel_private.context_api._RUNTIME_CONTEXT)):
        pass

    with (
        caplog.at_level(logging.DEBUG, _LOGGER),
        mock.patch.object(_otel_private.context_api, "_RUNTIME_CONTEXT", OwnRuntime()),
    ):
        assert not factory.install(provider)
    assert len(_reasons(caplog)) == 1
    assert "contextvars" in _reasons(caplog)[0]


def test_an_sdk_whose_spans_have_more_parts_is_left_alone(provider, unrehearsed, caplog):
    """A release that gives spans a new field is one whose spans fast spans may not equal."""
    start = sdk_trace._Span.start

    def start_with_a_new_part(span, *arguments, **options):
        span._new_part = 1
        start(span, *arguments, **options)

    with (
        caplog.at_level(logging.DEBUG, _LOGGER),
        mock.patch.object(sdk_trace._Span, "start", start_with_a_new_part),
    ):
        assert not factory.install(provider)
    assert "_new_part" in _reasons(caplog)[0]


def test_an_sdk_whose_spans_tell_something_else_is_left_alone(provider, unrehearsed, caplog):
    """A release that changes what a span says is found by the rehearsal."""
    kind = mock.PropertyMock(return_value=trace.SpanKind.CLIENT)

    class Moved(sdk_trace._Span):
        @property
        def status(self):
            return trace.Status(trace.StatusCode.OK)

    with (
        caplog.at_level(logging.DEBUG, _LOGGER),
        mock.patch.object(sdk_trace, "_Span", Moved),
        mock.patch.object(Moved, "_readable_span", lambda span: span),
    ):
        assert not factory.install(provider)
    assert "status" in _reasons(caplog)[0]
    assert not kind.called


def test_an_sdk_that_lacks_a_name_is_left_alone(provider, unrehearsed, caplog):
    """A release without a name that fast spans rest on does not stop set-up."""
    with (
        caplog.at_level(logging.DEBUG, _LOGGER),
        mock.patch.object(_otel_private, "always_samples", side_effect=AttributeError("gone")),
    ):
        assert not factory.install(provider)
    assert "gone" in _reasons(caplog)[0]


def test_a_sampler_that_must_be_asked_is_one_line(provider, caplog):
    """The reason why a tracer has no fast spans is said once, not for each span."""
    provider.sampler = ALWAYS_OFF
    factory.install(provider)
    with caplog.at_level(logging.DEBUG, _LOGGER):
        tracers = [provider.get_tracer(f"library {number}") for number in range(3)]
        assert [_span(tracer).is_recording() for tracer in tracers] == [False] * 3
        _span(tracers[0])
    assert len(_reasons(caplog)) == 1
    assert "StaticSampler" in _reasons(caplog)[0]


def test_a_foreign_tracer_is_asked_itself(provider):
    """A tracer of another library makes its own spans."""
    factory.install(provider)
    assert _span(trace.NoOpTracer()) is trace.INVALID_SPAN


def test_a_patched_get_tracer_wins(provider):
    """A test that patches `get_tracer` sees its spans."""
    factory.install(provider)
    _span()
    tracer = mock.Mock()
    with mock.patch.object(trace, "get_tracer", return_value=tracer):
        _span()
    assert tracer.start_span.called


def test_another_global_provider_gets_its_own_spans(provider):
    """The factory declines while its provider is not the global one."""
    factory.install(provider)
    assert isinstance(_span(), FastSpan)
    with mock.patch.object(trace, "_TRACER_PROVIDER", TracerProvider(shutdown_on_exit=False)):
        assert not isinstance(_span(), FastSpan)
    assert isinstance(_span(), FastSpan)


def test_many_tracers_do_not_fill_the_memory(provider):
    """Beyond some number of tracers the SDK builds the spans."""
    factory.install(provider)
    kinds = [isinstance(_span(provider.get_tracer(f"t{n}")), FastSpan) for n in range(80)]
    assert kinds == [True] * 64 + [False] * 16


def test_managed_span_cannot_decorate(provider):
    """The refusal is the same as with the plain factory."""
    factory.install(provider)
    with pytest.raises(TypeError, match="trace_fn"):
        managed_span("g", "x")(len)


def test_a_watched_tracer_is_still_the_same_tracer(provider):
    """Noticing changes does not change what a tracer is."""
    factory.install(provider)
    tracer = provider.get_tracer("watched")
    _span(tracer)
    assert isinstance(tracer, sdk_trace.Tracer)
    assert type(tracer).__name__ == "Tracer"
    exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer.start_span("theirs").end()
    _span(tracer)
    assert [span.name for span in exporter.get_finished_spans()] == ["theirs", "x"]
