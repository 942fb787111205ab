# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: SLF001 - it fills the fields of its own spans
# pyright: reportPrivateUsage=false
"""The span factory: from a name and attributes to a fast span, or to None for the plain factory."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.fast_spans.eligibility import Declined, checked
from nemo.lens.sdk.fast_spans.opening import span_class
from nemo.lens.sdk.fast_spans.rehearsal import difference_from_sdk
from nemo.lens.sdk.fast_spans.span import NOTHING, SCALARS, FastSpan
from nemo.lens.sdk.processor import LensSpanProcessor
from nemo.lens.spans import span_factory
from nemo.lens.spans.tracing import lens_tracer

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span, Tracer

    from nemo.lens.spans.options import SpanOptions

_logger = logging.getLogger(__name__)
_MOST_TRACERS = 64
_UNKNOWN = 0


def install(provider: Any) -> bool:
    """Make the helpers build fast spans, if that can be done with exactly the SDK's data.

    Args:
        provider: The tracer provider that the helpers' spans belong to.

    Returns:
        True when the fast factory is installed; otherwise the plain one stays and one DEBUG line
        says why.
    """
    reason = _reason_against(provider)
    if reason is not None:
        _logger.debug("spans are built by the OpenTelemetry SDK itself: %s", reason)
        return False
    span_factory.install_span_factory(new_factory(provider), provider, checks_provider=True)
    return True


def uninstall() -> None:
    """Bring the plain factory back."""
    span_factory.install_span_factory(None)


def new_factory(provider: Any) -> span_factory.SpanFactory:  # noqa: C901 - closures are faster than methods
    """Return a factory with a cache of its own, which follows changes of its tracers.

    It declines while another provider than `provider` is the global one.
    """
    holder = _otel_private.holder_of_global_provider()
    classes: dict[Any, type[FastSpan] | None] = {}
    family: dict[int, set[type]] = {}
    reasons: set[str] = set()
    changes = [0]
    known = classes.get
    new = object.__new__
    are_scalars = SCALARS.issuperset

    def build(
        name: str,
        attributes: dict[str, Any] | None,
        tracer: Tracer | None,
        options: SpanOptions | None,
        /,
    ) -> AbstractContextManager[Span] | None:
        if holder._TRACER_PROVIDER is not provider:
            return None
        kind: Any = known(tracer, _UNKNOWN)
        if kind is _UNKNOWN:
            kind = find(tracer)
        if kind is None or options is not None:
            return None
        span: FastSpan = new(kind)
        span._name = name
        span._token = None
        if not attributes:
            span._attributes = NOTHING
        elif len(attributes) <= kind.PLAIN_LIMIT and (
            type(attributes) is dict or are_scalars(map(type, attributes.values()))
        ):
            span._attributes = attributes
        else:
            span._given_attributes = attributes
            span._attributes = kind.bounded(attributes)
        return span

    def find(tracer: Tracer | None) -> type[FastSpan] | None:
        kind, seen = None, changes[0]
        try:
            kind = _span_class(lens_tracer() if tracer is None else tracer, forget, family)
        except Declined as reason:
            _say_once(str(reason), reasons)
        if len(classes) >= _MOST_TRACERS:
            return None
        if seen == changes[0]:
            classes[tracer] = kind
        return kind

    def forget() -> None:
        changes[0] += 1
        for kind in tuple(classes.values()):
            if kind is not None:
                kind.follow_change()
        classes.clear()
        family.clear()

    return build


def _reason_against(provider: Any) -> str | None:
    if not _otel_private.is_sdk_tracer_provider(provider):
        return f"the tracer provider is a {type(provider).__module__}.{type(provider).__qualname__}"
    if not _otel_private.uses_contextvars():
        return "OpenTelemetry keeps its context elsewhere than in contextvars"
    return difference_from_sdk()


def _say_once(reason: str, said: set[str]) -> None:
    if reason not in said and len(said) < _MOST_TRACERS:
        said.add(reason)
        _logger.debug("spans of a tracer are built by the OpenTelemetry SDK itself: %s", reason)


def _span_class(tracer: Any, changed: Any, family: dict[int, set[type]]) -> type[FastSpan]:
    site = checked(tracer)
    active = site.tracer.span_processor
    _otel_private.watch(site.tracer, changed)
    processors = _otel_private.sequential_processors(active)
    if processors is not None:
        _otel_private.watch(active, changed)
    announce, finish, finish_after_change = _hooks_of(active, processors)
    if processors is not None and len(processors) == 1 and type(processors[0]) is LensSpanProcessor:
        announce, finish = processors[0].direct_hooks()
    return span_class(site, announce, finish, finish_after_change, family)


def _hooks_of(active: Any, processors: tuple[Any, ...] | None) -> tuple[Any, Any, Any]:
    """Return functions that call every processor as the SDK does."""

    def finish_after_change(span: FastSpan) -> None:
        if _otel_private.minds_ending(active):
            active._on_ending(span)
        active.on_end(span)

    called = (active,) if processors is None else processors
    asked = tuple(processor for processor in called if _otel_private.minds_ending(processor))
    if len(called) == 1 and not asked:
        return *_hooks_of_one(called[0]), finish_after_change
    return *_hooks_of_several(called, asked), finish_after_change


def _hooks_of_one(processor: Any) -> tuple[Any, Any]:
    def announce(_span_id: int, span: FastSpan) -> None:
        processor.on_start(span, parent_context=None)

    def finish(span: FastSpan) -> None:
        processor.on_end(span)

    return announce, finish


def _hooks_of_several(called: tuple[Any, ...], asked: tuple[Any, ...]) -> tuple[Any, Any]:
    def announce(_span_id: int, span: FastSpan) -> None:
        for processor in called:
            processor.on_start(span, parent_context=None)

    def finish(span: FastSpan) -> None:
        for processor in asked:
            processor._on_ending(span)
        for processor in called:
            processor.on_end(span)

    return announce, finish
