# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: SLF001 - it fills the fields of its own spans
# pyright: reportPrivateUsage=false
"""Entering and leaving a fast span: ids, parent, context, clocks, processors.

One class is made for each tracer, because everything that its spans have in common is then a
constant: the two methods below run once for every span, and a constant in a closure is the
cheapest thing that Python can read.
"""

from __future__ import annotations

import random
from contextlib import suppress
from time import monotonic_ns, time_ns
from typing import TYPE_CHECKING, Any

from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, Span, SpanContext, TraceFlags

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.fast_spans.exception_event import record_lazily
from nemo.lens.sdk.fast_spans.span import LEFT, NOT_ATTACHED, FastSpan
from nemo.lens.sdk.ids import RandomIds
from nemo.lens.spans.outcome import record_outcome
from nemo.lens.spans.span_factory import PlainSpan, report_lost_span
from nemo.lens.spans.tracing import report_tracer_failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from nemo.lens.sdk.fast_spans.eligibility import Site

    Announce = Callable[[int, FastSpan], object]
    """Called with the id of a span and the span that has just started."""

    Finish = Callable[[FastSpan], object]
    """Called with a span that has just ended."""

_SPAN_KEY = _otel_private.span_key()
_TRACE_BITS, _SPAN_BITS = 128, 64
_RANDOM = getattr(TraceFlags, "RANDOM_TRACE_ID", 0)


def span_class(  # noqa: C901 - one closure over the constants of a tracer
    site: Site,
    announce: Announce,
    finish: Finish,
    finish_after_change: Finish,
    family: dict[int, set[type]],
) -> type[FastSpan]:
    """Make the class of the fast spans of one tracer.

    Args:
        site: The tracer.
        announce: Tells the processors that a span has started.
        finish: Tells the processors that a span has ended.
        finish_after_change: The same once the processors have been exchanged; see
            `FastSpan.follow_change`.
        family: All classes that may be each other's parents, by the flags of new traces; the new
            class is added.
    """
    tracer, answers = site
    draw = _id_source(tracer.id_generator)
    flags = TraceFlags(TraceFlags.SAMPLED | _random_flag(tracer.id_generator))
    roots = answers.root
    siblings = family.setdefault(int(flags), set())
    current, make_current, restore = _otel_private.context_variable()
    value_of: Any = dict[str, object].get  # quicker than a method of the subclass

    class TracerSpan(FastSpan):
        """A fast span of one tracer."""

        def __enter__(self) -> Any:
            if self._token is not None:
                return self._enter_again()
            context = current()
            parent: Any = value_of(context, _SPAN_KEY)
            if type(parent) in siblings and not parent._is_odd:
                self._trace_id = parent._trace_id
                self._parent_id = parent._span_id
                self._is_odd = False
            elif parent is None and roots:
                self._trace_id = draw(_TRACE_BITS) or 1
                self._parent_id = 0
                self._is_odd = False
            elif not adopt(self, parent):
                return _enter_delegate(self, tracer)
            self._span_id = span_id = draw(_SPAN_BITS) or 1
            self._end_time = None
            self._begun = monotonic_ns()
            self._start_time = time_ns()
            try:
                announce(span_id, self)
            except Exception as failure:  # a processor failed: the span is lost, the work goes on
                return lose(self, failure)
            if len(context) > 1 or (parent is None and context):
                context = Context({**context, _SPAN_KEY: self})
            else:
                context = Context({_SPAN_KEY: self})
            self._token = make_current(context)
            return self

        def __exit__(
            self,
            exc_type: type[BaseException] | None,
            error: BaseException | None,
            traceback: TracebackType | None,
        ) -> None:
            try:
                restore(self._token)
            except TypeError:  # no token: this block attached nothing itself
                if self._leave_oddly(exc_type, error, traceback):
                    return
            except (ValueError, RuntimeError):
                pass  # another contextvars.Context: nothing of ours is attached there
            self._token = LEFT
            if error is not None:
                _note_error(self, error)
            try:
                begun = self._begun
                del self._begun  # atomic: whoever succeeds ends the span
            except AttributeError:
                return
            self._end_time = self._start_time + monotonic_ns() - begun
            try:
                finish(self)
            except Exception as failure:  # a processor must not become the caller's exception
                report_tracer_failure("end", failure)

        def end(self, end_time: int | None = None) -> None:
            """End the span, as every span does."""
            try:
                del self._begun
            except AttributeError:
                if self._end_time is not None:
                    super().end(end_time)  # which says that it has ended already
                return
            self._end_time = time_ns() if end_time is None else end_time
            finish(self)

        @classmethod
        def follow_change(cls) -> None:
            """Tell the processors of that moment when a span that is open now ends."""
            nonlocal finish
            finish = finish_after_change

    def adopt(span: FastSpan, parent: Any) -> bool:
        """Take over the trace of a parent that is no ordinary sibling, if its case is known."""
        try:
            origin = parent.get_span_context() if isinstance(parent, Span) else None
            if origin is None or (type(origin) is SpanContext and not origin.is_valid):
                if roots:
                    span._trace_id = draw(_TRACE_BITS) or 1
                    span._parent_id = 0
                    span._is_odd = False
                return roots
            known = answers.remote if origin.is_remote else answers.local
            inherited = origin.trace_flags
            if not known or type(inherited) is not TraceFlags or not inherited.sampled:
                return False
        except Exception:  # a foreign parent failed; the SDK sees the same and is asked
            return False
        span._trace_id = origin.trace_id
        span._parent_id = origin.span_id
        span._parent_context = origin
        span._flags = TraceFlags(TraceFlags.SAMPLED | inherited & _RANDOM)
        span._state = origin.trace_state
        span._is_odd = span._flags != flags or bool(span._state)
        return True

    def lose(span: FastSpan, failure: Exception) -> Span:
        report_lost_span(span._name, None, failure)
        with suppress(AttributeError):  # a processor may have ended it before another one failed
            del span._begun
        span._token = make_current(Context({**current(), _SPAN_KEY: INVALID_SPAN}))
        return INVALID_SPAN

    for name, value in _constants(tracer, flags).items():
        setattr(TracerSpan, name, value)
    for method in (TracerSpan.__enter__, TracerSpan.__exit__):
        _specialise_apart(method)
    siblings.add(TracerSpan)
    return TracerSpan


