# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What `span_cm` returns: a span without a group, for a block or around a function."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from nemo.lens.fork_safety import forks_wait
from nemo.lens.spans import compiling, lazy_recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from opentelemetry.trace import Span, Tracer

Decorated = TypeVar("Decorated")


class SpanCm(AbstractContextManager["Span"]):
    """Opens a span of its own at each `with`, and at each call of a function it decorates."""

    __slots__ = ("_attributes", "_name", "_spans", "_tracer")

    def __init__(self, name: str, tracer: Tracer | None, attributes: dict[str, Any]) -> None:
        self._name = name
        self._tracer = tracer
        self._attributes = attributes
        self._spans: list[AbstractContextManager[Span]] = []

    def _new(self) -> AbstractContextManager[Span]:
        return lazy_recording.new_span(None, self._name, self._tracer, dict(self._attributes))

    def __enter__(self) -> Span:
        span = self._new()
        self._spans.append(span)
        return span.__enter__()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._spans.pop().__exit__(exc_type, error, traceback)

    def __call__(self, function: Decorated) -> Decorated:
        """Decorate `function`, as `trace_fn` does."""
        with forks_wait():
            from nemo.lens.spans.decorating import wrapped

        def begin() -> AbstractContextManager[Span] | None:
            return None if compiling.is_compiling() else self._new()

        def wrap_plain(plain: Callable[..., Any]) -> Callable[..., Any]:
            def traced(*args: Any, **kwargs: Any) -> Any:
                if compiling.is_compiling():
                    return plain(*args, **kwargs)
                with self._new():
                    return plain(*args, **kwargs)

            return traced

        decorator = (SpanCm, (self._name, self._tracer, self._attributes))
        decorated: Decorated = wrapped(function, begin, wrap_plain, decorator)
        return decorated
