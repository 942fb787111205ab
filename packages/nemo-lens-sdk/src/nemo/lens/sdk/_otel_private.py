# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: SLF001 - private names are what this module is for
# pyright: reportPrivateUsage=false, reportAttributeAccessIssue=false, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportPrivateImportUsage=false
"""Every private OpenTelemetry name that NeMo Lens uses, in one place.

Each function here has a canary test of its own, so that an OpenTelemetry release that moves one
of these names fails a test that says which. Public code of this package calls these functions and
knows none of the names. One module although it is long: who looks for what a new release may have
broken looks here, and nowhere else.
"""

from __future__ import annotations

import copy
import functools
import inspect
import threading
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from opentelemetry import context as context_api
from opentelemetry import metrics as metrics_api
from opentelemetry import trace as trace_api
from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY, Context
from opentelemetry.context.contextvars_context import ContextVarsRuntimeContext
from opentelemetry.metrics._internal import _ProxyMeterProvider
from opentelemetry.trace import SpanContext
from opentelemetry.trace.propagation import _SPAN_KEY

from nemo.lens.sdk import generations
from nemo.lens.sdk.inherited_locks import renew_locks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricExporter, MetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    from nemo.lens.sdk.lens_providers import LensTracerProvider

OTLP_LOG_EXPORTER = "_log_exporter"
EXPORTER_MODULES = (
    "opentelemetry.exporter.otlp.common.http",
    "opentelemetry.exporter.otlp.proto.grpc.exporter",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    f"opentelemetry.exporter.otlp.proto.http.{OTLP_LOG_EXPORTER}",
)
"""Where the official exporters send from, draw random numbers, and log what went wrong."""

EXEMPLAR_RESERVOIRS = "opentelemetry.sdk.metrics._internal.exemplar.exemplar_reservoir"
"""What picks exemplars, with `randrange`."""

_TRACER_FIELDS = frozenset(
    {
        "_instrumentation_scope",
        "_nemo_lens_changed",
        "_span_limits",
        "_tracer_config",
        "_tracer_metrics",
        "id_generator",
        "instrumentation_info",
        "resource",
        "sampler",
        "span_processor",
    }
)
_SPAN_FIELDS = frozenset(
    {
        "_attributes",
        "_context",
        "_end_time",
        "_events",
        "_instrumentation_info",
        "_instrumentation_scope",
        "_kind",
        "_limits",
        "_links",
        "_lock",
        "_name",
        "_parent",
        "_record_end_metrics",
        "_record_exception",
        "_resource",
        "_sampler",
        "_set_status_on_exception",
        "_span_processor",
        "_start_time",
        "_status",
        "_trace_config",
    }
)
_CHANGED = "_nemo_lens_changed"
_UNWATCHED = "_nemo_lens_unwatched"


def suppress_instrumentation() -> object:
    """Keep instrumented HTTP and gRPC clients from tracing the exports of this thread."""
    return context_api.attach(context_api.set_value(_SUPPRESS_INSTRUMENTATION_KEY, True))


def no_meter_provider_installed() -> bool:
    """True while nobody has installed a global meter provider."""
    return isinstance(metrics_api.get_meter_provider(), _ProxyMeterProvider)


def no_tracer_provider_installed() -> bool:
    """True while nobody has installed a global tracer provider."""
    return isinstance(trace_api.get_tracer_provider(), trace_api.ProxyTracerProvider)


def no_logger_provider_installed() -> bool:
    """True while nobody has installed a global logger provider."""
    from opentelemetry._logs import get_logger_provider
    from opentelemetry._logs._internal import ProxyLoggerProvider

    return isinstance(get_logger_provider(), ProxyLoggerProvider)


def renew_tracer_provider(installed: LensTracerProvider, fresh: TracerProvider) -> None:
    """Make an installed, shut down provider and all its tracers work like a fresh one.

    OpenTelemetry accepts one global provider per process, and libraries keep the tracers that they
    got from it; after this both lead into the pipeline of the new set-up.
    """
    tracers = list(installed.tracers)
    installed.__dict__ = fresh.__dict__
    for tracer in tracers:
        installed.tracers.add(tracer)
        tracer.sampler = fresh.sampler
        tracer.resource = fresh.resource
        tracer.span_processor = fresh._active_span_processor
        tracer.id_generator = fresh.id_generator
        tracer._span_limits = fresh._span_limits


