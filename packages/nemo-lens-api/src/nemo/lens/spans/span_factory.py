# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The seam between the helpers and whoever builds spans.

The helpers decide that a span is due and hand over its name, attributes and options. By default
the plain factory below builds it with the public OpenTelemetry API, so it works with every
provider. `nemo-lens-sdk` installs a faster factory for its own provider; the plain one goes on
serving whatever that one declines.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from opentelemetry import trace
from opentelemetry.trace import INVALID_SPAN, set_span_in_context

from nemo.lens.spans.attachment import attached, detach
from nemo.lens.spans.no_span import refuse_decoration
from nemo.lens.spans.outcome import record_outcome
from nemo.lens.spans.tracing import lens_tracer, report_tracer_failure

if TYPE_CHECKING:
    from types import TracebackType

    from opentelemetry.trace import Span, Tracer

    from nemo.lens.spans.attachment import Attachment
    from nemo.lens.spans.options import SpanOptions


class Converted(dict[str, Any]):
    """Attributes that may hold lists, because they were not plain as the caller gave them."""

    __slots__ = ()


class SpanFactory(Protocol):
    """Builds the context manager that opens one span, makes it current, and ends it."""

    def __call__(
        self,
        name: str,
        attributes: dict[str, Any] | None,
        tracer: Tracer | None,
        options: SpanOptions | None,
        /,
    ) -> AbstractContextManager[Span] | None:
        """Return an unentered span, or None to leave this one to the plain factory.

        Args:
            name: An ordinary, encodable `str`.
            attributes: Cleaned and redacted, scope attributes included, in a dictionary that the
                factory may keep; None or empty when there are none. Unless it is a `Converted`, its
                values are all exactly `str`, `bool`, `int` or `float`.
            tracer: The caller's tracer; None for the tracer of scope `nemo.lens`.
            options: Kind, links, context, start time, `record_exception`; None for the defaults.
                Their `attributes` have been merged into `attributes` already.
        """
        ...


_installed: SpanFactory | None = None
_installed_for: object = None
_get_tracer_then: object = None
_looks_at_provider = True


def install_span_factory(
    factory: SpanFactory | None, provider: object = None, *, checks_provider: bool = False
) -> None:
    """Let `factory` build the spans of all helpers; None brings the plain factory back.

    The factory is asked only while `provider` is the global tracer provider and
    `opentelemetry.trace.get_tracer` is the function that it is now: a test that patches
    `get_tracer` gets to see its spans.

    Args:
        factory: What to ask for spans; see `SpanFactory`.
        provider: The tracer provider that the factory belongs to; None for the global one of now.
        checks_provider: Whether the factory itself declines while another provider is the global
            one; it is then not looked at here.
    """
    global _get_tracer_then, _installed, _installed_for, _looks_at_provider
    _installed_for = trace.get_tracer_provider() if provider is None else provider
    _get_tracer_then = trace.get_tracer
    _looks_at_provider = not checks_provider
    _installed = factory


def build_span(
    name: str,
    attributes: dict[str, Any] | None,
    tracer: Tracer | None,
    options: SpanOptions | None,
) -> AbstractContextManager[Span]:
    """Ask the installed factory, then the plain one; arguments as in `SpanFactory`."""
    factory = _installed
    if (
        factory is not None
        and trace.get_tracer is _get_tracer_then
        and (not _looks_at_provider or trace.get_tracer_provider() is _installed_for)
    ):
        try:
            span = factory(name, attributes, tracer, options)
        except Exception as error:  # the plain factory still works
            report_tracer_failure("the span factory", error)
        else:
            if span is not None:
                return span
    return PlainSpan(name, attributes, tracer, options)


# Characters of a name that a warning shows.
_SHOWN = 100


