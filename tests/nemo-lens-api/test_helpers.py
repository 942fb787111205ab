# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans around `with` blocks: the gate, the context, and what the caller sees."""

import asyncio
import contextlib
import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from unittest import mock

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanContext, SpanKind, StatusCode, TraceFlags

from nemo.lens import helpers
from nemo.lens.helpers import (
    SpanOptions,
    managed_span,
    safe_set_span_attributes,
    span_attributes,
    span_cm,
    trace_fn,
)
from nemo.lens.spans.discards import discarded
from nemo.lens.spans.no_span import NO_SPAN

REMOTE = SpanContext(0xA, 0xB, is_remote=True, trace_flags=TraceFlags(1))


@pytest.fixture
def spans(nemo_lens_recorder, nemo_lens_groups):
    """Record spans of the group `step`."""
    nemo_lens_groups("step")
    return nemo_lens_recorder


class TestGate:
    """What happens while the group is off."""

    def test_a_disabled_span_yields_none_and_records_nothing(self, spans):
        """The body runs with None in the place of the span."""
        with managed_span("optimizer", "lib.optimizer", size=3) as span:
            assert span is None
        assert spans.started == []

    def test_disabled_calls_share_one_object(self, spans):
        """Nothing is allocated for a disabled span."""
        assert managed_span("optimizer", "a") is managed_span("other", "b", x=1) is NO_SPAN

    def test_the_disabled_span_has_no_room_for_state(self):
        """A shared object must not be able to carry anything from one caller to another."""
        with pytest.raises(AttributeError):
            NO_SPAN.anything = 1

    def test_a_disabled_span_works_in_an_exit_stack(self):
        """`ExitStack` calls the methods of the class with the object as first argument."""
        with contextlib.ExitStack() as stack:
            assert stack.enter_context(managed_span("optimizer", "a")) is None
        stack = contextlib.ExitStack()
        stack.enter_context(managed_span("optimizer", "a"))
        with pytest.raises(KeyError), stack:
            raise KeyError

    @pytest.mark.parametrize(
        "error", [ValueError("v"), KeyboardInterrupt(), SystemExit(3), StopIteration(4)]
    )
    def test_exceptions_pass_a_disabled_span_unchanged(self, error):
        """The very same exception object reaches the caller."""
        with pytest.raises(type(error)) as caught, managed_span("optimizer", "a"):
            raise error
        assert caught.value is error

    def test_the_gate_is_asked_at_every_call(self, spans, nemo_lens_groups):
        """Groups may be switched on and off at any time."""
        with managed_span("step", "on"):
            pass
        nemo_lens_groups()
        with managed_span("step", "off") as span:
            assert span is None
        nemo_lens_groups("step")
        with managed_span("step", "on.again"):
            pass
        assert spans.names() == ["on", "on.again"]

    def test_lazy_attributes_are_not_evaluated_while_the_group_is_off(self, spans):
        """A callable costs nothing while the group is off."""
        evaluate = mock.Mock(return_value={"x": 1})
        with managed_span("optimizer", "a", _span=SpanOptions(attributes=evaluate)):
            pass
        evaluate.assert_not_called()

    @pytest.mark.parametrize("groups", [(), ("step",)])
    def test_decorating_with_managed_span_is_refused(self, spans, nemo_lens_groups, groups):
        """The error names the decorator to use, whether the group is on or off."""
        nemo_lens_groups(*groups)
        with pytest.raises(TypeError, match="trace_fn"):

            @managed_span("step", "a")
            def work():
                pass

    def test_helpers_load_no_opentelemetry_while_everything_is_off(self):
        """A disabled process pays for no import of OpenTelemetry."""
        program = (
            "import sys\n"
            "from nemo.lens.helpers import *\n"
            "with managed_span('step', 'x', a=1): pass\n"
            "trace_fn('step', 'x')(print)()\n"
            "mark('step', 'x'); open_span('step', 'x').close()\n"
            "with span_attributes({'a': 1}): pass\n"
            "assert not [m for m in sys.modules if m.startswith('opentelemetry')]\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)


class TestSpan:
    """A span whose group is on."""

    def test_it_is_current_inside_and_gone_afterwards(self, spans):
        """The parent of inner spans is the span; afterwards there is none."""
        with managed_span("step", "a") as span:
            assert trace.get_current_span() is span
        assert trace.get_current_span() is trace.INVALID_SPAN
        assert spans.names() == ["a"]

    def test_attributes_are_given_at_start(self, spans):
        """Samplers see them."""
        seen = {}
        tracer = mock.Mock(wraps=spans.get_tracer("t"))
        tracer.start_span.side_effect = lambda name, **given: (
            seen.update(given) or spans.get_tracer("t").start_span(name, **given)
        )
        with managed_span("step", "a", tracer, iteration=3, category="x"):
            pass
        assert seen == {"attributes": {"iteration": 3, "category": "x"}}

    def test_the_scope_is_lens_with_version_and_schema(self, spans):
        """One scope for everything lens opens itself."""
        with managed_span("step", "a"), span_cm("b"):
            trace_fn("step", "c")(lambda: None)()
        scopes = {span.instrumentation_scope.name for span in spans.spans}
        assert scopes == {"nemo.lens"}
        scope = spans.span("a").instrumentation_scope
        assert scope.version
        assert scope.schema_url.startswith("https://docs.nvidia.com/nemo/lens/semconv/")

    def test_a_tracer_of_the_caller_keeps_its_own_scope(self, spans):
        """It may be the third positional argument."""
        with managed_span("step", "a", spans.get_tracer("mylib", "1.0")):
            pass
        assert spans.span("a").instrumentation_scope.name == "mylib"

    def test_nesting_and_recursion_give_the_right_parents(self, spans):
        """managed_span, span_cm and trace_fn mixed."""

        @trace_fn("step", "fact")
        def fact(n):
            return 1 if n == 0 else n * fact(n - 1)

        with span_cm("root"), managed_span("step", "mid"):
            assert fact(2) == 2
        by_id = {span.context.span_id: span.name for span in spans.spans}
        parents = [(s.name, s.parent and by_id[s.parent.span_id]) for s in spans.spans]
        assert parents == [
            ("fact", "fact"),
            ("fact", "fact"),
            ("fact", "mid"),
            ("mid", "root"),
            ("root", None),
        ]

    def test_threads_do_not_see_each_others_spans(self, spans):
        """The current span belongs to a thread."""

        def work():
            with managed_span("step", "thread") as span:
                assert trace.get_current_span() is span

        with managed_span("step", "main"):
            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert [s.parent for s in spans.spans if s.name == "thread"] == [None] * 8

    def test_tasks_keep_their_spans_across_awaits(self, spans):
        """Interleaved tasks each see their own span as the current one."""

        async def work(name):
            with managed_span("step", name) as span:
                for _ in range(3):
                    await asyncio.sleep(0)
                    assert trace.get_current_span() is span

        async def main():
            await asyncio.gather(work("a"), work("b"), work("c"))

        asyncio.run(main())
        assert sorted(spans.names()) == ["a", "b", "c"]

    def test_a_context_leaked_by_the_body_is_undone(self, spans):
        """Afterwards the context is that from before, whatever the body attached."""
        before = otel_context.get_current()
        with managed_span("step", "a"):
            otel_context.attach(otel_context.set_value("leaked", 1))
        assert otel_context.get_current() == before

    def test_a_span_ended_by_the_body_is_not_ended_twice(self, spans):
        """OpenTelemetry would warn about the second end."""
        with managed_span("step", "a") as span:
            span.end()
        assert spans.names() == ["a"]

    def test_a_wall_clock_that_steps_back_gives_no_negative_duration(self, spans):
        """The start is the wall clock's, the duration the monotonic clock's."""
        with mock.patch("time.time_ns") as clock:
            clock.return_value = 10**18
            with managed_span("step", "a"):
                clock.return_value = 10**18 - 10**12
        span = spans.span("a")
        assert span.start_time == 10**18
        assert 0 <= span.end_time - span.start_time < 10**9

    def test_an_abandoned_async_generator_logs_nothing(self, spans, caplog):
        """Its span is closed from another context, where nothing of it is attached."""

        async def stream():
            with managed_span("step", "stream"), span_attributes({"x": 1}):
                for i in range(10):
                    yield i

        async def main():
            generator = stream()
            await anext(generator)
            await asyncio.create_task(generator.aclose())

        asyncio.run(main())
        assert spans.names() == ["stream"]
        assert caplog.records == []

    def test_names_that_are_not_text_are_written_out(self, spans):
        """A span name is always an ordinary text that encodes as UTF-8."""
        for name in (None, 5, b"x", ["unhashable"], "load \udcff"):
            with managed_span("step", name):
                pass
        assert spans.names() == ["None", "5", "x", "['unhashable']", "load \\udcff"]

    def test_options_are_recognised_by_type(self, spans):
        """kind, links and context are options when their values are; else attributes."""
        parent = trace.set_span_in_context(trace.NonRecordingSpan(REMOTE))
        with managed_span(
            "step", "a", kind=SpanKind.CLIENT, links=[Link(REMOTE)], context=parent, n=1
        ):
            pass
        with managed_span("step", "b", kind="train", links=3, context="c"):
            pass
        span = spans.span("a")
        assert (span.kind, len(span.links), span.parent) == (SpanKind.CLIENT, 1, REMOTE)
        assert span.attributes == {"n": 1}
        assert spans.span("b").attributes == {"kind": "train", "links": 3, "context": "c"}

    def test_an_options_object_carries_everything_else(self, spans):
        """Start time, reserved attribute names, lazily evaluated attributes."""
        options = SpanOptions(
            start_time=7, kind=SpanKind.SERVER, attributes=lambda: {"name": "n", "tracer": "t"}
        )
        with managed_span("step", "a", _span=options, x=1):
            pass
        span = spans.span("a")
        assert (span.start_time, span.kind) == (7, SpanKind.SERVER)
        assert span.attributes == {"name": "n", "tracer": "t", "x": 1}

    def test_an_empty_context_makes_a_root(self, spans):
        """An empty Context is a context, not "nothing given"."""
        with managed_span("step", "outer"), managed_span("step", "root", context=Context()):
            pass
        assert spans.span("root").parent is None

    def test_failing_lazy_attributes_lose_only_themselves(self, spans, caplog):
        """The callable's exception never reaches the body."""
        with managed_span("step", "a", _span=SpanOptions(attributes=lambda: 1 / 0), x=1):
            pass
        assert spans.span("a").attributes == {"x": 1}
        assert discarded()["lazy attributes"] == 1
        assert "ZeroDivisionError" in caplog.text

    def test_a_wrong_options_object_is_ignored_with_a_warning(self, spans, caplog):
        """`_span` takes SpanOptions only."""
        with managed_span("step", "a", _span={"kind": 1}):
            pass
        assert spans.names() == ["a"]
        assert "SpanOptions" in caplog.text

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("kind", "client"),
            ("links", 5),
            ("links", ["a link"]),
            ("context", {}),
            ("start_time", 1.5),
            ("start_time", 2**70),
        ],
    )
    def test_an_option_of_a_wrong_type_is_ignored_with_a_warning(self, spans, caplog, field, value):
        """It would lose the span, or the whole batch in the exporter."""
        for _ in range(2):
            with managed_span(
                "step", "a", _span=SpanOptions(**{field: value}), links=[Link(REMOTE)]
            ):
                pass
        assert [(s.kind, len(s.links)) for s in spans.spans] == [(SpanKind.INTERNAL, 1)] * 2
        assert discarded() == {f"option {field}": 2}
        assert f"option {field} was ignored" in caplog.text


