# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans opened here and closed there, instants, and contexts from elsewhere."""

import asyncio
import contextvars
import threading

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.trace import StatusCode

from nemo.lens.helpers import (
    SpanOptions,
    attached_context,
    managed_span,
    mark,
    open_span,
    span_attributes,
)
from nemo.lens.propagation import extract_context, inject_context
from nemo.lens.spans.span_names import group_of


@pytest.fixture
def spans(nemo_lens_recorder, nemo_lens_groups):
    """Record spans of the group `step`."""
    nemo_lens_groups("step")
    return nemo_lens_recorder


class TestOpenSpan:
    """The explicit handle."""

    def test_it_lasts_from_open_to_close(self, spans):
        """Across functions and threads; it is never the current span."""

        def begin():
            return open_span("step", "lib.save", path="/x")

        handle = begin()
        assert trace.get_current_span() is trace.INVALID_SPAN
        assert handle.is_open
        thread = threading.Thread(target=handle.close)
        thread.start()
        thread.join()
        assert not handle.is_open
        span = spans.span("lib.save")
        assert span.attributes == {"path": "/x"}
        assert span.end_time > span.start_time

    def test_a_marker_of_the_opening_is_exported_at_once(self, spans):
        """A crash leaves the name, the attributes and the ids of what was open."""
        with span_attributes({"run": "r"}):
            handle = open_span("step", "lib.save", path="/x")
        (marker,) = spans.spans
        assert marker.name == "lib.save.open"
        assert marker.end_time == marker.start_time
        assert marker.parent == handle.span.context
        assert marker.attributes == {"run": "r", "path": "/x", "nemo.span.open_marker": True}
        assert group_of("lib.save.open") == "step"

    def test_closing_twice_changes_nothing(self, spans):
        """The first close counts."""
        handle = open_span("step", "a")
        handle.close()
        handle.close(ValueError())
        assert spans.span("a").status.status_code is StatusCode.UNSET

    def test_an_error_given_to_close_is_recorded(self, spans):
        """As for a `with` block."""
        open_span("step", "a").close(ValueError("boom"))
        assert spans.span("a").status.description == "boom"

    def test_a_handle_is_a_context_manager_too(self, spans):
        """It closes itself, and the exception propagates."""
        handle = open_span("step", "a")
        handle.set_attributes({"n": 1, "prompt": "p", "bad": object()})
        with pytest.raises(ValueError, match="boom"), handle as entered:
            raise ValueError("boom")
        assert entered is handle
        span = spans.span("a")
        assert span.attributes == {"n": 1, "prompt": "[REDACTED]"}
        assert span.status.status_code is StatusCode.ERROR

    def test_attributes_after_close_are_ignored(self, spans):
        """The span has been exported."""
        handle = open_span("step", "a")
        handle.close()
        handle.set_attributes({"late": 1})
        assert spans.span("a").attributes == {}

    def test_work_can_be_put_inside_it(self, spans):
        """By `context=`, or by attaching it."""
        handle = open_span("step", "a")
        with managed_span("step", "child.by.option", context=handle.context):
            pass
        with attached_context(handle), managed_span("step", "child.by.scope"):
            pass
        handle.close()
        for how in ("option", "scope"):
            assert spans.span(f"child.by.{how}").parent == handle.span.context

    def test_record_exception_off_is_respected(self, spans):
        """No event, but the status."""
        options = SpanOptions(record_exception=False)
        open_span("step", "a", _span=options).close(ValueError("boom"))
        assert spans.span("a").events == []
        assert spans.span("a").status.status_code is StatusCode.ERROR

    def test_a_disabled_handle_does_nothing(self, spans):
        """One shared object, safe to use like any other."""
        handle = open_span("optimizer", "a", x=1)
        assert handle is open_span("other", "b")
        assert (handle.span, handle.context, handle.is_open) == (None, None, False)
        handle.set_attributes({"a": 1})
        with handle, attached_context(handle):
            handle.close()
        assert spans.started == []


class TestMark:
    """Instants."""

    def test_a_mark_is_a_zero_length_child_of_the_current_span(self, spans):
        """With attributes and options like any span."""
        with managed_span("step", "parent") as parent:
            mark("step", "lib.event", n=1)
        mark("step", "lib.earlier", _span=SpanOptions(start_time=7))
        event = spans.span("lib.event")
        assert (event.parent, event.attributes) == (parent.context, {"n": 1})
        assert event.start_time == event.end_time
        assert (spans.span("lib.earlier").start_time, spans.span("lib.earlier").end_time) == (7, 7)

    def test_a_disabled_mark_records_nothing(self, spans):
        """Gate first."""
        mark("optimizer", "lib.event")
        assert spans.started == []


class TestAttachedContext:
    """Contexts in threads and tasks."""

    def test_a_thread_continues_the_trace_of_its_starter(self, spans):
        """By a Context object or by a carrier."""

        def work(name, origin):
            with attached_context(origin), managed_span("step", name):
                pass
            assert trace.get_current_span() is trace.INVALID_SPAN

        with managed_span("step", "main") as main:
            carrier = {}
            inject_context(carrier)
            origins = {"context": otel_context.get_current(), "carrier": carrier}
        for name, origin in origins.items():
            thread = threading.Thread(target=work, args=(name, origin))
            thread.start()
            thread.join()
            assert spans.span(name).parent.span_id == main.context.span_id

    @pytest.mark.parametrize("origin", [None, {}, {"traceparent": "x"}, 5])
    def test_an_origin_without_a_context_changes_nothing(self, spans, origin):
        """The current context stays in force."""
        with managed_span("step", "outer") as outer, attached_context(origin):
            assert trace.get_current_span() is outer

    def test_it_may_be_entered_again_and_left_from_another_context(self, spans, caplog):
        """No "Failed to detach context" in an abandoned async generator."""
        carrier = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}

        async def generate():
            with attached_context(carrier):
                yield trace.get_current_span().get_span_context().trace_id

        async def main():
            generator = generate()
            first = await anext(generator)
            await asyncio.get_running_loop().create_task(
                generator.aclose(),
                **({"context": contextvars.Context()} if _CONTEXT_ARGUMENT else {}),
            )
            return first

        assert asyncio.run(main()) == int("a" * 32, 16)
        again = attached_context(extract_context(carrier))
        before = otel_context.get_current()
        with again, again:
            pass
        assert otel_context.get_current() == before
        assert caplog.records == []


_CONTEXT_ARGUMENT = hasattr(asyncio, "TaskGroup")
