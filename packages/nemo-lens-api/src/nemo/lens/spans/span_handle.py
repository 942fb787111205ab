# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans that are no `with` block: opened here and closed there, instants, attached contexts."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

from nemo.lens.spans import lazy_recording
from nemo.lens.spans.attributes import cleaned
from nemo.lens.spans.discards import report_span_failure
from nemo.lens.spans.options import SpanOptions
from nemo.lens.spans.text import real_type

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

    from nemo.lens.spans.attachment import Attachment

OPEN_MARKER_SUFFIX = ".open"
"""Appended to the name of a span for the marker that says it was opened, and is its child."""


class SpanHandle(AbstractContextManager["SpanHandle"]):
    """A span that is opened in one function and closed in another, in any thread.

    The span is not made current. `context` carries it: `managed_span(..., context=handle.context)`
    makes a child, `attached_context(handle)` puts a stretch of work inside it.

    A handle whose group was off when it was opened does nothing, and its `span` is None.
    """

    __slots__ = ("_begun", "_closed", "_record_exception", "context", "span")

    __module__ = "nemo.lens.helpers"

    span: Span | None
    """The open span, or None when the group was off."""

    context: Context | None
    """The context in which that span is current, or None when the group was off."""

    def __init__(
        self,
        span: Span | None = None,
        context: Context | None = None,
        begun: int = 0,
        *,
        record_exception: bool = True,
    ) -> None:
        self.span = span
        self.context = context
        self._begun = begun
        self._closed = span is None
        self._record_exception = record_exception

    @property
    def is_open(self) -> bool:
        """Whether there is a span that has not been closed."""
        return not self._closed

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        """Put attributes on the open span, converted and redacted like those of every helper."""
        if self.span is None or self._closed:
            return
        try:
            self.span.set_attributes(cleaned(attributes))
        except Exception as error:  # a foreign span failed; the work goes on
            report_span_failure(error)

    def close(self, error: BaseException | None = None) -> None:
        """End the span; further calls do nothing.

        Args:
            error: The exception that ended the work, if any; it is recorded as for `managed_span`.
        """
        if self._closed or self.span is None:
            return
        self._closed = True
        from nemo.lens.spans.span_factory import finish_span

        finish_span(self.span, self._begun, error, record_exception=self._record_exception)

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close(error)


CLOSED_HANDLE = SpanHandle()
"""What `open_span` returns when the group is off: one shared handle that does nothing."""


def skip_handle(*_args: Any, **_keywords: Any) -> SpanHandle:
    """Stand in for `open_span` inside a region that `torch.compile` traces."""
    return CLOSED_HANDLE


def open_handle(
    group: str, name: str, tracer: Tracer | None, keywords: dict[str, Any]
) -> SpanHandle:
    """Start a span of `group`, known to be on, and export the marker of its opening."""
    lazy_recording.load()
    from opentelemetry.trace import set_span_in_context

    from nemo.lens.semconv import NEMO_SPAN_OPEN_MARKER
    from nemo.lens.spans.recording import name_text, settled
    from nemo.lens.spans.span_factory import monotonic_start, start_span

    text = name_text(group, name)
    attributes, options = settled(keywords)
    begun = monotonic_start(options)
    span = start_span(text, attributes, tracer, options)
    context = set_span_in_context(span)
    marker = name_text(group, text + OPEN_MARKER_SUFFIX)
    marked = {**attributes, NEMO_SPAN_OPEN_MARKER: True}
    _make_instant(marker, marked, tracer, SpanOptions(context=context))
    record = options is None or options.record_exception
    return SpanHandle(span, context, begun, record_exception=record)


def make_mark(group: str, name: str, tracer: Tracer | None, keywords: dict[str, Any]) -> None:
    """Record an instant of `group`, known to be on."""
    lazy_recording.load()
    from nemo.lens.spans.recording import name_text, settled

    attributes, options = settled(keywords)
    _make_instant(name_text(group, name), attributes, tracer, options)


def _make_instant(
    name: str, attributes: dict[str, Any], tracer: Tracer | None, options: SpanOptions | None
) -> None:
    from nemo.lens.spans.span_factory import end_span_at, start_span

    given = options or SpanOptions()
    now = time.time_ns() if given.start_time is None else given.start_time
    end_span_at(start_span(name, attributes, tracer, given.replaced(start_time=now)), now)


class AttachedContext(AbstractContextManager[None]):
    """The context manager behind `attached_context`."""

    __slots__ = ("_attachments", "_origin")

    def __init__(self, origin: object) -> None:
        self._origin = origin
        self._attachments: list[Attachment] = []

    def __enter__(self) -> None:
        lazy_recording.load()
        from nemo.lens.spans.attachment import attached

        self._attachments.append(attached(_context_from(self._origin)))

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        from nemo.lens.spans.attachment import detach

        detach(self._attachments.pop())


def _context_from(origin: object) -> Context:
    from opentelemetry.context import Context, get_current

    from nemo.lens.propagation import extract_context

    kind = real_type(origin)
    if issubclass(kind, SpanHandle):
        return cast("SpanHandle", origin).context or get_current()
    return cast("Context", origin) if issubclass(kind, Context) else extract_context(origin)