class TestForeignTracers:
    """Mocks, patches and broken tracers of the caller."""

    def test_a_patched_get_tracer_wins_and_start_span_is_called(self, spans):
        """Client tests patch `nemo.lens.helpers.trace.get_tracer`."""
        with managed_span("step", "bound.before"):
            pass
        with mock.patch("nemo.lens.helpers.trace.get_tracer") as get_tracer:
            tracer = get_tracer.return_value
            with managed_span("step", "a") as span:
                assert span is tracer.start_span.return_value
            tracer.start_span.assert_called_once_with("a")
            span.end.assert_called_once_with()
        with managed_span("step", "bound.after"):
            pass
        assert spans.names() == ["bound.before", "bound.after"]

    def test_a_new_provider_is_noticed(self, spans):
        """The tracer is bound once, and again when the provider changes."""
        from nemo.lens.testing import RecordingTracerProvider

        with managed_span("step", "a"):
            pass
        other = RecordingTracerProvider()
        with mock.patch.object(trace, "_TRACER_PROVIDER", other), managed_span("step", "b"):
            pass
        assert (spans.names(), other.names()) == (["a"], ["b"])

    @pytest.mark.parametrize(
        "tracer", [object(), mock.Mock(start_span=mock.Mock(side_effect=OSError))]
    )
    def test_a_broken_tracer_loses_the_span_only(self, spans, tracer):
        """The body runs with a span that records nothing."""
        with managed_span("step", "a", tracer) as span:
            span.set_attribute("still", "usable")
        assert discarded()["tracer failure"] == 1

    def test_without_a_provider_the_helpers_still_work(self, nemo_lens_groups):
        """No set-up: a span that records nothing."""
        nemo_lens_groups("step")
        with managed_span("step", "a", x=1) as span:
            assert not span.is_recording()