def renew_meter_provider(installed: MeterProvider, fresh: MeterProvider) -> None:
    """Make an installed, shut down meter provider and its instruments feed fresh readers."""
    kept, consumer = installed._measurement_consumer, fresh._measurement_consumer
    consumer._async_instruments[:0] = kept._async_instruments
    fresh._meters.update(installed._meters)
    kept.__dict__ = consumer.__dict__
    installed.__dict__ = fresh.__dict__
    # The instruments have this one, so that the next set-up has to find it here as well.
    installed._measurement_consumer = kept


def renew_logger_provider(installed: Any, fresh: Any) -> None:
    """Make an installed, shut down logger provider work like a fresh one."""
    for logger in installed._logger_cache.values():
        logger._resource = fresh._resource
        logger._multi_log_record_processor = fresh._multi_log_record_processor
    fresh._logger_cache.update(installed._logger_cache)
    installed.__dict__ = fresh.__dict__


def remove_span_processor(provider: TracerProvider, processor: object) -> None:
    """Take a processor out of a provider that belongs to the application."""
    active = provider._active_span_processor
    left = tuple(p for p in active._span_processors if p is not processor)
    active._span_processors = left


def remove_log_processor(provider: Any, processor: object) -> None:
    """Take a log record processor out of a provider that belongs to the application."""
    active = provider._multi_log_record_processor
    left = tuple(p for p in active._log_record_processors if p is not processor)
    active._log_record_processors = left


def add_metric_reader(provider: MeterProvider, reader: MetricReader) -> bool:
    """Add a reader to a provider that belongs to the application; False when it cannot be.

    The reader may have been built into a provider of ours, which nobody will use then: the SDK
    refuses readers that another provider has.
    """
    add = getattr(provider, "add_metric_reader", None)
    if add is None:
        return False
    provider._all_metric_readers.discard(reader)
    add(reader)
    return True


def remove_metric_reader(provider: Any, reader: MetricReader) -> None:
    """Take a reader out again, without the shutdown that the provider's own method adds."""
    provider._measurement_consumer.remove_metric_reader(reader)
    reader._set_collect_callback(cast("Any", None))
    provider._all_metric_readers.discard(reader)


def preferences(exporter: MetricExporter) -> dict[str, Any]:
    """The temporality and aggregation that a metric exporter asks its reader for."""
    return {
        "preferred_temporality": exporter._preferred_temporality,
        "preferred_aggregation": exporter._preferred_aggregation,
    }


def renew_after_fork(
    tracer_provider: LensTracerProvider | None,
    meter_provider: MeterProvider | None,
    logger_provider: Any,
    resource: Resource,
) -> None:
    """Give the providers of a forked child its own resource, and locks that nobody holds.

    Another thread may have held any of these locks at the fork; it does not exist in the child.
    Metric streams start from zero: the parent goes on reporting what it had collected.
    """
    if tracer_provider is not None:
        renew_locks(tracer_provider)
        tracer_provider._resource = resource
        for tracer in list(tracer_provider.tracers):
            tracer.resource = resource
    if meter_provider is not None:
        _renew_meter_provider_after_fork(meter_provider, resource)
    if logger_provider is not None:
        renew_locks(logger_provider)
        logger_provider._resource = resource
        for logger in logger_provider._logger_cache.values():
            logger._resource = resource


def _renew_meter_provider_after_fork(provider: MeterProvider, resource: Resource) -> None:
    from opentelemetry.sdk.metrics._internal.metric_reader_storage import MetricReaderStorage

    renew_locks(provider)
    type(provider)._all_metric_readers_lock = threading.Lock()
    provider._sdk_config.resource = resource
    for meter in provider._meters.values():
        renew_locks(meter)
    consumer = provider._measurement_consumer
    renew_locks(consumer)
    for reader in consumer._reader_storages:
        renew_locks(reader)
    consumer._reader_storages = {
        reader: MetricReaderStorage(
            provider._sdk_config,
            cast("Any", reader._instrument_class_temporality),
            cast("Any", reader._instrument_class_aggregation),
        )
        for reader in consumer._reader_storages
    }


