# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans of HTTP requests that never hold a query string or the credentials of a URL.

The instrumentations of OpenTelemetry are given the tracer provider below. It passes everything on
to the global provider of the moment, so it works before set-up too, but takes the secrets out of
URLs before a span is started, and out of the texts of exceptions, where HTTP libraries and
applications put URLs.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, TracerProvider

from nemo.lens.semconv import (
    EXCEPTION_ESCAPED,
    EXCEPTION_MESSAGE,
    EXCEPTION_STACKTRACE,
    EXCEPTION_TYPE,
    NEMO_SPAN_CANCELLED,
)
from nemo.lens.spans.current_span_tracer import CurrentSpanTracer
from nemo.lens.spans.outcome import exception_text, is_cancellation, record_outcome
from nemo.lens.spans.redaction import REDACTED, is_redacted, masked
from nemo.lens.spans.url_credentials import without_url_credentials

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from opentelemetry.context import Context
    from opentelemetry.trace import Link, StatusCode, Tracer

# Which of them an instrumentation sets depends on OTEL_SEMCONV_STABILITY_OPT_IN.
_URL_ATTRIBUTES = frozenset({"http.url", "http.target", "url.full"})
_QUERY_ATTRIBUTE = "url.query"
_HEADER_ATTRIBUTES = ("http.request.header.", "http.response.header.")
_EXCEPTION_TEXTS = frozenset({EXCEPTION_MESSAGE, EXCEPTION_STACKTRACE})

# Quotes and brackets are legal in a query, or at least usual: only white space ends it for sure, and
# in a raw one not even that, where a further parameter follows on the line.
# Some fragments are secrets too; outside of URLs "#" is how comments and issue numbers begin.
_QUERY = re.compile(r"\?[^ \t\r\n\f\v]+(?:[^\r\n\f\v&]{0,200}&[^ \t\r\n\f\v=&]+=[^ \t\r\n\f\v]*)*")
_FRAGMENT = re.compile(r"(//[^ \t\r\n\f\v?#]*)#[^ \t\r\n\f\v]+")
_BEFORE_QUERY = re.compile(r"[^?#]*")


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


class HttpTracer(CurrentSpanTracer[Span]):
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
        return cast("Span", _HttpSpan(span))

    @contextmanager
    def covering(self, span: Span, **options: bool) -> Generator[Span]:
        """Make `span` current, and mark it as `managed_span` would: cancellations too."""
        is_event = options.pop("record_exception")
        is_status = options.pop("set_status_on_exception")
        with trace.use_span(span, record_exception=False, set_status_on_exception=False, **options):
            try:
                yield span
            except BaseException as error:
                if is_status:
                    record_outcome(span, error, record_exception=is_event)
                elif is_event:
                    span.record_exception(error)
                raise


class _HttpSpan:
    """Stands for another span, and takes the secrets of URLs out of what that is told.

    It shows the type of the other one, which applications look for, and has all the rest of it.
    """

    def __init__(self, span: Span) -> None:
        self._span = span

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return type(self._span)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._span, name)

    def __enter__(self) -> Span:
        return cast("Span", self)

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if error is not None:
            record_outcome(cast("Span", self), error)
        self._span.end()

    def record_exception(
        self,
        exception: BaseException,
        attributes: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        if is_cancellation(exception):  # instrumentations that call this set no such mark
            self._span.set_attribute(NEMO_SPAN_CANCELLED, True)
        text = exception_text(exception)
        described = {
            EXCEPTION_ESCAPED: str(escaped),
            **(attributes or {}),
            EXCEPTION_TYPE: text.type,
            EXCEPTION_MESSAGE: text.message,
            EXCEPTION_STACKTRACE: text.stacktrace,
        }
        self.add_event("exception", described, timestamp)

    def add_event(
        self,
        name: str,
        attributes: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
    ) -> None:
        cleaned = {
            key: without_query(value) if key in _EXCEPTION_TEXTS else value
            for key, value in (attributes or {}).items()
        }
        self._span.add_event(name, cleaned, timestamp)

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        self._span.set_attributes(without_url_secrets(attributes))

    def set_attribute(self, key: str, value: Any) -> None:
        self.set_attributes({key: value})

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        if not isinstance(status, Status):
            self._span.set_status(status, _safe_description(description))
            return
        safe = _safe_description(status.description)
        self._span.set_status(Status(status.status_code, safe))


def without_url_secrets(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return span attributes without query strings and credentials."""
    return {
        key: _without_secrets(key, value)
        for key, value in attributes.items()
        if key != _QUERY_ATTRIBUTE
    }


def _without_secrets(key: str, value: Any) -> Any:
    if key in _URL_ATTRIBUTES:
        return bare_url(str(value))
    if key.startswith(_HEADER_ATTRIBUTES):  # there because OpenTelemetry's variables ask for it
        values: Iterable[Any] = value if type(value) in (list, tuple) else (value,)
        return [REDACTED if is_redacted(key) else without_query(str(each)) for each in values]
    return value


def without_query(text: str) -> str:
    """Return `text` with the queries of URLs redacted and their credentials removed."""
    hidden = _FRAGMENT.sub(rf"\1#{REDACTED}", _without_credentials(text))
    return _QUERY.sub(f"?{REDACTED}", hidden)


def bare_url(url: str) -> str:
    """Return `url` without query, fragment and credentials."""
    return _BEFORE_QUERY.match(_without_credentials(url)).group()  # type: ignore[union-attr]


def _without_credentials(text: str) -> str:
    return without_url_credentials(text).replace(f"//{REDACTED}@", "//")


def _safe_description(description: str | None) -> str | None:
    """Return the description of a status, which OpenTelemetry takes from an exception."""
    if description is not None and is_redacted(EXCEPTION_MESSAGE):
        return REDACTED
    return description and masked(without_query(description))