class TestSpanCm:
    """The ungated context manager."""

    def test_it_yields_a_span_whatever_the_groups(self, spans, nemo_lens_groups):
        """No group, no gate."""
        nemo_lens_groups()
        with span_cm("a", x=1) as span:
            assert trace.get_current_span() is span
        assert spans.span("a").attributes == {"x": 1}

    def test_record_exception_false_keeps_the_status_only(self, spans):
        """No event, but the status is ERROR."""
        for name, recorded in (("with", True), ("without", False)):
            with pytest.raises(ValueError, match="boom"), span_cm(name, None, recorded):
                raise ValueError("boom")
        assert len(spans.span("with").events) == 1
        assert spans.span("without").events == []
        assert spans.span("without").status.status_code is StatusCode.ERROR

    def test_record_exception_false_goes_with_other_options(self, spans):
        """An options object given beside it keeps its other values."""
        options = SpanOptions(kind=SpanKind.CLIENT)
        with pytest.raises(ValueError), span_cm("a", record_exception=False, _span=options):
            raise ValueError
        assert (spans.span("a").kind, spans.span("a").events) == (SpanKind.CLIENT, [])

    def test_it_decorates_functions_of_every_kind(self, spans):
        """Each call opens a span of its own."""

        @span_cm("plain", x=1)
        def plain(n):
            return n

        @span_cm("coroutine")
        async def coroutine():
            await asyncio.sleep(0)
            return 5

        assert [plain(1), plain(2), asyncio.run(coroutine())] == [1, 2, 5]
        assert spans.names() == ["plain", "plain", "coroutine"]
        assert spans.spans[1].attributes == {"x": 1}

    def test_one_object_may_be_entered_again_and_inside_itself(self, spans):
        """Each `with` opens a span of its own."""
        manager = span_cm("a")
        with manager as outer, manager as inner:
            assert outer is not inner
        assert len(spans.spans) == 2


