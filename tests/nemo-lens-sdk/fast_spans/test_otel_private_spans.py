# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One canary for each private OpenTelemetry name that fast spans and their encoders rest on."""

from __future__ import annotations

import random

import pytest
from opentelemetry import trace
from opentelemetry.context import Context, get_current
from opentelemetry.exporter.otlp.proto.grpc import trace_exporter as grpc_exporter
from opentelemetry.exporter.otlp.proto.http import trace_exporter as http_exporter
from opentelemetry.sdk import trace as sdk_trace
from opentelemetry.sdk.trace import (
    ConcurrentMultiSpanProcessor,
    SpanProcessor,
    SynchronousMultiSpanProcessor,
    TracerProvider,
)
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    DEFAULT_ON,
    ParentBased,
    TraceIdRatioBased,
)
from opentelemetry.trace import NonRecordingSpan, SpanContext

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.exporters.otlp import OtlpSink
from nemo.lens.sdk.exporters.span_protobuf import encode_spans
from nemo.lens.sdk.lens_providers import LensTracerProvider

_HAS_ENDING = hasattr(SpanProcessor, "_on_ending")


@pytest.fixture
def tracer():
    """A tracer of the SDK."""
    return TracerProvider(shutdown_on_exit=False).get_tracer("canary")


def test_the_current_context_is_one_variable():
    """What is set there is what the rest of OpenTelemetry sees, under the key of the span."""
    assert _otel_private.uses_contextvars()
    get, set_current, restore = _otel_private.context_variable()
    span = NonRecordingSpan(SpanContext(1, 2, is_remote=False))
    before = get_current()
    token = set_current(Context({_otel_private.span_key(): span}))
    assert trace.get_current_span() is span
    assert get() is get_current()
    restore(token)
    assert get_current() is before


def test_the_ids_of_opentelemetry_are_bits_of_the_global_random():
    """Fast spans draw them there themselves, without a call of the generator between."""
    generator = RandomIdGenerator()
    assert _otel_private.draws_from_global_random(generator)
    before = random.getstate()
    try:
        random.seed(7)
        ids = generator.generate_trace_id(), generator.generate_span_id()
        random.seed(7)
        assert ids == (random.getrandbits(128), random.getrandbits(64))
    finally:
        random.setstate(before)


def test_ids_of_anything_else_are_asked_for():
    """A subclass may draw from elsewhere."""

    class Own(RandomIdGenerator):
        pass

    assert not _otel_private.draws_from_global_random(Own())


def test_the_global_provider_is_a_global_of_the_module(nemo_lens_isolated):
    """Looking at it costs less than asking for it on every span."""
    provider = TracerProvider(shutdown_on_exit=False)
    trace.set_tracer_provider(provider)
    assert _otel_private.holder_of_global_provider()._TRACER_PROVIDER is provider


def test_contexts_without_a_trace_state_share_an_empty_one():
    """An empty trace state equals that of every new root."""
    assert not _otel_private.no_trace_state()
    assert SpanContext(1, 2, is_remote=False).trace_state == _otel_private.no_trace_state()


def test_a_proxy_tracer_knows_its_real_tracer(nemo_lens_isolated):
    """Libraries get tracers before anybody has installed a provider."""
    proxy = trace.get_tracer("early")
    provider = TracerProvider(shutdown_on_exit=False)
    trace.set_tracer_provider(provider)
    assert isinstance(proxy, trace.ProxyTracer)
    assert _otel_private.is_sdk_tracer(_otel_private.real_tracer(proxy))
    assert not _otel_private.is_sdk_tracer(proxy)


def test_only_the_sdks_own_providers_and_ours_count_as_such():
    """A subclass may do things differently."""
    for provider_class in (TracerProvider, LensTracerProvider):
        assert _otel_private.is_sdk_tracer_provider(provider_class(shutdown_on_exit=False))
    other = type("Other", (TracerProvider,), {})
    assert not _otel_private.is_sdk_tracer_provider(other(shutdown_on_exit=False))
    assert not _otel_private.is_sdk_tracer_provider(trace.NoOpTracerProvider())


def test_tracers_and_spans_have_the_parts_that_are_known(tracer):
    """A release with another part is one to look at."""
    assert _otel_private.unknown_parts_of_tracer(tracer) == set()
    assert _otel_private.unknown_parts_of_span(tracer.start_span("s")) == set()
    tracer.new_part = 1
    assert _otel_private.unknown_parts_of_tracer(tracer) == {"new_part"}


def test_a_tracer_is_on_and_counts_nothing_by_default(tracer, monkeypatch, nemo_lens_isolated):
    """Newer releases can switch tracers off, and can report metrics about them."""
    assert _otel_private.tracer_is_enabled(tracer)
    assert not _otel_private.tracer_counts_itself(tracer)
    monkeypatch.setenv("OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED", "true")
    counting = TracerProvider(shutdown_on_exit=False).get_tracer("counting")
    assert _otel_private.tracer_counts_itself(counting) is hasattr(counting, "_tracer_metrics")
    _otel_private.stop_counting(counting)
    assert not _otel_private.tracer_counts_itself(counting)
    counting.start_span("s").end()


