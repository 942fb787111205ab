# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A tracer provider that records spans in memory, on the OpenTelemetry API alone.

For tests in an environment without the OpenTelemetry SDK. It samples everything, keeps the values
that it was given as they are, and counts ids from 1, so that whole lists of spans can be compared.
"""

from __future__ import annotations

import itertools
import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from nemo.lens import semconv
from nemo.lens.spans.current_span_tracer import CurrentSpanTracer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Any

    from opentelemetry.context import Context


@dataclass(frozen=True)
class RecordedScope:
    """The instrumentation scope of a recorded span."""

    name: str
    version: str | None = None
    schema_url: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict[str, "Any"])


@dataclass(frozen=True)
class RecordedEvent:
    """An event of a recorded span; `timestamp` in nanoseconds since the epoch."""

    name: str
    attributes: dict[str, Any]
    timestamp: int


class RecordedSpan(trace.Span):
    """A span that remembers everything it was told, under the names of the SDK's `ReadableSpan`.

    Attributes:
        name: The last name it was given.
        kind: The kind of span.
        parent: Context of the parent span, or `None` for a root.
        attributes: Every attribute, with its value unchanged.
        events: Events in the order they were added.
        links: Links in the order they were added.
        status: The status, following the rule that `OK` is final.
        start_time: Nanoseconds since the epoch.
        end_time: Nanoseconds since the epoch, or `None` while the span is open.
        instrumentation_scope: The scope of the tracer that started it.
    """

    def __init__(
        self,
        recorder: RecordingTracerProvider,
        name: str,
        context: SpanContext,
        scope: RecordedScope,
        *,
        parent: SpanContext | None,
        kind: SpanKind,
        attributes: Mapping[str, Any] | None,
        links: Sequence[Link] | None,
        start_time: int | None,
        record_exception: bool,
        set_status_on_exception: bool,
    ) -> None:
        self._recorder = recorder
        self._record_exception = record_exception
        self._set_status_on_exception = set_status_on_exception
        self.name = name
        self.context = context
        self.instrumentation_scope = scope
        self.parent = parent
        self.kind = kind
        self.attributes: dict[str, Any] = dict(attributes or {})
        self.events: list[RecordedEvent] = []
        self.links: list[Link] = list(links or ())
        self.status = Status()
        self.start_time = time.time_ns() if start_time is None else start_time
        self.end_time: int | None = None

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        if exc_val is not None and self._record_exception:
            self.record_exception(exc_val)
        if exc_val is not None and self._set_status_on_exception:
            self.set_status(StatusCode.ERROR, f"{type(exc_val).__name__}: {exc_val}")
        super().__exit__(exc_type, exc_val, exc_tb)

    def __repr__(self) -> str:
        return f"<RecordedSpan {self.name!r} {self.attributes!r}>"

    def get_span_context(self) -> SpanContext:
        """Return the ids of the span."""
        return self.context

    def is_recording(self) -> bool:
        """Return whether the span is still open."""
        return self.end_time is None

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        """Set several attributes; ignored once the span has ended."""
        if self.is_recording():
            self.attributes.update(attributes)

    def set_attribute(self, key: str, value: Any) -> None:
        """Set one attribute; ignored once the span has ended."""
        self.set_attributes({key: value})

    def add_event(
        self,
        name: str,
        attributes: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
    ) -> None:
        """Add an event; ignored once the span has ended."""
        if self.is_recording():
            when = time.time_ns() if timestamp is None else timestamp
            self.events.append(RecordedEvent(name, dict(attributes or {}), when))

    def add_link(self, context: SpanContext, attributes: Mapping[str, Any] | None = None) -> None:
        """Add a link; ignored once the span has ended."""
        if self.is_recording():
            self.links.append(Link(context, attributes))

    def update_name(self, name: str) -> None:
        """Rename the span; ignored once the span has ended."""
        if self.is_recording():
            self.name = name

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        """Set the status, unless it is `OK` already or the new one is `UNSET`."""
        if not isinstance(status, Status):
            status = Status(status, description)
        final = self.status.status_code is StatusCode.OK
        if self.is_recording() and not final and not status.is_unset:
            self.status = status

    def record_exception(
        self,
        exception: BaseException,
        attributes: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        """Add an event `exception` with the attributes that the SDK gives it."""
        kind = type(exception)
        prefix = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        described = {
            semconv.EXCEPTION_TYPE: f"{prefix}{kind.__qualname__}",
            semconv.EXCEPTION_MESSAGE: str(exception),
            semconv.EXCEPTION_STACKTRACE: "".join(traceback.format_exception(exception)),
            semconv.EXCEPTION_ESCAPED: str(escaped),
            **(attributes or {}),
        }
        self.add_event("exception", described, timestamp)

    def end(self, end_time: int | None = None) -> None:
        """End the span and add it to the finished ones; a second call changes nothing."""
        if self.is_recording():
            self.end_time = time.time_ns() if end_time is None else end_time
            self._recorder.spans.append(self)


class RecordingTracer(CurrentSpanTracer[RecordedSpan]):
    """A tracer whose spans are `RecordedSpan`s of one `RecordingTracerProvider`."""

    def __init__(self, recorder: RecordingTracerProvider, scope: RecordedScope) -> None:
        self._recorder = recorder
        self._scope = scope

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
    ) -> RecordedSpan:
        """Start a span below the current span of `context`, or of the current context."""
        parent = trace.get_current_span(context).get_span_context()
        span = RecordedSpan(
            self._recorder,
            name,
            self._recorder.next_context(parent),
            self._scope,
            parent=parent if parent.is_valid else None,
            kind=kind,
            attributes=attributes,
            links=links,
            start_time=start_time,
            record_exception=record_exception,
            set_status_on_exception=set_status_on_exception,
        )
        self._recorder.started.append(span)
        return span


class RecordingTracerProvider(trace.TracerProvider):
    """Keeps every span of every tracer that it hands out.

    Attributes:
        spans: The finished spans, in the order in which they ended.
        started: All spans, in the order in which they started.
    """

    def __init__(self) -> None:
        self.spans: list[RecordedSpan] = []
        self.started: list[RecordedSpan] = []
        self._trace_ids = itertools.count(1)
        self._span_ids = itertools.count(1)

    def get_tracer(
        self,
        instrumenting_module_name: str,
        instrumenting_library_version: str | None = None,
        schema_url: str | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> RecordingTracer:
        """Return a tracer of one instrumentation scope."""
        scope = RecordedScope(
            instrumenting_module_name,
            instrumenting_library_version,
            schema_url,
            dict(attributes or {}),
        )
        return RecordingTracer(self, scope)

    def span(self, name: str) -> RecordedSpan:
        """Return the one finished span of that name.

        Raises:
            LookupError: No finished span has the name, or several have.
        """
        found = [span for span in self.spans if span.name == name]
        if len(found) != 1:
            raise LookupError(
                f"expected one finished span {name!r}, got {len(found)} among {self.names()}"
            )
        return found[0]

    def names(self) -> list[str]:
        """Return the names of the finished spans, in the order in which they ended."""
        return [span.name for span in self.spans]

    def next_context(self, parent: SpanContext) -> SpanContext:
        """Return the next ids, in the trace of `parent` if that is valid."""
        return SpanContext(
            trace_id=parent.trace_id if parent.is_valid else next(self._trace_ids),
            span_id=next(self._span_ids),
            is_remote=False,
            trace_flags=TraceFlags(TraceFlags.SAMPLED),
            trace_state=parent.trace_state,
        )
