# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# pyright: reportPrivateUsage=false
"""Spans around work: a `with` block, a decorator, a handle, an instant.

Every helper that names a group asks the gate first. While the group is off it does nothing else:
one membership test, no OpenTelemetry import, no object made. Inside a region compiled by
`torch.compile` all helpers are skipped, without a graph break.

Nothing here raises into the code it watches, except the errors that are documented (a wrong use,
such as `@managed_span(...)`). What cannot be recorded is counted, see `nemo.lens.spans.discards`.

`trace` is the module `opentelemetry.trace`, imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from nemo.lens import state
from nemo.lens.fork_safety import forks_wait
from nemo.lens.spans import compiling, lazy_recording
from nemo.lens.spans.attributes import cleaned
from nemo.lens.spans.compiling import in_graph, skip_call, skip_span
from nemo.lens.spans.discards import report_span_failure
from nemo.lens.spans.no_span import NO_SPAN
from nemo.lens.spans.options import SpanOptions, with_comparable_keys, without_exceptions
from nemo.lens.spans.redaction import DEFAULT_REDACT_KEYS, redact_value
from nemo.lens.spans.scope import SpanAttributesScope
from nemo.lens.spans.span_handle import (
    CLOSED_HANDLE,
    AttachedContext,
    SpanHandle,
    make_mark,
    open_handle,
    skip_handle,
)
from nemo.lens.spans.ungated_span import SpanCm

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from contextlib import AbstractContextManager

    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

__all__ = [
    "DEFAULT_REDACT_KEYS",
    "SpanHandle",
    "SpanOptions",
    "attached_context",
    "managed_span",
    "mark",
    "open_span",
    "redact_value",
    "safe_set_span_attributes",
    "span_attributes",
    "span_cm",
    "trace_fn",
]

Decorated = TypeVar("Decorated")

redact_value.__module__ = __name__


@in_graph(skip_span)
def managed_span(
    group: str, name: str, tracer: Tracer | None = None, **attributes: Any
) -> AbstractContextManager[Span | None]:
    """Cover a `with` block with a span, if `group` is on.

    Example:
        >>> with managed_span("step", "trainer.step", iteration=3) as span:
        ...     pass

    Args:
        group: The span group. While it is off, the call costs about as much as entering an empty
            context manager, and nothing is recorded.
        name: `<library>.<operation>`, the same for every call of this site.
        tracer: Whose tracer opens the span; None for the scope `nemo.lens`.
        **attributes: Attributes, known to samplers because they are given at start. `kind=` a
            `SpanKind`, `links=` a sequence of `Link`, `context=` a `Context` and `_span=` a
            `SpanOptions` are options instead.

    Returns:
        A context manager that yields the span, or None when the group is off or the region is
        being compiled. It cannot decorate; `trace_fn` does that. The exception that leaves the
        block is recorded and always propagates.
    """
    if group not in state._enabled:  # noqa: SLF001  # the gate itself, without the call
        return NO_SPAN
    if compiling.is_compiling():
        return NO_SPAN
    return lazy_recording.new_span(group, name, tracer, attributes)


def trace_fn(
    group: str, name: str, tracer: Tracer | None = None
) -> Callable[[Decorated], Decorated]:
    """Decorate a callable so that each call is covered by a span, if `group` is on at that call.

    Coroutine functions, generators and async generators stay what they are, and the span covers
    their work; for generators the group is asked at the first iteration, and arguments that do not
    fit are an error there (for coroutine functions: at the `await`), not at the call. Works above and below
    `classmethod` and `staticmethod`, on `functools.partial` objects and on callable objects.
    Name, documentation, signature and pickling are those of the function.

    Args:
        group: The span group, asked at every call. While it is off a call costs one membership
            test more.
        name: The span's name, `<library>.<operation>`.
        tracer: Whose tracer opens the spans; None for the scope `nemo.lens`.

    Returns:
        The decorator. It raises TypeError for an object that cannot be called, such as a property.
    """

    def begin() -> AbstractContextManager[Span] | None:
        if group not in state._enabled or compiling.is_compiling():  # noqa: SLF001  # the gate
            return None
        return lazy_recording.new_span(group, name, tracer, {})

    def wrap_plain(function: Callable[..., Any]) -> Callable[..., Any]:
        def traced(*args: Any, **kwargs: Any) -> Any:
            if group not in state._enabled:  # noqa: SLF001  # the gate, without the call
                return function(*args, **kwargs)
            if compiling.is_compiling():
                return function(*args, **kwargs)
            with lazy_recording.new_span(group, name, tracer, {}):
                return function(*args, **kwargs)

        return traced

    def decorate(function: Decorated) -> Decorated:
        with forks_wait():
            from nemo.lens.spans.decorating import wrapped

        decorated: Decorated = wrapped(
            function, begin, wrap_plain, (trace_fn, (group, name, tracer))
        )
        return decorated

    return decorate


@in_graph(skip_span)
def span_cm(
    name: str, tracer: Tracer | None = None, record_exception: bool = True, **attributes: Any
) -> SpanCm:
    """Cover a `with` block, or each call of a decorated function, with a span of no group.

    Nothing gates it: use it for rare operations, or below a `managed_span`.

    Args:
        name: The span's name.
        tracer: Whose tracer opens the span; None for the scope `nemo.lens`.
        record_exception: Whether an exception that leaves the block becomes an event of the span.
            The status says ERROR either way.
        **attributes: As for `managed_span`.

    Returns:
        A context manager that yields the span, and that can decorate functions of every kind. It
        may be entered again, by one thread or task at a time.
    """
    if not record_exception:
        attributes = with_comparable_keys(attributes)
        attributes["_span"] = without_exceptions(attributes.get("_span"))
    return SpanCm(name, tracer, attributes)


@in_graph(skip_span)
def span_attributes(attributes: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Put `attributes` on every span that is started inside the `with` block.

    Scopes nest, the inner one wins, and attributes given to a span itself win over both. They
    follow asyncio tasks and copies of `contextvars` contexts, not threads or processes.

    Args:
        attributes: Attribute names to values, converted and redacted once, here.

    Returns:
        A context manager that yields None and may be entered again, by one thread or task at a
        time.

    Raises:
        TypeError: `attributes` is not a mapping.
    """
    return SpanAttributesScope(attributes)