def new_logger_provider(resource: Resource, processor: Any) -> Any:
    """Build a logger provider that hands its records to one processor."""
    provider = _lens_logger_provider_class()(resource=resource, shutdown_on_exit=False)
    provider.add_log_record_processor(processor)
    return provider


@functools.cache
def _lens_logger_provider_class() -> Any:
    from opentelemetry.sdk._logs import LoggerProvider

    lens = type("LensLoggerProvider", (LoggerProvider,), {"_handle_fork": _leave_alone})
    return generations.mark(lens)


def _leave_alone(_provider: Any) -> None:
    """Leave a fork to the runtime, which renews all providers together."""


def is_lens_logger_provider(provider: object) -> bool:
    """True for logger providers from `new_logger_provider`."""
    return generations.is_ours(provider)


def is_sdk_logger_provider(provider: object) -> bool:
    """True for logger providers of the SDK, which take processors."""
    from opentelemetry.sdk._logs import LoggerProvider

    return isinstance(provider, LoggerProvider)


def get_logger_provider() -> Any:
    """The global logger provider."""
    from opentelemetry._logs import get_logger_provider as get_global

    return get_global()


def set_logger_provider(provider: Any) -> None:
    """Install the global logger provider."""
    from opentelemetry._logs import set_logger_provider as set_global

    set_global(provider)


def feeds_logger_provider(handler: Any, provider: Any) -> bool:
    """True when a log handler of OpenTelemetry emits to `provider`, or to whatever is global."""
    from opentelemetry._logs._internal import ProxyLoggerProvider

    fed = getattr(handler, "_logger_provider", provider)
    return fed is provider or isinstance(fed, ProxyLoggerProvider)


def readable_log_record(emitted: Any) -> Any:
    """What a log exporter accepts, from what a log processor gets.

    Since OpenTelemetry 1.39 exporters want a read-only record; before, both are the same.
    """
    record = copy.copy(emitted.log_record)
    if hasattr(record, "context"):
        # A queued record would keep the span, and whatever else is in there, alive.
        record.context = Context()
    try:
        from opentelemetry.sdk._logs import ReadableLogRecord
    except ImportError:
        readable = copy.copy(emitted)
        readable.log_record = record
        return readable
    return ReadableLogRecord(
        log_record=record,
        resource=emitted.resource,
        instrumentation_scope=emitted.instrumentation_scope,
        limits=emitted.limits,
    )


def emit_log(provider: Any, name: str, fields: dict[str, Any], resource: Resource) -> None:
    """Emit one log record with the current span's ids through the logger called `name`."""
    provider.get_logger(name).emit(_log_record_factory()(fields, resource))


@functools.cache
def _log_record_factory() -> Callable[[dict[str, Any], Resource], Any]:
    """How the SDK wants to be given a record; each way is deprecated in the versions after it."""
    from opentelemetry._logs import LogRecord as ApiLogRecord
    from opentelemetry.sdk import _logs as sdk_logs

    def of_the_api(fields: dict[str, Any], _resource: Resource) -> Any:
        return ApiLogRecord(context=context_api.get_current(), **fields)

    def with_context(fields: dict[str, Any], resource: Resource) -> Any:
        context = context_api.get_current()
        return vars(sdk_logs)["LogRecord"](resource=resource, context=context, **fields)

    def with_ids(fields: dict[str, Any], resource: Resource) -> Any:
        span = trace_api.get_current_span().get_span_context()
        ids = {"trace_id": span.trace_id, "span_id": span.span_id, "trace_flags": span.trace_flags}
        return vars(sdk_logs)["LogRecord"](resource=resource, **ids, **fields)

    if "timestamp" in inspect.signature(sdk_logs.Logger.emit).parameters:
        return of_the_api  # since 1.38
    if "context" in inspect.signature(ApiLogRecord).parameters:
        return with_context  # 1.35 to 1.37
    return with_ids


def encode_logs(batch: Sequence[Any]) -> Any:
    """The official protobuf message of log records."""
    from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs as encode

    return encode(batch)


def watching_grpc_exporter(exporter_class: Any, wrap: Callable[[Any], Any]) -> Any:
    """Subclass an official gRPC exporter so that `wrap` sees every stub it calls through.

    The exporter assigns its stub when it is built and whenever it reconnects.
    """

    def get_stub(exporter: Any) -> Any:
        return vars(exporter).get("_lens_stub")

    def set_stub(exporter: Any, stub: Any) -> None:
        vars(exporter)["_lens_stub"] = None if stub is None else wrap(stub)

    return type(
        exporter_class.__name__, (exporter_class,), {"_client": property(get_stub, set_stub)}
    )


