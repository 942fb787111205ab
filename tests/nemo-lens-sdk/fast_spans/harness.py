# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - methods of OpenTelemetry's interfaces
"""Runs one program on the plain factory over the stock SDK, or on fast spans, and tells all.

Ids come from a generator with a fixed seed and clocks stand still until the program lets them
tick, so what two runs tell can be compared as it is.
"""

from __future__ import annotations

import json
import logging
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest import mock

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk import trace as sdk_trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from nemo.lens.helpers import managed_span
from nemo.lens.sdk.fast_spans import exception_event, factory, opening
from nemo.lens.sdk.fast_spans.span import FastSpan
from nemo.lens.sdk.ids import RandomIds
from nemo.lens.sdk.processor import LensSpanProcessor
from nemo.lens.spans import discards, span_factory, span_handle
from nemo.lens.state import set_enabled_span_groups

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = "programs"


@dataclass(frozen=True)
class Program:
    """A program, the pieces it runs on, and whether spans of ours take part in it.

    Attributes:
        run: Called with a `Stage`; what it returns is compared too.
        provider: Makes keyword arguments for the tracer provider, anew for each run.
        processors: Makes processors, called in order before the one that keeps the spans.
        environment: Variables set while the provider is built.
        is_fast: Whether at least one exported span must be a fast one, or none may be.
    """

    run: Callable[[Stage], Any]
    provider: Callable[[], dict[str, Any]] = dict
    processors: Callable[[], list[Any]] = list
    environment: dict[str, str] = field(default_factory=dict)
    is_fast: bool = True


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000_000_000

    def __call__(self) -> int:
        return self.now

    time_ns = monotonic_ns = __call__

    def tick(self, nanoseconds: int = 1_000) -> None:
        """Let time pass."""
        self.now += nanoseconds


class Keeper(SpanProcessor):
    """Keeps everything that a processor is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.ended: list[Any] = []

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        current = trace.get_current_span().get_span_context().span_id
        self.calls.append(("start", told(span), parent_context is None, current))

    def on_end(self, span: Any) -> None:
        current = trace.get_current_span().get_span_context().span_id
        self.calls.append(("end", span.name, current))
        self.ended.append(span)


class MemoryQueue:
    """Stands in for an export queue."""

    def __init__(self) -> None:
        self.ended: list[Any] = []

    def put(self, span: Any) -> None:
        self.ended.append(span)


class Stage:
    """What a program acts on."""

    def __init__(self, provider: TracerProvider, clock: Clock) -> None:
        self.provider = provider
        self.clock = clock
        self.tracer = provider.get_tracer("own", "1")
        self.other_tracer = provider.get_tracer("other", "2", "https://example.test/schema")

    def span(self, name: str, *arguments: Any, **attributes: Any) -> Any:
        """Open a span as instrumented code does."""
        return managed_span(GROUP, name, *arguments, **attributes)


@dataclass
class Observed:
    """What a run of a program came to.

    Attributes:
        told: Everything that can be compared.
        spans: The exported spans.
    """

    told: dict[str, Any]
    spans: list[Any]


def observed(program: Program, *, fast: bool, pipeline: bool) -> Observed:
    """Run a program.

    Args:
        program: The program.
        fast: On fast spans, or on the plain factory over the stock SDK.
        pipeline: With the processor of lens as the only one, or with others.
    """
    clock, keeper, queue = Clock(), Keeper(), MemoryQueue()
    with ExitStack() as stack:
        stack.enter_context(_clean_context())
        stack.enter_context(_clocks(clock))
        stack.enter_context(mock.patch.dict("os.environ", program.environment))
        logged = stack.enter_context(_warnings())
        provider = _provider(program)
        if pipeline:
            provider.add_span_processor(LensSpanProcessor((queue,), lambda _ms: True, lambda: None))
        else:
            for processor in (*program.processors(), keeper):
                provider.add_span_processor(processor)
        stack.enter_context(_global_provider(provider, fast=fast))
        stage = Stage(provider, clock)
        answer = program.run(stage)
        spans = queue.ended if pipeline else keeper.ended
        told_spans = [told(span) for span in spans]
        everything = {
            "answer": answer,
            "spans": told_spans,
            "calls": keeper.calls,
            "logged": sorted(logged),  # texts that are made later are complained about later
        }
        return Observed(everything, spans)


def fast_spans_of(spans: list[Any]) -> list[str]:
    """The names of those spans that are fast ones."""
    return [span.name for span in spans if isinstance(span, FastSpan)]


def told(span: Any) -> dict[str, Any]:
    """Everything public that a span tells."""
    context = span.get_span_context()
    return {
        "name": span.name,
        "context": _context(context),
        "same_context": context == span.context,
        "parent": _context(span.parent),
        "kind": span.kind,
        "times": (span.start_time, span.end_time),
        "status": (span.status.status_code, span.status.description),
        "attributes": [(key, type(value), value) for key, value in span.attributes.items()],
        "events": [
            (event.name, event.timestamp, list(event.attributes.items()), event.dropped_attributes)
            for event in span.events
        ],
        "links": [
            (_context(link.context), list(link.attributes.items()), link.dropped_attributes)
            for link in span.links
        ],
        "dropped": (span.dropped_attributes, span.dropped_events, span.dropped_links),
        "resource": dict(span.resource.attributes),
        "scope": span.instrumentation_scope,
        "json": _json(span),
    }


def _json(span: Any) -> Any:
    try:
        return json.loads(span.to_json())
    except TypeError as error:  # bytes, and what else the SDK takes but cannot print
        return str(error)


def _context(context: Any) -> Any:
    if context is None:
        return None
    state = list(context.trace_state.items())
    flags = int(context.trace_flags)
    return context.trace_id, context.span_id, context.is_remote, flags, state, context.is_valid


def _provider(program: Program) -> TracerProvider:
    ids = RandomIds()
    ids._random.seed(7)
    return TracerProvider(
        **{
            "resource": Resource({"service.name": "programs"}),
            "id_generator": ids,
            "shutdown_on_exit": False,
            **program.provider(),
        }
    )


@contextmanager
def _global_provider(provider: TracerProvider, *, fast: bool) -> Any:
    set_enabled_span_groups({GROUP})
    discards._reset_for_tests()
    with mock.patch.object(trace, "_TRACER_PROVIDER", provider):
        span_factory.install_span_factory(None)
        if fast:
            assert factory.install(provider)
        try:
            yield
        finally:
            span_factory.install_span_factory(None)


@contextmanager
def _clocks(clock: Clock) -> Any:
    with ExitStack() as stack:
        for module in (opening, exception_event, sdk_trace):
            stack.enter_context(mock.patch.object(module, "time_ns", clock))
        stack.enter_context(mock.patch.object(opening, "monotonic_ns", clock))
        for module in (span_factory, span_handle):
            stack.enter_context(mock.patch.object(module, "time", clock))
        yield


@contextmanager
def _clean_context() -> Any:
    token = otel_context.attach(otel_context.Context())
    try:
        yield
    finally:
        otel_context.detach(token)


@contextmanager
def _warnings() -> Any:
    """Collect what OpenTelemetry and lens log from WARNING on."""
    messages: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(f"{record.levelname} {record.getMessage()}")

    handler = Collector(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("opentelemetry", "nemo.lens")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield messages
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
