# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What every tracer of ours has in common: how a span that it starts becomes the current one."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Tracer

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from opentelemetry.context import Context
    from opentelemetry.trace import Link

Started = TypeVar("Started", bound=Span)


class CurrentSpanTracer(Tracer, Generic[Started]):
    """A tracer that has to say only how it starts a span."""

    @abstractmethod
    def start_span(  # noqa: PLR0917 -- the signature of OpenTelemetry
        self,
        name: str,
        context: Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Mapping[str, Any] | None = None,
        links: Sequence[Link] | None = None,
        start_time: int | None = None,
        record_exception: bool = True,
        set_status_on_exception: bool = True,
    ) -> Started:
        """Start a span that is not made current."""

    @contextmanager
    def start_as_current_span(  # type: ignore[override]  # noqa: PLR0917 -- as above
        self,
        name: str,
        context: Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Mapping[str, Any] | None = None,
        links: Sequence[Link] | None = None,
        start_time: int | None = None,
        record_exception: bool = True,
        set_status_on_exception: bool = True,
        end_on_exit: bool = True,
    ) -> Generator[Started]:
        """Start a span and make it the current one for the body."""
        span = self.start_span(name, context, kind, attributes, links, start_time)
        with self.covering(
            span,
            end_on_exit=end_on_exit,
            record_exception=record_exception,
            set_status_on_exception=set_status_on_exception,
        ):
            yield span

    def covering(self, span: Started, **options: bool) -> AbstractContextManager[Span]:
        """Return a context manager in which `span` is current; options of `trace.use_span`."""
        return trace.use_span(span, **options)