def plain_attributes(span: Any) -> dict[str, Any]:
    """The attributes of an ended span as the plain dictionary inside, with no lock and no copy."""
    attributes = span._attributes
    return getattr(attributes, "_dict", attributes) or {}


def span_clocks() -> list[tuple[ModuleType, str]]:
    """The module globals through which spans and their events look at the clock."""
    from opentelemetry.sdk import trace as sdk_trace

    from nemo.lens.sdk.fast_spans import exception_event, opening

    return [
        (module, name)
        for module in (sdk_trace, opening, exception_event)
        for name in ("time_ns", "monotonic_ns")
        if hasattr(module, name)
    ]


def span_key() -> str:
    """The key under which a context holds the current span."""
    return _SPAN_KEY


def uses_contextvars() -> bool:
    """True when OpenTelemetry keeps the current context in a `contextvars` variable, as usual."""
    return type(context_api._RUNTIME_CONTEXT) is ContextVarsRuntimeContext


def context_variable() -> tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], None]]:
    """How to get the current context, to set it, and to take a setting back by its token."""
    variable = cast("Any", context_api._RUNTIME_CONTEXT)._current_context
    return variable.get, variable.set, variable.reset


def draws_from_global_random(generator: Any) -> bool:
    """True for OpenTelemetry's own ids, which are bits of the global stream of `random`."""
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    return type(generator) is RandomIdGenerator


def holder_of_global_provider() -> Any:
    """The module whose `_TRACER_PROVIDER` is the global tracer provider once there is one."""
    return trace_api


def no_trace_state() -> Any:
    """The trace state of contexts that have none."""
    return SpanContext(1, 1, is_remote=False).trace_state


def real_tracer(tracer: Any) -> Any:
    """What a tracer that was got before any provider was installed hands its calls to."""
    return tracer._tracer if type(tracer) is trace_api.ProxyTracer else tracer


def is_sdk_tracer_provider(provider: Any) -> bool:
    """True for the SDK's own provider, not for classes that may do things differently."""
    from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider

    kind = type(provider)
    return kind is SdkTracerProvider or kind.__name__ == "LensTracerProvider"


def is_sdk_tracer(tracer: Any) -> bool:
    """True for the SDK's own tracers, not for classes that may do things differently."""
    from opentelemetry.sdk.trace import Tracer

    return _unwatched(type(tracer)) is Tracer


def unknown_parts_of_tracer(tracer: Any) -> set[str]:
    """Fields of a tracer that no release known to us has."""
    return set(vars(tracer)) - _TRACER_FIELDS


def unknown_parts_of_span(span: Any) -> set[str]:
    """Fields of a span that no release known to us has."""
    return set(vars(span)) - _SPAN_FIELDS


def tracer_is_enabled(tracer: Any) -> bool:
    """Whether the tracer's configurator leaves it on; releases without configurators always do."""
    return not hasattr(tracer, "_is_enabled") or bool(tracer._is_enabled())


def tracer_counts_itself(tracer: Any) -> bool:
    """Whether the SDK reports metrics about the spans of this tracer."""
    metrics = getattr(tracer, "_tracer_metrics", None)
    return metrics is not None and type(metrics).__name__ != "NoOpTracerMetrics"


def stop_counting(tracer: Any) -> None:
    """Keep a tracer from reporting metrics about its spans."""
    if tracer_counts_itself(tracer):
        from opentelemetry.sdk.trace._tracer_metrics import NoOpTracerMetrics

        tracer._tracer_metrics = NoOpTracerMetrics()


def always_samples(sampler: Any) -> bool:
    """Whether a sampler records every span, adds nothing and keeps the parent's trace state."""
    from opentelemetry.sdk.trace.sampling import Decision, StaticSampler

    if type(sampler).should_sample is not StaticSampler.should_sample:
        return False
    return sampler._decision is Decision.RECORD_AND_SAMPLE