@in_graph(skip_call)
def safe_set_span_attributes(
    span: Span | None,
    attributes: Mapping[str, Any],
    redact_keys: Collection[str] | None = DEFAULT_REDACT_KEYS,
) -> None:
    """Put attributes on a span, whatever their values are; never raises.

    Numbers, texts, booleans and sequences of them are kept; numpy and CPU torch scalars become
    numbers, enums and paths text. None means "no attribute". What no exporter could take is
    dropped and counted.

    Args:
        span: The span; None (a `managed_span` whose group is off) and ended spans are ignored.
        attributes: Attribute names to values.
        redact_keys: Keys whose texts are replaced by `[REDACTED]`, matched against the whole key
            and its last dotted part in any case, beside keys that end in the name of a secret.
            None and the default mean `DEFAULT_REDACT_KEYS` and what `<PREFIX>_REDACT_KEYS` added;
            an empty collection switches redaction off.
    """
    if span is None:
        return
    try:
        if span.is_recording():
            for key, value in cleaned(attributes, redact_keys).items():
                span.set_attribute(key, value)
    except Exception as error:  # a foreign span failed; the work goes on
        report_span_failure(error)


@in_graph(skip_handle)
def open_span(group: str, name: str, tracer: Tracer | None = None, **attributes: Any) -> SpanHandle:
    """Open a span that another function, or another thread, closes.

    A zero-length marker span called `<name>.open`, a child of the opened span, is exported at once.
    So even a crash leaves a trace of what was open.

    Args:
        group: The span group; while it is off the shared handle that does nothing is returned.
        name: The span's name.
        tracer: Whose tracer opens the span; None for the scope `nemo.lens`.
        **attributes: As for `managed_span`.

    Returns:
        The handle; call its `close()`. The span is not made current.
    """
    if group not in state._enabled or compiling.is_compiling():  # noqa: SLF001  # the gate
        return CLOSED_HANDLE
    return open_handle(group, name, tracer, attributes)


@in_graph(skip_call)
def mark(group: str, name: str, tracer: Tracer | None = None, **attributes: Any) -> None:
    """Record an instant: a span of zero length under the current one, if `group` is on.

    Args:
        group: The span group.
        name: What happened, `<library>.<event>`.
        tracer: Whose tracer records it; None for the scope `nemo.lens`.
        **attributes: As for `managed_span`.
    """
    if group not in state._enabled or compiling.is_compiling():  # noqa: SLF001  # the gate
        return
    make_mark(group, name, tracer, attributes)


@in_graph(skip_span)
def attached_context(
    origin: Context | SpanHandle | Mapping[str, Any] | None,
) -> AbstractContextManager[None]:
    """Run a `with` block inside a context that came from elsewhere: for a thread or a task.

    Args:
        origin: A `Context` (of `opentelemetry.context.get_current()` or `extract_context`), a
            carrier filled by `inject_context`, or a `SpanHandle`. None, a carrier without a
            context, and a handle whose group was off leave the current context in force.

    Returns:
        A context manager that yields None and may be entered again, by one thread or task at a
        time.
    """
    return AttachedContext(origin)


def __getattr__(name: str) -> Any:
    if name == "trace":
        import opentelemetry.trace

        return opentelemetry.trace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
