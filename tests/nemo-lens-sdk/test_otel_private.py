# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One canary for each private OpenTelemetry name: what we rely on is still there and works so."""

from __future__ import annotations

import random
import threading

from opentelemetry import metrics, trace
from opentelemetry.context import get_current
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.building import LensMeterProvider, LensTracerProvider
from nemo.lens.sdk.exporters.routes import OtlpRoute
from nemo.lens.sdk.exporters.wire import Attempt, WatchedStub
from nemo.lens.sdk.log_processor import LensLogProcessor


def _provider(exporter, provider_class=TracerProvider):
    provider = provider_class(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider


def test_suppression_is_the_key_that_instrumentations_look_at():
    """Instrumented HTTP clients leave a thread alone that has it in its context."""
    from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY

    seen = []

    def work():
        _otel_private.suppress_instrumentation()
        seen.append(get_current().get(_SUPPRESS_INSTRUMENTATION_KEY))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


def test_exemplar_reservoirs_draw_from_our_generator():
    """Otherwise recording a metric would move the stream that seeded the training."""
    _otel_private.isolate_random_streams()
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], shutdown_on_exit=False)
    tracer = _provider(InMemorySpanExporter()).get_tracer("t")
    histogram = meters.get_meter("m").create_histogram("h")
    gauge = meters.get_meter("m").create_gauge("g")
    with tracer.start_as_current_span("s"):
        random.seed(5)
        expected = random.random()
        random.seed(5)
        for number in range(50):
            histogram.record(number)
            gauge.set(number)
    assert random.random() == expected
    meters.shutdown()


def test_proxies_mean_that_nobody_installed_a_provider():
    """Before and after installing one, for all three signals."""
    assert _otel_private.no_tracer_provider_installed()
    assert _otel_private.no_meter_provider_installed()
    assert _otel_private.no_logger_provider_installed()
    trace.set_tracer_provider(TracerProvider(shutdown_on_exit=False))
    metrics.set_meter_provider(MeterProvider(shutdown_on_exit=False))
    processor = LensLogProcessor((), lambda _timeout_ms: True)
    _otel_private.set_logger_provider(
        _otel_private.new_logger_provider(Resource.get_empty(), processor)
    )
    assert not _otel_private.no_tracer_provider_installed()
    assert not _otel_private.no_meter_provider_installed()
    assert not _otel_private.no_logger_provider_installed()
    assert _otel_private.is_lens_logger_provider(_otel_private.get_logger_provider())


def test_a_renewed_tracer_provider_exports_through_the_fresh_one():
    """Also for tracers that were handed out before."""
    old, new = InMemorySpanExporter(), InMemorySpanExporter()
    installed = _provider(old, LensTracerProvider)
    tracer = installed.get_tracer("before")
    fresh = LensTracerProvider(resource=Resource({"fresh": True}), shutdown_on_exit=False)
    fresh.add_span_processor(SimpleSpanProcessor(new))
    _otel_private.renew_tracer_provider(installed, fresh)
    tracer.start_span("a").end()
    installed.get_tracer("after").start_span("b").end()
    assert [span.name for span in new.get_finished_spans()] == ["a", "b"]
    assert all(span.resource.attributes["fresh"] for span in new.get_finished_spans())
    assert old.get_finished_spans() == ()


def test_a_renewed_meter_provider_feeds_the_fresh_reader():
    """Also from instruments, observable ones too, that were made before."""
    old, new = InMemoryMetricReader(), InMemoryMetricReader()
    installed = LensMeterProvider([old], shutdown_on_exit=False)
    meter = installed.get_meter("m")
    counter = meter.create_counter("c")
    meter.create_observable_gauge("o", [lambda _options: [metrics.Observation(3)]])
    installed.shutdown()
    fresh = LensMeterProvider([new], shutdown_on_exit=False)
    _otel_private.renew_meter_provider(installed, fresh)
    counter.add(2)
    installed.get_meter("other").create_counter("d").add(1)
    found = {
        metric.name
        for scope in new.get_metrics_data().resource_metrics[0].scope_metrics
        for metric in scope.metrics
    }
    assert found == {"c", "o", "d"}


