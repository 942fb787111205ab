# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Build the pipeline and the providers of one set-up; nothing here is visible to the process yet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource

from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.resources.composition import compose_resource
from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.black_box import route as black_box
from nemo.lens.sdk.export_queue import ExportQueue
from nemo.lens.sdk.exporters.routes import Route, routes_of
from nemo.lens.sdk.exporters.selection import exporters_by_signal
from nemo.lens.sdk.ids import generator_of as id_generator_of
from nemo.lens.sdk.lens_providers import LensMeterProvider, LensTracerProvider
from nemo.lens.sdk.log_processor import LensLogProcessor
from nemo.lens.sdk.metric_lanes import CollectingReader, ForeignReaderLane, MetricLane
from nemo.lens.sdk.pipeline import Lane, Pipeline
from nemo.lens.sdk.processor import LensSpanProcessor
from nemo.lens.sdk.random_streams import isolate_random_streams
from nemo.lens.sdk.sampling import rank_aware_sampler
from nemo.lens.sdk.views import views_of
from nemo.lens.setup_arguments import described

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.sdk.trace.export import SpanExporter

    from nemo.lens.config import NemoLensConfig
    from nemo.lens.sdk.black_box.recorder import Recorder
    from nemo.lens.sdk.companion import Companion
    from nemo.lens.sdk.export_queue import Sink

_BATCH_SIZE = 512
_LOG_QUEUE_SIZE = 16_384
_SHORTEST_DELAY_S = 0.001
_GIVEN_EXPORTER_DELAY_S = 0.2


@dataclass
class Build:
    """What a set-up has built and not yet installed."""

    resource: Resource
    pipeline: Pipeline
    span_processor: LensSpanProcessor | None
    tracer_provider: LensTracerProvider | None
    metric_readers: tuple[MetricReader, ...]
    meter_provider: LensMeterProvider | None
    log_processor: LensLogProcessor | None
    logger_provider: Any


class PipelineOwner(Protocol):
    """Who is called when somebody flushes or shuts down a provider directly."""

    def flush(self, timeout_ms: float) -> bool:
        """Flush the pipeline within so many milliseconds."""
        ...

    def shutdown(self) -> bool:
        """Shut the pipeline down."""
        ...

    def enter_thread(self) -> None:
        """Begin in a worker thread; called first in each."""
        ...


def build(
    config: NemoLensConfig,
    *,
    rank: int | None,
    world_size: int | None,
    resource_attributes: Mapping[str, Any] | None,
    span_exporter: SpanExporter | None,
    metric_reader: MetricReader | None,
    owner: PipelineOwner,
) -> Build:
    """Build everything that `config` asks for, to be called back through `owner`.

    No variable that OpenTelemetry reads may hold garbage meanwhile: its parsers raise half-way.

    Raises:
        ValueError: A value of the configuration is bad.
        TypeError: `metric_reader` is none.
        ImportError: The package of a chosen exporter is missing.
    """
    _refuse_other_readers(metric_reader)
    resource = Resource.create(
        compose_resource(
            config, rank=rank, world_size=world_size, resource_attributes=resource_attributes
        )
    )
    given = {"traces": span_exporter, "metrics": metric_reader}
    exporters = exporters_by_signal(
        config, replaced=[signal for signal, part in given.items() if part is not None]
    )
    routes = routes_of(config, resource, chain.from_iterable(exporters.values()))
    to = {
        signal: [route for route in routes if route.name in names]
        for signal, names in exporters.items()
    }
    span_lanes = _span_lanes(config, to["traces"], span_exporter, owner) if "traces" in to else []
    metric_lanes, readers = (
        _metric_lanes(to["metrics"], metric_reader, owner) if "metrics" in to else ([], [])
    )
    log_lanes = _log_lanes(to["logs"], owner) if "logs" in to else []
    recorder = black_box.recorder_if_wanted(config, routes)
    span_processor = _span_processor(span_lanes, owner, recorder)
    companions: list[Companion] = [*routes]
    if recorder is not None and span_processor is not None:
        companions.append(black_box.beside(routes, config, resource, recorder, span_processor))
    log_processor = _log_processor(log_lanes, owner)
    lanes: list[Lane] = [*span_lanes, *metric_lanes, *log_lanes]
    return Build(
        resource=resource,
        pipeline=Pipeline(lanes, companions, span_processor),
        span_processor=span_processor,
        tracer_provider=_tracer_provider(config, resource, span_processor),
        metric_readers=tuple(readers),
        log_processor=log_processor,
        logger_provider=(
            _otel_private.new_logger_provider(resource, log_processor)
            if log_processor is not None
            else None
        ),
        # Last: from here on the caller's reader belongs to it.
        meter_provider=(
            _meter_provider(config, resource, readers, metric_reader) if readers else None
        ),
    )