def parent_based_branches(sampler: Any) -> tuple[Any, Any, Any] | None:
    """What a parent-based sampler asks for roots and under local and remote sampled parents."""
    from opentelemetry.sdk.trace.sampling import ParentBased

    if type(sampler).should_sample is not ParentBased.should_sample:
        return None
    return sampler._root, sampler._local_parent_sampled, sampler._remote_parent_sampled


def sequential_processors(active: Any) -> tuple[Any, ...] | None:
    """The processors that are called one after another; None when they are called otherwise."""
    from opentelemetry.sdk.trace import SynchronousMultiSpanProcessor

    if _unwatched(type(active)) is not SynchronousMultiSpanProcessor:
        return None
    return tuple(active._span_processors)


def minds_ending(processor: Any) -> bool:
    """Whether a processor wants to be called while a span is ending, where the SDK does that."""
    from opentelemetry.sdk.trace import SpanProcessor

    base = getattr(SpanProcessor, "_on_ending", None)
    return base is not None and getattr(processor._on_ending, "__func__", None) is not base


def watch(owner: Any, changed: Callable[[], None]) -> None:
    """Call `changed` after any attribute of a tracer, or of a list of processors, was set.

    The object gets a subclass of its class; nothing else about it changes.
    """
    vars(owner)[_CHANGED] = changed
    object.__setattr__(owner, "__class__", _watched_class(_unwatched(type(owner))))


@functools.cache
def _watched_class(kind: type) -> type:
    def set_attribute(owner: Any, name: str, value: object) -> None:
        object.__setattr__(owner, name, value)
        vars(owner)[_CHANGED]()

    names = {"__setattr__": set_attribute, "__module__": kind.__module__, _UNWATCHED: kind}
    return type(kind.__name__, (kind,), names)


def _unwatched(kind: type) -> type:
    original: type = vars(kind).get(_UNWATCHED, kind)
    return original


def official_span_encoder() -> Any:
    """The function that makes the official protobuf message of spans."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    return encode_spans


def directly_encoding(exporter_class: Any, encoder: str, encode: Callable[[Any], Any]) -> Any:
    """Subclass an official exporter so that `encode` makes what it sends.

    The exporter's own methods run, with another function in the place of the official encoder;
    everything about the transport stays as it is. A release whose methods do not name that encoder
    gets its class back unchanged.

    Args:
        exporter_class: An HTTP or a gRPC exporter.
        encoder: Name of the official encoder, e.g. "encode_spans".
        encode: Makes an object with `SerializeToString` and `SerializePartialToString`.
    """
    replaced = {
        name: _with_global(function, encoder, encode)
        for name, function in vars(exporter_class).items()
        if isinstance(function, FunctionType) and encoder in function.__code__.co_names
    }
    return (
        type(exporter_class.__name__, (exporter_class,), replaced) if replaced else exporter_class
    )


def _serialized(request: Any) -> bytes:
    content: bytes = request.SerializeToString()
    return content


def sending_bytes(exporter_class: Any) -> Any:
    """Subclass an official gRPC span exporter so that its stub sends what serialises itself."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    class Stub:
        def __init__(self, channel: Any) -> None:
            self.Export = channel.unary_unary(
                "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
                request_serializer=_serialized,
                response_deserializer=ExportTraceServiceResponse.FromString,
            )

    stub = property(lambda _exporter: Stub, lambda _exporter, _given: None)
    return type(exporter_class.__name__, (exporter_class,), {"_stub": stub})


def _with_global(function: FunctionType, name: str, value: object) -> FunctionType:
    """Copy a function so that it, and only it, sees another value of one global."""
    copied = FunctionType(
        function.__code__,
        {**function.__globals__, name: value},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copied.__kwdefaults__ = function.__kwdefaults__
    return copied


def wire_contexts(span: Any) -> tuple[tuple[int, int, Any], tuple[int, bool] | None]:
    """The ids of a span and its parent, without making context objects that nobody keeps.

    Returns:
        Trace id, span id and trace state; the parent's span id and whether it is remote, or None.
    """
    fields = getattr(span, "wire_contexts", None)
    if fields is not None:
        answer: tuple[tuple[int, int, Any], tuple[int, bool] | None] = fields()
        return answer
    context, parent = span._context, span._parent
    ids = context.trace_id, context.span_id, context.trace_state
    return ids, None if parent is None else (parent.span_id, parent.is_remote)