class TestSafeSet:
    """Attributes on a span that is open already."""

    def test_none_is_a_no_op(self):
        """managed_span yields None when the group is off."""
        safe_set_span_attributes(None, {"a": 1})

    def test_an_ended_span_is_left_alone(self, spans):
        """Nothing is set and nothing is logged."""
        with managed_span("step", "a") as span:
            pass
        safe_set_span_attributes(span, {"a": 1})
        assert span.attributes == {}

    def test_values_are_converted_and_redacted(self, spans):
        """The same rules as for attributes given at start."""
        with managed_span("step", "a") as span:
            safe_set_span_attributes(span, {"prompt": "p", "n": 1, "none": None, "l": [1, 2.5]})
        assert span.attributes == {"prompt": "[REDACTED]", "n": 1, "l": [1.0, 2.5]}

    @pytest.mark.parametrize(
        ("redact_keys", "expected"),
        [
            (None, {"prompt": "[REDACTED]", "mine": "m"}),
            (frozenset({"MINE"}), {"prompt": "p", "mine": "[REDACTED]"}),
            ((), {"prompt": "p", "mine": "m"}),
        ],
    )
    def test_the_caller_may_choose_the_keys(self, spans, redact_keys, expected):
        """None means the default; an empty collection switches redaction off."""
        with managed_span("step", "a") as span:
            safe_set_span_attributes(span, {"prompt": "p", "mine": "m"}, redact_keys)
        assert span.attributes == expected

    @pytest.mark.parametrize(
        "span", [object(), mock.Mock(set_attribute=mock.Mock(side_effect=OSError))]
    )
    def test_a_broken_span_never_raises(self, span):
        """Whatever is handed in as a span."""
        safe_set_span_attributes(span, {"a": 1})
        assert discarded()["span failure"] == 1


