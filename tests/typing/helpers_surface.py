# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What type checkers see of the span helpers; checked by mypy --strict and pyright strict, not run.

Lines that must be refused carry an ignore comment with the code of the error: both checkers report
an ignore comment that hides nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Tracer
from typing_extensions import assert_type

from nemo.lens import (
    managed_span,
    redact_value,
    safe_set_span_attributes,
    span_attributes,
    span_cm,
    trace_fn,
)
from nemo.lens.distributed import broadcast_trace_context, create_linked_span
from nemo.lens.helpers import SpanHandle, SpanOptions, attached_context, mark, open_span
from nemo.lens.propagation import extract_context, inject_context
from nemo.lens.span_utilities import emit_span, linux_process_create_time
from nemo.lens.spans.scope import current_span_attributes


@trace_fn("step", "lib.plain")
def plain(a: int, *, b: str = "") -> float:
    """Keep the signature."""
    return float(a)


@trace_fn("step", "lib.coroutine")
async def coroutine(a: int) -> str:
    """Stay a coroutine function."""
    return str(a)


@trace_fn("step", "lib.generator")
def generator(n: int) -> Iterator[int]:
    """Stay a generator function."""
    yield n


@span_cm("lib.async_generator")
async def async_generator(n: int) -> AsyncIterator[int]:
    """Stay an async generator function."""
    yield n


class Model:
    """Methods of every kind."""

    @trace_fn("step", "lib.method")
    def method(self, x: int) -> str:
        """Bind as a method."""
        return str(x)

    @classmethod
    @trace_fn("step", "lib.below")
    def below(cls, x: int) -> Model:
        """Bind as a class method."""
        return cls()

    @trace_fn("step", "lib.above")
    @staticmethod
    def above(x: int) -> int:
        """Stay a static method."""
        return x

    @property
    @trace_fn("step", "lib.property")
    def half(self) -> float:
        """Stay a property."""
        return 0.5


def signatures_are_kept(model: Model) -> None:
    """Parameters and results of decorated callables are those of the originals."""
    assert_type(plain(1, b="x"), float)
    plain("1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    plain(1, "x")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    assert_type(generator(1), Iterator[int])
    assert_type(async_generator(1), AsyncIterator[int])
    assert_type(model.method(1), str)
    assert_type(Model.below(1), Model)
    assert_type(Model.above(1), int)
    assert_type(model.half, float)
    callback: Callable[[int], str] = trace_fn("step", "lib.callback")(str)
    callback(1)


async def coroutines_are_kept() -> None:
    """Awaiting a decorated coroutine function gives its result."""
    assert_type(await coroutine(1), str)
    async for item in async_generator(1):
        assert_type(item, int)


def spans_are_optional_behind_a_gate(tracer: Tracer, mapping: Mapping[str, object]) -> None:
    """managed_span yields Span or None; span_cm always a span."""
    with managed_span("step", "a", tracer, iteration=1, **{"dotted.name": 2}) as span:
        assert_type(span, "Span | None")
        span.end()  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
        if span is not None:
            span.set_attribute("a", 1)
        safe_set_span_attributes(span, mapping)
    with span_cm("b", record_exception=False, x=1) as always:
        assert_type(always, Span)
    with span_attributes(mapping) as nothing:
        assert_type(nothing, None)
    managed_span("step")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def exceptions_are_not_swallowed(x: int) -> int:
    """Checkers know that the body's return is the function's."""
    with managed_span("step", "a"):
        return x


def exceptions_are_not_swallowed_by_span_cm(x: int) -> int:
    """Likewise."""
    with span_cm("a"), span_attributes({}), attached_context(None), open_span("step", "b"):
        return x


def options_are_typed() -> None:
    """SpanOptions takes keywords only, and says of what type."""
    SpanOptions(kind=SpanKind.CLIENT, attributes=lambda: {"a": 1}, start_time=1)
    SpanOptions(attributes={"a": 1}, context=Context())
    SpanOptions(kind="client")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    SpanOptions(SpanKind.CLIENT)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def handles_are_typed(error: ValueError) -> None:
    """The handle always exists; its span may not."""
    handle = open_span("step", "a", n=1)
    assert_type(handle, SpanHandle)
    assert_type(handle.span, "Span | None")
    handle.set_attributes({"n": 2})
    handle.close(error)
    mark("step", "a")
    with attached_context(handle):
        pass
    with attached_context({"traceparent": "x"}):
        pass


def the_rest_is_typed(tracer: Tracer, carrier: dict[str, str]) -> None:
    """Propagation, distributed, utilities."""
    inject_context(carrier)
    assert_type(extract_context(carrier), Context)
    assert_type(broadcast_trace_context(0), "dict[str, str] | None")
    assert_type(create_linked_span(tracer, "a", remote_carrier=carrier, n=1), Span)
    assert_type(emit_span(None, "a", 1, "2", attributes={"a": 1}), "Span | None")
    assert_type(linux_process_create_time(), float)
    assert_type(redact_value("a", 1), "int | str")
    assert_type(current_span_attributes(), Mapping[str, Any])