def _refuse_other_readers(given: object) -> None:
    if given is not None and not isinstance(given, MetricReader):
        raise TypeError(
            f"setup_telemetry: metric_reader={described(given)} is not usable; expected an object "
            "of a subclass of opentelemetry.sdk.metrics.export.MetricReader"
        )


def _span_lanes(
    config: NemoLensConfig,
    routes: list[Route],
    span_exporter: SpanExporter | None,
    owner: PipelineOwner,
) -> list[ExportQueue]:
    if span_exporter is not None:
        from nemo.lens.sdk.exporters.foreign import ForeignSpanSink

        exporter = span_exporter
        return [
            _span_lane(
                config,
                "given exporter",
                lambda: ForeignSpanSink(exporter),
                _GIVEN_EXPORTER_DELAY_S,
                owner,
            )
        ]
    return [
        _span_lane(config, route.name, route.span_sink, route.delay_s, owner) for route in routes
    ]


def _span_lane(
    config: NemoLensConfig,
    name: str,
    build_sink: Callable[[], Sink],
    delay_s: float,
    owner: PipelineOwner,
) -> ExportQueue:
    return ExportQueue(
        f"spans to {name}",
        build_sink,
        bound=_count("OTEL_BSP_MAX_QUEUE_SIZE", config.queue_size),
        batch_size=_count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", _BATCH_SIZE),
        delay_s=_delay_s("OTEL_BSP_SCHEDULE_DELAY", delay_s),
        enter_thread=owner.enter_thread,
    )


def _log_lanes(routes: list[Route], owner: PipelineOwner) -> list[ExportQueue]:
    return [
        ExportQueue(
            f"logs to {route.name}",
            route.log_sink,
            bound=_count("OTEL_BLRP_MAX_QUEUE_SIZE", _LOG_QUEUE_SIZE),
            batch_size=_count("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", _BATCH_SIZE),
            delay_s=_delay_s("OTEL_BLRP_SCHEDULE_DELAY", route.delay_s),
            enter_thread=owner.enter_thread,
        )
        for route in routes
    ]


def _count(variable: str, default: int) -> int:
    count: int | None = read_foreign_variable(variable)
    return default if count is None else count


def _delay_s(variable: str, default_s: float) -> float:
    delay_ms: int | None = read_foreign_variable(variable)
    return default_s if delay_ms is None else max(delay_ms / 1000, _SHORTEST_DELAY_S)


def _metric_lanes(
    routes: list[Route], metric_reader: MetricReader | None, owner: PipelineOwner
) -> tuple[list[MetricLane | ForeignReaderLane], list[MetricReader]]:
    enter_thread = owner.enter_thread
    if metric_reader is not None:
        return [ForeignReaderLane(metric_reader, enter_thread)], [metric_reader]
    lanes: list[MetricLane | ForeignReaderLane] = []
    readers: list[MetricReader] = []
    interval_s = read_foreign_variable("OTEL_METRIC_EXPORT_INTERVAL") / 1000
    for route in routes:
        sink = route.metric_sink()
        reader = CollectingReader(route.metric_preferences(sink))
        lane = MetricLane(
            f"metrics to {route.name}",
            reader,
            sink,
            route.metric_sink,
            interval_s=interval_s,
            enter_thread=enter_thread,
        )
        lanes.append(lane)
        readers.append(reader)
    return lanes, readers


def _span_processor(
    lanes: list[ExportQueue], owner: PipelineOwner, recorder: Recorder | None
) -> LensSpanProcessor | None:
    if not lanes:
        return None
    return LensSpanProcessor(tuple(lanes), owner.flush, owner.shutdown, recorder)


def _log_processor(lanes: list[ExportQueue], owner: PipelineOwner) -> LensLogProcessor | None:
    return LensLogProcessor(tuple(lanes), owner.flush) if lanes else None


def _tracer_provider(
    config: NemoLensConfig,
    resource: Resource,
    processor: LensSpanProcessor | None,
) -> LensTracerProvider | None:
    if processor is None:
        return None
    provider = LensTracerProvider(
        resource=resource,
        shutdown_on_exit=False,
        id_generator=id_generator_of(config),
    )
    if config.sampler_enabled:
        provider.sampler = rank_aware_sampler(config, resource, provider.sampler)
    provider.add_span_processor(processor)
    return provider


def _meter_provider(
    config: NemoLensConfig,
    resource: Resource,
    readers: list[MetricReader],
    given: MetricReader | None,
) -> LensMeterProvider:
    isolate_random_streams()
    try:
        return LensMeterProvider(
            metric_readers=readers,
            resource=resource,
            shutdown_on_exit=False,
            views=views_of(config),
        )
    except Exception as error:
        if given is None:
            raise
        raise ValueError(
            f"setup_telemetry: metric_reader={described(given)} is not usable ({error}); expected "
            "a MetricReader that no other set-up or MeterProvider has had. Build a new one"
        ) from error