def test_public_helpers_name_the_public_module():
    """Their `__module__` is what documentation and pickles show."""
    for name in helpers.__all__:
        member = getattr(helpers, name)
        if name != "DEFAULT_REDACT_KEYS":
            assert member.__module__ == "nemo.lens.helpers", name
    assert pickle.loads(pickle.dumps(managed_span)) is managed_span


def test_trace_is_opentelemetry_trace():
    """It is looked up through a module `__getattr__`, so nothing is imported early."""
    assert helpers.trace is trace
    with pytest.raises(AttributeError, match="nonsense"):
        _ = helpers.nonsense


def test_signatures_follow_the_contract():
    """Clients mirror names, kinds and defaults of the parameters."""
    signatures = {
        name: [
            (p.name, p.kind.name, p.default is p.empty or p.default)
            for p in inspect.signature(getattr(helpers, name)).parameters.values()
        ]
        for name in ("managed_span", "span_cm", "trace_fn", "safe_set_span_attributes")
    }
    positional = "POSITIONAL_OR_KEYWORD"
    assert signatures == {
        "managed_span": [
            ("group", positional, True),
            ("name", positional, True),
            ("tracer", positional, None),
            ("attributes", "VAR_KEYWORD", True),
        ],
        "span_cm": [
            ("name", positional, True),
            ("tracer", positional, None),
            ("record_exception", positional, True),
            ("attributes", "VAR_KEYWORD", True),
        ],
        "trace_fn": [
            ("group", positional, True),
            ("name", positional, True),
            ("tracer", positional, None),
        ],
        "safe_set_span_attributes": [
            ("span", positional, True),
            ("attributes", positional, True),
            ("redact_keys", positional, helpers.DEFAULT_REDACT_KEYS),
        ],
    }


@pytest.mark.integration
def test_children_forked_while_threads_open_spans_open_spans_too(spans):
    """No lock of the span path is left locked in the child."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            with managed_span("step", "busy", bad=object(), n=1), span_attributes({"a": 1}):
                pass

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    statuses = []
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                with managed_span("step", "child", bad=object()) as span:
                    recording = span.is_recording()
                os._exit(0 if recording and trace.get_current_span() is not span else 1)
            statuses.append(os.waitpid(child, 0)[1])
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert statuses == [0] * 20


class TestGivenStartTimes:
    """Spans that started before their block was entered."""

    HOUR_NS = 3600 * 10**9

    def options(self, age_ns):
        """Return options for a span that started so long ago."""
        return SpanOptions(start_time=time.time_ns() - age_ns)

    @pytest.mark.parametrize("how", ["managed_span", "span_cm", "open_span"])
    def test_a_backdated_span_lasts_from_its_start_until_now(self, spans, how):
        """Not only as long as its block."""
        options = self.options(self.HOUR_NS)
        opened = {
            "managed_span": lambda: managed_span("step", "s", _span=options),
            "span_cm": lambda: span_cm("s", _span=options),
            "open_span": lambda: helpers.open_span("step", "s", _span=options),
        }[how]()
        with opened:
            pass
        span = spans.span("s")
        assert span.start_time == options.start_time
        assert self.HOUR_NS <= span.end_time - span.start_time < self.HOUR_NS + 10**11

    def test_a_start_in_the_future_gives_no_negative_duration(self, spans):
        """The clocks of two hosts differ."""
        with managed_span("step", "s", _span=self.options(-self.HOUR_NS)):
            pass
        assert spans.span("s").end_time == spans.span("s").start_time

    @pytest.mark.parametrize("start_time", [-1, 2**64, 1.5, True, "0"])
    def test_a_start_that_no_exporter_takes_is_ignored_and_counted(self, spans, start_time):
        """The span starts now."""
        before = time.time_ns()
        with managed_span("step", "s", _span=SpanOptions(start_time=start_time)):
            pass
        assert before <= spans.span("s").start_time <= time.time_ns()
        assert discarded() == {"option start_time": 1}
