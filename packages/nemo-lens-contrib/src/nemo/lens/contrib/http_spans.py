# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans of HTTP requests that never hold a query string or the credentials of a URL.

The instrumentations of OpenTelemetry are given the tracer provider below. It passes everything on
to the global provider of the moment, so it works before set-up too, but takes the secrets out of
URLs before a span is started, and out of the texts of exceptions, where HTTP libraries put URLs.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, TracerProvider

from nemo.lens.spans.outcome import (
    EXCEPTION_MESSAGE,
    EXCEPTION_STACKTRACE,
    EXCEPTION_TYPE,
    exception_text,
    record_outcome,
)
from nemo.lens.spans.redaction import REDACTED

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from opentelemetry.context import Context
    from opentelemetry.trace import Link, SpanContext, Status

# Which of them an instrumentation sets depends on OTEL_SEMCONV_STABILITY_OPT_IN.
_URL_ATTRIBUTES = frozenset({"http.url", "http.target", "url.full"})
_QUERY_ATTRIBUTE = "url.query"

_QUERY = re.compile(r"\?[^\s'\"<>]+")
_CREDENTIALS = re.compile(r"//[^/\s@'\"]+@")


class HttpTracerProvider(TracerProvider):
    """Gives tracers of the global provider whose spans hold no secrets of URLs.

    Args:
        attributes: Put on every span.
    """

    def __init__(self, attributes: Mapping[str, Any] | None = None) -> None:
        self._attributes = dict(attributes or {})

    def get_tracer(
        self,
        instrumenting_module_name: str,
        instrumenting_library_version: str | None = None,
        schema_url: str | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> HttpTracer:
        """Return a tracer of the scope that is asked for."""
        scope = (instrumenting_module_name, instrumenting_library_version)
        tracer = trace.get_tracer(*scope, schema_url=schema_url, attributes=attributes)
        return HttpTracer(tracer, self._attributes)


class HttpTracer(Tracer):
    """Passes spans on to another tracer, without the secrets of their URLs."""

    def __init__(self, tracer: Tracer, attributes: Mapping[str, Any]) -> None:
        self._tracer = tracer
        self._attributes = attributes

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
    ) -> Span:
        """Start a span that is not made current."""
        span = self._tracer.start_span(
            name,
            context,
            kind,
            {**without_url_secrets(attributes or {}), **self._attributes},
            links,
            start_time,
            record_exception,
            set_status_on_exception,
        )
        # A server's span becomes current in the application, which may look for the SDK's own type.
        return _ClientSpan(span) if kind is SpanKind.CLIENT else span

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
    ) -> Generator[Span]:
        """Start a span and make it the current one for the body."""
        span = self.start_span(name, context, kind, attributes, links, start_time)
        with trace.use_span(
            span, end_on_exit=end_on_exit, record_exception=False, set_status_on_exception=False
        ):
            try:
                yield span
            except BaseException as error:
                if set_status_on_exception:
                    _set_outcome(span, error)
                if record_exception:
                    span.record_exception(error)
                raise


class _ClientSpan(Span):
    """A span that takes the secrets of URLs out of the exceptions it is told about."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def record_exception(
        self,
        exception: BaseException,
        attributes: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        text = exception_text(exception)
        told = {
            EXCEPTION_TYPE: text.type,
            EXCEPTION_MESSAGE: without_query(text.message),
            EXCEPTION_STACKTRACE: without_query(text.stacktrace),
        }
        self._span.record_exception(exception, {**(attributes or {}), **told}, timestamp, escaped)

    def end(self, end_time: int | None = None) -> None:
        self._span.end(end_time)

    def get_span_context(self) -> SpanContext:
        return self._span.get_span_context()

    def is_recording(self) -> bool:
        return self._span.is_recording()

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        self._span.set_attributes(without_url_secrets(attributes))

    def set_attribute(self, key: str, value: Any) -> None:
        self.set_attributes({key: value})

    def add_event(
        self,
        name: str,
        attributes: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
    ) -> None:
        self._span.add_event(name, attributes, timestamp)

    def add_link(self, context: SpanContext, attributes: Mapping[str, Any] | None = None) -> None:
        self._span.add_link(context, attributes)

    def update_name(self, name: str) -> None:
        self._span.update_name(name)

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        self._span.set_status(status, description)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._span, name)


def hide_url_secrets(span: Span, _scope: Mapping[str, Any]) -> None:
    """Overwrite what the ASGI middleware has set again after it started the span; its hook."""
    recorded: Mapping[str, Any] = getattr(span, "attributes", None) or {}
    kept = without_url_secrets(recorded)
    for key in recorded:
        if kept.get(key) != recorded[key]:
            span.set_attribute(key, kept.get(key, ""))


def without_url_secrets(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return span attributes without query strings and credentials."""
    return {
        key: without_query(str(value).partition("?")[0]) if key in _URL_ATTRIBUTES else value
        for key, value in attributes.items()
        if key != _QUERY_ATTRIBUTE
    }


def without_query(text: str) -> str:
    """Return `text` with the queries of URLs redacted and their credentials removed."""
    return _CREDENTIALS.sub("//", _QUERY.sub(f"?{REDACTED}", text))


def _set_outcome(span: Span, error: BaseException) -> None:
    """Mark `span` as `managed_span` would, with a status that repeats no URL."""
    record_outcome(span, error, record_exception=False)
    if isinstance(error, Exception):
        span.set_status(StatusCode.ERROR, without_query(exception_text(error).message))