def test_samplers_say_what_they_are():
    """Whether a sampler always samples, and what a parent-based one asks."""
    assert _otel_private.always_samples(ALWAYS_ON)
    assert not _otel_private.always_samples(ALWAYS_OFF)
    assert not _otel_private.always_samples(TraceIdRatioBased(1.0))
    assert _otel_private.parent_based_branches(DEFAULT_ON) == (ALWAYS_ON, ALWAYS_ON, ALWAYS_ON)
    given = ParentBased(ALWAYS_OFF, ALWAYS_OFF, local_parent_sampled=ALWAYS_ON)
    assert _otel_private.parent_based_branches(given) == (ALWAYS_OFF, ALWAYS_ON, ALWAYS_OFF)
    assert _otel_private.parent_based_branches(ALWAYS_ON) is None


def test_processors_are_called_one_after_another_by_the_usual_list():
    """Only that list is read; others are called as they are."""
    processor, active = SpanProcessor(), SynchronousMultiSpanProcessor()
    active.add_span_processor(processor)
    assert _otel_private.sequential_processors(active) == (processor,)
    assert _otel_private.sequential_processors(ConcurrentMultiSpanProcessor(1)) is None
    assert _otel_private.sequential_processors(processor) is None


def test_a_processor_that_minds_ending_is_known():
    """The base class does nothing while a span is ending, in releases that ask it."""
    minding = type("Minding", (SpanProcessor,), {"_on_ending": lambda _self, _span: None})
    assert not _otel_private.minds_ending(SpanProcessor())
    assert _otel_private.minds_ending(minding()) is _HAS_ENDING


def test_changes_of_what_is_watched_are_noticed(tracer):
    """Setting an attribute calls back; everything else stays."""
    changes = []
    for owner in (tracer, tracer.span_processor):
        _otel_private.watch(owner, lambda: changes.append(1))
        _otel_private.watch(owner, lambda: changes.append(2))
    assert changes == []
    assert _otel_private.is_sdk_tracer(tracer)
    tracer.sampler = ALWAYS_OFF
    assert (changes, tracer.sampler) == ([2], ALWAYS_OFF)
    processor = SpanProcessor()
    tracer.span_processor.add_span_processor(processor)
    assert changes == [2, 2]
    assert _otel_private.sequential_processors(tracer.span_processor) == (processor,)


@pytest.mark.parametrize("module", [http_exporter, grpc_exporter])
def test_the_official_exporters_name_their_encoder(module):
    """Our subclass sees another encoder; the official class goes on as it was."""
    official = module.OTLPSpanExporter
    ours = _otel_private.directly_encoding(official, "encode_spans", encode_spans)
    assert ours is not official
    assert issubclass(ours, official)
    replaced = set(vars(ours)) & {"export", "_serialize_spans", "_translate_data"}
    assert len(replaced) == 1
    (name,) = replaced
    assert vars(ours)[name].__globals__["encode_spans"] is encode_spans
    assert vars(official)[name].__globals__["encode_spans"] is not encode_spans


def test_a_release_that_encodes_elsewhere_keeps_its_class():
    """Then the official encoder is used."""

    class Elsewhere:
        def export(self, spans):
            return spans

    assert _otel_private.directly_encoding(Elsewhere, "encode_spans", encode_spans) is Elsewhere


@pytest.mark.parametrize("transport", ["http_receiver", "grpc_receiver"])
def test_the_official_transport_sends_our_bytes(
    clean_environment, request, transport, tracer, monkeypatch
):
    """Both official exporters send what is bytes already, and parse the collector's answer."""
    receiver = request.getfixturevalue(transport)
    clean_environment(
        **receiver.environment(),
        OTEL_EXPORTER_OTLP_HEADERS="x-test=1",
        OTEL_EXPORTER_OTLP_COMPRESSION="gzip",
    )
    made = []
    from nemo.lens.sdk.exporters import span_protobuf

    encode = span_protobuf.encoded_request
    monkeypatch.setattr(
        span_protobuf, "encoded_request", lambda spans: made.append(len(spans)) or encode(spans)
    )
    with tracer.start_as_current_span("direct", attributes={"x": 1}) as span:
        pass
    sink = OtlpSink("traces", lambda batch: batch)
    assert sink.send([span]).name == "DELIVERED"
    sink.close()
    assert made == [1]
    assert receiver.span_names() == ["direct"]
    (_signal, headers), *_ = receiver.requests
    assert headers["x-test"] == "1"


def test_the_ids_on_the_wire_are_those_of_the_contexts(tracer):
    """Encoders read ids without asking for context objects."""
    with tracer.start_as_current_span("a") as a, tracer.start_as_current_span("b") as b:
        origin = a.get_span_context()
    ids = (b.context.trace_id, b.context.span_id, b.context.trace_state)
    assert _otel_private.wire_contexts(b) == (ids, (origin.span_id, False))
    assert _otel_private.wire_contexts(a)[1] is None


def test_the_official_encoder_is_there(tracer):
    """It takes what is unusual."""
    span = tracer.start_span("s", attributes={"x": 1})
    span.end()
    assert _otel_private.official_span_encoder()([span]).resource_spans


def test_spans_are_made_by_the_class_that_is_compared(tracer):
    """The rehearsal compares with what tracers really make."""
    assert type(tracer.start_span("s")) is sdk_trace._Span