class PlainSpan(AbstractContextManager["Span"]):
    """A span as a context manager, on the public OpenTelemetry API alone."""

    __slots__ = ("_attachment", "_attributes", "_begun", "_name", "_options", "_span", "_tracer")

    def __init__(
        self,
        name: str,
        attributes: dict[str, Any] | None,
        tracer: Tracer | None,
        options: SpanOptions | None,
    ) -> None:
        self._name = name
        self._attributes = attributes
        self._tracer = tracer
        self._options = options
        self._attachment: Attachment | None = None

    __call__ = staticmethod(refuse_decoration)

    def __enter__(self) -> Span:
        self._begun = monotonic_start(self._options)
        self._span = span = start_span(self._name, self._attributes, self._tracer, self._options)
        self._attachment = attached(set_span_in_context(span))
        return span

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        attachment = self._attachment
        if attachment is not None:
            self._attachment = None
            detach(attachment)
        options = self._options
        record = options is None or options.record_exception
        finish_span(self._span, self._begun, error, record_exception=record)


def start_span(
    name: str,
    attributes: dict[str, Any] | None,
    tracer: Tracer | None,
    options: SpanOptions | None,
) -> Span:
    """Start a span that is not made current; arguments as in `SpanFactory`.

    `start_span` of the tracer is given only what is not its default.

    Returns:
        The span; an invalid one that records nothing if the tracer raised.
    """
    try:
        arguments = {} if options is None else options.start_arguments()
        if attributes:
            arguments["attributes"] = attributes
        return (lens_tracer() if tracer is None else tracer).start_span(name, **arguments)
    except Exception as error:  # a sampler, a processor or a foreign tracer failed
        report_lost_span(name, tracer, error)
        return INVALID_SPAN


def report_lost_span(name: object, tracer: object, error: Exception) -> None:
    """Count a span whose start raised, and name it."""
    report_tracer_failure(f"start_span of {_what(name, tracer)}", error)


def monotonic_start(options: SpanOptions | None) -> int:
    """Return when a span that is about to start began, in nanoseconds of the monotonic clock.

    For a span with a given start time that is as long ago as the wall clock says.
    """
    if options is None or options.start_time is None:
        return time.monotonic_ns()
    return time.monotonic_ns() - (time.time_ns() - options.start_time)


def _what(name: object, tracer: object) -> str:
    """The span that was lost; a group given to `span_cm` in front of the name lands here."""
    # Only of plain strings: anything else may raise when it is formatted.
    what = repr(name[:_SHOWN]) if type(name) is str else f"a name of type {type(name).__name__}"
    if type(tracer) is str:
        what += f" (its tracer is the text {tracer[:_SHOWN]!r}; span_cm takes a name and no group)"
    return what


def finish_span(
    span: Span, begun: int, error: BaseException | None, *, record_exception: bool = True
) -> None:
    """End `span`, recording the exception that ended its work, if any.

    The end is as long after the start as the monotonic clock says, so that a wall clock that steps
    back cannot make a duration negative.

    Args:
        span: The span to end; one that has ended already is left alone.
        begun: What `monotonic_start` said when the span was started.
        error: The exception that left the work.
        record_exception: Whether that exception becomes an event.
    """
    try:
        if error is not None:
            record_outcome(span, error, record_exception=record_exception)
    except Exception as failure:  # a hostile exception or a broken processor
        report_tracer_failure("record_exception", failure)
    finally:
        _end(span, begun)


def end_span_at(span: Span, end_time: int) -> None:
    """End `span` at `end_time`, in nanoseconds since the epoch."""
    try:
        span.end(end_time=end_time)
    except Exception as error:  # a broken processor must not become the caller's exception
        report_tracer_failure("end", error)


def _end(span: Span, begun: int) -> None:
    try:
        if not span.is_recording():
            return
        started = getattr(span, "start_time", None)
        if type(started) is int:
            elapsed = time.monotonic_ns() - begun
            span.end(end_time=started + elapsed if elapsed > 0 else started)
        else:
            span.end()
    except Exception as error:  # a broken processor must not become the caller's exception
        report_tracer_failure("end", error)


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction]
    install_span_factory(None)
