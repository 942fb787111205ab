# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A span whose work is suspended and resumed: that of a generator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry import context as otel_context

from nemo.lens.spans.scope import put_scope, scope_values

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType


class ResumableSpan:
    """Keeps a span current while the work runs, and the consumer's context while it does not.

    Whatever the work itself has put in force around a `yield`, an inner span or `span_attributes`,
    is taken off with it and put back when the work is resumed. Contexts are set, not given back by token, because the consumer may come back from
    another `contextvars.Context`.
    """

    __slots__ = ("_inside", "_outside", "_scope_inside", "_scope_outside", "_span")

    def __init__(self, span: AbstractContextManager[Any]) -> None:
        self._span = span

    def __enter__(self) -> None:
        """Start the span, and give the context back to the consumer."""
        outside = otel_context.get_current()
        self._span.__enter__()
        self._inside = otel_context.get_current()
        self._scope_inside = scope_values()
        otel_context.attach(outside)

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the span; the consumer's context stays as it is."""
        outside = otel_context.get_current()
        try:
            self._span.__exit__(exc_type, error, traceback)
        finally:
            otel_context.attach(outside)

    def resumed(self) -> _Resumed:
        """Return a context manager around one stretch of the work."""
        return _Resumed(self)

    def resume(self) -> None:
        """Make the context of the work current."""
        self._outside = otel_context.get_current()
        self._scope_outside = scope_values()
        otel_context.attach(self._inside)
        put_scope(self._scope_inside)

    def suspend(self) -> None:
        """Give the context back to the consumer, remembering that of the work."""
        self._inside = otel_context.get_current()
        self._scope_inside = scope_values()
        otel_context.attach(self._outside)
        put_scope(self._scope_outside)


class _Resumed:
    __slots__ = ("_span",)

    def __init__(self, span: ResumableSpan) -> None:
        self._span = span

    def __enter__(self) -> None:
        self._span.resume()

    def __exit__(self, *_exception: object) -> None:
        self._span.suspend()
