# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One canary for each private OpenTelemetry name: what we rely on is still there and works so."""

from __future__ import annotations

import threading

import pytest
from opentelemetry import metrics, trace
from opentelemetry._logs import SeverityNumber
from opentelemetry.context import attach, detach, get_current, set_value
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.exporters.routes import OtlpRoute
from nemo.lens.sdk.exporters.wire import Attempt, WatchedStub
from nemo.lens.sdk.lens_providers import LensMeterProvider, LensTracerProvider
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


@pytest.mark.parametrize("times", [1, 3])
def test_a_renewed_meter_provider_feeds_the_fresh_reader(times):
    """Also from instruments, observable ones too, that were made before; as often as wanted."""
    installed = LensMeterProvider([InMemoryMetricReader()], shutdown_on_exit=False)
    meter = installed.get_meter("m")
    counter = meter.create_counter("c")
    meter.create_observable_gauge("o", [lambda _options: [metrics.Observation(3)]])
    for _ in range(times):
        installed.shutdown()
        new = InMemoryMetricReader()
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


class _Seen(LensLogProcessor):
    """Keeps the records that it gets, as an exporter would see them."""

    def __init__(self):
        super().__init__((), lambda _timeout_ms: True)
        self.records = []

    def on_emit(self, log_record):
        self.records.append(_otel_private.readable_log_record(log_record))

    @property
    def bodies(self):
        return [readable.log_record.body for readable in self.records]


def test_a_log_processor_can_be_taken_out_of_a_provider():
    """As a span processor can."""
    provider = LoggerProvider(shutdown_on_exit=False)
    seen = _Seen()
    provider.add_log_record_processor(seen)
    _otel_private.emit_log(provider, "qa", {"body": "seen"}, provider.resource)
    _otel_private.remove_log_processor(provider, seen)
    _otel_private.emit_log(provider, "qa", {"body": "unseen"}, provider.resource)
    assert seen.bodies == ["seen"]


def test_a_record_is_emitted_with_its_span_and_its_resource_and_can_be_encoded():
    """What an exporter gets is what the official encoder takes, on every supported release."""
    seen = _Seen()
    resource = Resource({"qa": "resource"})
    provider = _otel_private.new_logger_provider(resource, seen)
    tracer = _provider(InMemorySpanExporter()).get_tracer("t")
    with tracer.start_as_current_span("s") as span:
        fields = {"body": "b", "timestamp": 5, "severity_number": SeverityNumber.INFO}
        _otel_private.emit_log(provider, "qa.logger", fields, resource)
    message = _otel_private.encode_logs(seen.records)
    (block,) = message.resource_logs
    assert [pair.value.string_value for pair in block.resource.attributes] == ["resource"]
    (scope,) = block.scope_logs
    assert scope.scope.name == "qa.logger"
    (record,) = scope.log_records
    assert (record.body.string_value, record.time_unix_nano) == ("b", 5)
    assert record.trace_id == span.get_span_context().trace_id.to_bytes(16, "big")
    assert record.span_id == span.get_span_context().span_id.to_bytes(8, "big")


def test_a_readable_record_does_not_hold_the_context_it_was_emitted_in():
    """A queued record would keep the span, and whatever else is in there, alive."""
    seen = _Seen()
    provider = _otel_private.new_logger_provider(Resource.get_empty(), seen)
    token = attach(set_value("qa", "large"))
    try:
        _otel_private.emit_log(provider, "qa", {"body": "b"}, Resource.get_empty())
    finally:
        detach(token)
    (readable,) = seen.records
    assert not getattr(readable.log_record, "context", None)


def test_a_renewed_logger_provider_feeds_the_fresh_processor():
    """Also through loggers that were handed out before."""
    old, new = _Seen(), _Seen()
    installed = _otel_private.new_logger_provider(Resource({"fresh": "no"}), old)
    _otel_private.emit_log(installed, "before", {"body": "old"}, installed.resource)
    fresh = _otel_private.new_logger_provider(Resource({"fresh": "yes"}), new)
    installed.shutdown()
    _otel_private.renew_logger_provider(installed, fresh)
    for name in ("before", "after"):
        fields = {"body": name, "severity_number": SeverityNumber.INFO}
        _otel_private.emit_log(installed, name, fields, installed.resource)
    assert (old.bodies, new.bodies) == (["old"], ["before", "after"])
    (block,) = _otel_private.encode_logs(new.records).resource_logs
    assert [pair.value.string_value for pair in block.resource.attributes] == ["yes"]


def test_a_reader_moves_to_another_meter_provider_and_out_of_it_where_the_release_can():
    """It sees instruments of before; where it cannot be added, that is said."""
    meters = MeterProvider(shutdown_on_exit=False)
    counter = meters.get_meter("m").create_counter("c")
    reader = InMemoryMetricReader()
    ours = LensMeterProvider([reader], shutdown_on_exit=False)
    added = _otel_private.add_metric_reader(meters, reader)
    assert added == hasattr(MeterProvider, "add_metric_reader")
    counter.add(3)
    data = reader.get_metrics_data() if added else None
    points = [
        point.value
        for resource_metrics in (data.resource_metrics if data else ())
        for scope in resource_metrics.scope_metrics
        for metric in scope.metrics
        for point in metric.data.data_points
    ]
    assert points == ([3] if added else [])
    if added:
        _otel_private.remove_metric_reader(meters, reader)
        counter.add(4)
        assert reader.get_metrics_data() is None
        assert _otel_private.add_metric_reader(meters, reader)
    ours.shutdown()


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

    attempt = Attempt("traces")
    watching = _otel_private.watching_grpc_exporter(
        OTLPSpanExporter, lambda stub: WatchedStub(stub, attempt)
    )
    exporter = watching(endpoint="http://127.0.0.1:1", timeout=1)
    assert isinstance(exporter._client, WatchedStub)
    exporter._client = object()
    assert isinstance(exporter._client, WatchedStub)
    exporter.shutdown()


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