def _enter_delegate(span: FastSpan, tracer: Any) -> Any:
    """Let the SDK make this one."""
    given = span._given_attributes if span._given_attributes is not None else span._attributes
    span._token = NOT_ATTACHED
    span._delegate = PlainSpan(span._name, dict(given) if given else None, tracer, None)
    return span._delegate.__enter__()


def _note_error(span: FastSpan, error: BaseException) -> None:
    try:
        record_outcome(span, error, record=record_lazily)
    except Exception as failure:  # a hostile exception
        report_tracer_failure("record_exception", failure)


def _constants(tracer: Any, flags: TraceFlags) -> dict[str, Any]:
    """Return the class attributes that tell what is common to the spans of a tracer."""
    limits = tracer._span_limits
    most = limits.max_span_attributes
    has_length_limit = limits.max_span_attribute_length is not None
    return {
        "_flags": flags,
        "_state": _otel_private.no_trace_state(),
        "_resource": tracer.resource,
        "_instrumentation_scope": tracer._instrumentation_scope,
        "_instrumentation_info": tracer.instrumentation_info,
        "_limits": limits,
        "_sampler": tracer.sampler,
        "_span_processor": tracer.span_processor,
        "PLAIN_LIMIT": -1 if has_length_limit else 2**31 if most is None else most,
    }


def _id_source(generator: Any) -> Callable[[int], int]:
    """Return what draws an id of 128 (a trace) or 64 bits (a span)."""
    if type(generator) is RandomIds:
        bits: Callable[[int], int] = generator.bits
        return bits
    if _otel_private.draws_from_global_random(generator):
        return random.getrandbits

    def draw(size: int) -> int:
        generate = (
            generator.generate_trace_id if size == _TRACE_BITS else generator.generate_span_id
        )
        number: int = generate()
        return number

    return draw


def _random_flag(generator: Any) -> int:
    return _RANDOM if _RANDOM and generator.is_trace_id_random() else 0


def _specialise_apart(method: Any) -> None:
    """Give `method` a code object of its own.

    The interpreter specialises code objects for the classes that they meet; one that served several
    tracers would be specialised for none of them.
    """
    method.__code__ = method.__code__.replace()
