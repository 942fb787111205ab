# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Build the pipeline and the providers of one set-up; nothing here is visible to the process yet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

from nemo.lens.resources.composition import compose_resource
from nemo.lens.sdk import _otel_private, otel_environment
from nemo.lens.sdk.export_queue import ExportQueue
from nemo.lens.sdk.exporters.routes import Route, routes_of
from nemo.lens.sdk.ids import RandomIds, SharedTraceIds
from nemo.lens.sdk.log_processor import LensLogProcessor
from nemo.lens.sdk.metric_lanes import CollectingReader, ForeignReaderLane, MetricLane
from nemo.lens.sdk.pipeline import Lane, Pipeline
from nemo.lens.sdk.processor import LensSpanProcessor
from nemo.lens.sdk.sampling import RankAwareSampler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

    from nemo.lens.config import NemoLensConfig
    from nemo.lens.sdk.export_queue import Sink

_METRIC_INTERVAL_MS = 10_000.0
_BATCH_SIZE = 512


class LensTracerProvider(TracerProvider):
    """The SDK's provider, recognisable as ours; a forked child gets its resource from us."""

    def get_tracer(self, *arguments: Any, **options: Any) -> Tracer:
        """Return a tracer, and remember it: a later set-up leads it into its own pipeline."""
        tracer = super().get_tracer(*arguments, **options)
        _otel_private.remember_tracer(self, tracer)
        return tracer

    def _handle_fork(self) -> None:
        """Leave it to the runtime, which renews locks and resource of all providers together."""


class LensMeterProvider(MeterProvider):
    """The SDK's provider, recognisable as ours; a forked child gets its resource from us."""

    def _handle_fork(self) -> None:
        """Leave it to the runtime, which renews locks and resource of all providers together."""


@dataclass
class Build:
    """What a set-up has built and not yet installed."""

    config: NemoLensConfig
    resource: Resource
    pipeline: Pipeline
    span_processor: LensSpanProcessor | None
    tracer_provider: TracerProvider | None
    metric_readers: tuple[MetricReader, ...]
    meter_provider: MeterProvider | None
    log_processor: LensLogProcessor | None
    logger_provider: Any


@dataclass(frozen=True)
class Callbacks:
    """What processors call when somebody flushes or shuts down a provider directly.

    Attributes:
        flush: Flush the pipeline within so many milliseconds.
        shutdown: Shut the pipeline down.
        enter_thread: Called first in every worker thread.
    """

    flush: Callable[[int], bool]
    shutdown: Callable[[], object]
    enter_thread: Callable[[], object]


def build(
    config: NemoLensConfig,
    *,
    rank: int | None,
    world_size: int | None,
    resource_attributes: Mapping[str, Any] | None,
    span_exporter: SpanExporter | None,
    metric_reader: MetricReader | None,
    callbacks: Callbacks,
) -> Build:
    """Build everything that `config` asks for.

    Raises:
        ValueError: A value of the configuration is bad.
        ImportError: The package of a chosen exporter is missing.
    """
    with otel_environment.without_garbage():
        resource = Resource.create(
            compose_resource(
                config, rank=rank, world_size=world_size, resource_attributes=resource_attributes
            )
        )
        routes = routes_of(config, resource)
        span_lanes = (
            _span_lanes(config, routes, span_exporter, callbacks) if config.traces_enabled else []
        )
        metric_lanes, readers = (
            _metric_lanes(routes, metric_reader, callbacks) if config.metrics_enabled else ([], [])
        )
        log_lanes = _log_lanes(routes, callbacks) if config.logs_enabled else []
        span_processor = _span_processor(span_lanes, callbacks)
        log_processor = _log_processor(log_lanes, callbacks)
        lanes: list[Lane] = [*span_lanes, *metric_lanes, *log_lanes]
        return Build(
            config=config,
            resource=resource,
            pipeline=Pipeline(lanes, routes, span_processor),
            span_processor=span_processor,
            tracer_provider=_tracer_provider(config, resource, span_processor, rank, world_size),
            metric_readers=tuple(readers),
            meter_provider=_meter_provider(resource, readers) if readers else None,
            log_processor=log_processor,
            logger_provider=(
                _otel_private.new_logger_provider(resource, log_processor)
                if log_processor is not None
                else None
            ),
        )


