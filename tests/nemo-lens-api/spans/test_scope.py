# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Attributes set around a stretch of work."""

import asyncio
import contextvars
import threading

import pytest
from opentelemetry import trace

from nemo.lens.helpers import managed_span, span_attributes, trace_fn
from nemo.lens.spans.scope import current_span_attributes


@pytest.fixture
def spans(nemo_lens_recorder, nemo_lens_groups):
    """Record spans of the group `step`."""
    nemo_lens_groups("step")
    return nemo_lens_recorder


def test_spans_inside_carry_the_attributes(spans):
    """From the start; those outside do not."""
    with span_attributes({"run": "r1"}) as nothing, managed_span("step", "inside", x=1):
        assert nothing is None
    with managed_span("step", "outside"):
        pass
    assert spans.span("inside").attributes == {"run": "r1", "x": 1}
    assert spans.span("outside").attributes == {}


def test_the_inner_scope_wins_and_the_span_itself_wins_over_both(spans):
    """Scopes nest."""
    with span_attributes({"a": 1, "b": 1, "c": 1}), span_attributes({"b": 2, "c": 2}):
        assert current_span_attributes() == {"a": 1, "b": 2, "c": 2}
        with managed_span("step", "s", c=3):
            pass
        with managed_span("step", "none", c=None):
            pass
    assert spans.span("s").attributes == {"a": 1, "b": 2, "c": 3}
    assert spans.span("none").attributes == {"a": 1, "b": 2, "c": 2}
    assert current_span_attributes() == {}


def test_values_are_converted_and_redacted_once(spans):
    """When the scope is made."""
    with span_attributes({"prompt": "p", "sizes": (1, 2.5), "bad": object()}):
        assert current_span_attributes() == {"prompt": "[REDACTED]", "sizes": [1.0, 2.5]}


def test_the_scope_is_left_on_errors_and_may_be_entered_again():
    """It is an ordinary context manager."""
    scope = span_attributes({"a": 1})
    with pytest.raises(KeyError), scope, scope:
        raise KeyError
    assert current_span_attributes() == {}


def test_scopes_follow_tasks_and_context_copies_but_not_threads(spans):
    """As `contextvars` do."""
    seen = {}

    async def child():
        return dict(current_span_attributes())

    async def main():
        with span_attributes({"a": 1}):
            return await asyncio.create_task(child())

    assert asyncio.run(main()) == {"a": 1}
    with span_attributes({"b": 2}):
        thread = threading.Thread(target=lambda: seen.update(current_span_attributes()))
        thread.start()
        thread.join()
        copied = contextvars.copy_context()
    assert seen == {}
    assert copied.run(lambda: dict(current_span_attributes())) == {"b": 2}


def test_the_view_is_read_only():
    """Nobody changes the scope of others."""
    with span_attributes({"a": 1}), pytest.raises(TypeError):
        current_span_attributes()["a"] = 2


@pytest.mark.parametrize("bad", [5, None, ["a"], "text"])
def test_what_is_no_mapping_is_refused(bad):
    """A programmer's error, named."""
    with pytest.raises(TypeError, match=f"takes a mapping.*{type(bad).__name__}"):
        span_attributes(bad)


def test_spans_opened_without_lens_are_not_touched_here(spans):
    """The SDK's processor is for those."""
    with span_attributes({"a": 1}):
        trace.get_tracer("t").start_span("direct").end()
    assert spans.span("direct").attributes == {}


@trace_fn("step", "generator")
def generating():
    """Yield inside and outside of a scope of its own."""
    with span_attributes({"inner": 1}):
        yield dict(current_span_attributes())
        yield dict(current_span_attributes())
    yield dict(current_span_attributes())


def test_a_scope_inside_a_traced_generator_stays_there(spans):
    """The consumer's spans between the items carry the consumer's scope only."""
    consumed = []
    with span_attributes({"outer": 1}):
        for seen in generating():
            consumed.append(seen)
            with managed_span("step", "consumer"):
                pass
        assert current_span_attributes() == {"outer": 1}
    assert consumed == [{"outer": 1, "inner": 1}] * 2 + [{"outer": 1}]
    assert [span.attributes for span in spans.spans if span.name == "consumer"] == [
        {"outer": 1}
    ] * 3


def test_a_scope_of_an_abandoned_traced_generator_is_left(spans):
    """Closing it changes nothing for its consumer."""
    with span_attributes({"outer": 1}):
        items = generating()
        next(items)
        with span_attributes({"consumer": 1}):
            items.close()
            assert current_span_attributes() == {"outer": 1, "consumer": 1}
        assert current_span_attributes() == {"outer": 1}
    assert current_span_attributes() == {}


def test_a_scope_inside_a_traced_async_generator_stays_there(spans):
    """As in a plain one."""

    @trace_fn("step", "generator")
    async def items():
        with span_attributes({"inner": 1}):
            yield dict(current_span_attributes())
            await asyncio.sleep(0)
            yield dict(current_span_attributes())

    async def main():
        async for seen in items():
            assert seen == {"inner": 1}
            assert current_span_attributes() == {}

    asyncio.run(main())


def test_a_traced_generator_sees_the_scope_of_its_first_iteration(spans):
    """Spans of its work belong to where it was started, in whatever scope it is resumed."""
    with span_attributes({"outer": 1}):
        items = generating()
        next(items)
    with span_attributes({"other": 1}):
        assert next(items) == {"outer": 1, "inner": 1}
        assert current_span_attributes() == {"other": 1}
    items.close()