def test_after_a_fork_providers_have_new_locks_and_metrics_start_from_zero():
    """Even a lock that was held at the fork does not hold up the child."""
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], shutdown_on_exit=False)
    counter = meters.get_meter("m").create_counter("c")
    counter.add(10)
    exporter = InMemorySpanExporter()
    provider = _provider(exporter, LensTracerProvider)
    tracer = provider.get_tracer("t")
    meters._measurement_consumer._lock.acquire()
    resource = Resource({"process.pid": 1})
    processor = LensLogProcessor((), lambda _timeout_ms: True)
    logs = _otel_private.new_logger_provider(Resource.get_empty(), processor)
    _otel_private.renew_after_fork(provider, meters, logs, resource)
    counter.add(1)
    data = reader.get_metrics_data().resource_metrics[0]
    assert data.scope_metrics[0].metrics[0].data.data_points[0].value == 1
    tracer.start_span("s").end()
    assert exporter.get_finished_spans()[0].resource is resource
    assert data.resource is resource
    assert logs.resource is resource


def test_a_processor_can_be_taken_out_of_a_provider():
    """What we added to a provider of the application goes when we go."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    _otel_private.remove_span_processor(provider, processor)
    provider.get_tracer("t").start_span("s").end()
    assert exporter.get_finished_spans() == ()


def test_metric_exporters_say_what_they_prefer(clean_environment):
    """The official exporter reads its own variable for the temporality."""
    from opentelemetry.sdk.metrics import Counter
    from opentelemetry.sdk.metrics.export import AggregationTemporality

    clean_environment(OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE="DELTA")
    route = OtlpRoute()
    preferences = route.metric_preferences(route.metric_sink())
    assert preferences["preferred_temporality"][Counter] is AggregationTemporality.DELTA


def test_plain_attributes_are_the_dictionary_inside():
    """Reading it takes no lock and makes no copy."""
    exporter = InMemorySpanExporter()
    _provider(exporter).get_tracer("t").start_span("s", attributes={"a": 1}).end()
    (span,) = exporter.get_finished_spans()
    attributes = _otel_private.plain_attributes(span)
    assert type(attributes) in {dict, __import__("collections").OrderedDict}
    assert attributes == {"a": 1}


def test_every_stub_of_a_grpc_exporter_is_seen(clean_environment):
    """The one it is built with, and those of later reconnections."""
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    attempt = Attempt()
    watching = _otel_private.watching_grpc_exporter(
        OTLPSpanExporter, lambda stub: WatchedStub(stub, attempt)
    )
    exporter = watching(endpoint="http://127.0.0.1:1", timeout=1)
    assert isinstance(exporter._client, WatchedStub)
    exporter._client = object()
    assert isinstance(exporter._client, WatchedStub)
    exporter.shutdown()


def test_severities_are_those_of_the_specification():
    """Four steps for each of the five levels."""
    levels = {10: "DEBUG", 20: "INFO", 21: "INFO2", 30: "WARN", 40: "ERROR", 50: "FATAL"}
    assert {level: _otel_private.severity_number(level).name for level in levels} == levels
    assert _otel_private.severity_number(0).value == 0
    assert _otel_private.severity_number(99).name == "FATAL4"


def test_span_clocks_are_what_the_sdk_looks_at(nemo_lens_clock):
    """A span takes its times from there."""
    exporter = InMemorySpanExporter()
    tracer = _provider(exporter).get_tracer("t")
    nemo_lens_clock.advance(4)
    span = tracer.start_span("s")
    nemo_lens_clock.advance(2)
    span.end()
    (ended,) = exporter.get_finished_spans()
    assert (ended.start_time, ended.end_time) == (5_000_000_000, 7_000_000_000)


def test_console_exporters_still_print_json():
    """Our console lines are what `to_json` of the SDK's own exporter gives."""
    exporter = InMemorySpanExporter()
    _provider(exporter).get_tracer("t").start_span("s").end()
    (span,) = exporter.get_finished_spans()
    assert ConsoleSpanExporter().formatter(span).strip() == span.to_json()