def _span_lanes(
    config: NemoLensConfig,
    routes: list[Route],
    span_exporter: SpanExporter | None,
    callbacks: Callbacks,
) -> list[ExportQueue]:
    if span_exporter is not None:
        from nemo.lens.sdk.exporters.foreign import ForeignSpanSink

        exporter = span_exporter
        return [
            _span_lane(config, "given exporter", lambda: ForeignSpanSink(exporter), 0.2, callbacks)
        ]
    return [
        _span_lane(config, route.name, route.span_sink, route.delay_s, callbacks)
        for route in routes
    ]


def _span_lane(
    config: NemoLensConfig,
    name: str,
    build_sink: Callable[[], Sink],
    delay_s: float,
    callbacks: Callbacks,
) -> ExportQueue:
    delay_ms = otel_environment.milliseconds("OTEL_BSP_SCHEDULE_DELAY", delay_s * 1000)
    return ExportQueue(
        f"spans to {name}",
        build_sink,
        bound=otel_environment.count("OTEL_BSP_MAX_QUEUE_SIZE", config.queue_size),
        batch_size=otel_environment.count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", _BATCH_SIZE),
        delay_s=max(delay_ms / 1000, 0.001),
        enter_thread=callbacks.enter_thread,
    )


def _log_lanes(routes: list[Route], callbacks: Callbacks) -> list[ExportQueue]:
    return [
        ExportQueue(
            f"logs to {route.name}",
            route.log_sink,
            bound=otel_environment.count("OTEL_BLRP_MAX_QUEUE_SIZE", 16_384),
            batch_size=otel_environment.count("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", _BATCH_SIZE),
            delay_s=max(
                otel_environment.milliseconds("OTEL_BLRP_SCHEDULE_DELAY", route.delay_s * 1000)
                / 1000,
                0.001,
            ),
            enter_thread=callbacks.enter_thread,
        )
        for route in routes
    ]


def _metric_lanes(
    routes: list[Route], metric_reader: MetricReader | None, callbacks: Callbacks
) -> tuple[list[MetricLane | ForeignReaderLane], list[MetricReader]]:
    enter_thread = callbacks.enter_thread
    if metric_reader is not None:
        return [ForeignReaderLane(metric_reader, enter_thread)], [metric_reader]
    lanes: list[MetricLane | ForeignReaderLane] = []
    readers: list[MetricReader] = []
    interval_ms = otel_environment.milliseconds("OTEL_METRIC_EXPORT_INTERVAL", _METRIC_INTERVAL_MS)
    for route in routes:
        sink = route.metric_sink()
        reader = CollectingReader(route.metric_preferences(sink))
        lane = MetricLane(
            f"metrics to {route.name}",
            reader,
            route.metric_sink,
            interval_ms / 1000 if interval_ms else math.inf,
            enter_thread,
        )
        lane.use(sink)
        lanes.append(lane)
        readers.append(reader)
    return lanes, readers


def _span_processor(lanes: list[ExportQueue], callbacks: Callbacks) -> LensSpanProcessor | None:
    if not lanes:
        return None
    return LensSpanProcessor(tuple(lanes), callbacks.flush, callbacks.shutdown)


def _log_processor(lanes: list[ExportQueue], callbacks: Callbacks) -> LensLogProcessor | None:
    return LensLogProcessor(tuple(lanes), callbacks.flush) if lanes else None


def _tracer_provider(
    config: NemoLensConfig,
    resource: Resource,
    processor: LensSpanProcessor | None,
    rank: int | None,
    world_size: int | None,
) -> TracerProvider | None:
    if processor is None:
        return None
    provider = LensTracerProvider(
        resource=resource,
        shutdown_on_exit=False,
        id_generator=SharedTraceIds(config.run_id) if config.single_trace_id else RandomIds(),
    )
    if config.sampler_enabled and rank is not None:
        provider.sampler = RankAwareSampler(
            rank, world_size or 1, config.export_sample_rate, provider.sampler
        )
    provider.add_span_processor(processor)
    return provider


def _meter_provider(resource: Resource, readers: list[MetricReader]) -> MeterProvider:
    _otel_private.isolate_random_streams()
    return LensMeterProvider(metric_readers=readers, resource=resource, shutdown_on_exit=False)
