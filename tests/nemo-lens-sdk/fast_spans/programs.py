# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102, FURB192, PLR0917, SIM117, TRY301 - programs are written as users write them
"""Programs whose exported data must not depend on who builds the spans.

One module, longer than others, because it is one list: other tests and the encoders' tests run the
same programs. Each takes a `Stage`; what it returns is compared as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import copy
import enum
import pathlib
import threading
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import numpy as np
from harness import GROUP, Program
from opentelemetry import baggage, trace
from opentelemetry import context as otel_context
from opentelemetry.sdk import trace as sdk_trace
from opentelemetry.sdk.trace import ConcurrentMultiSpanProcessor, SpanLimits, SpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    DEFAULT_OFF,
    DEFAULT_ON,
    Decision,
    ParentBased,
    ParentBasedTraceIdRatio,
    Sampler,
    SamplingResult,
    TraceIdRatioBased,
)
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from opentelemetry.trace.span import TraceState

from nemo.lens.helpers import (
    SpanOptions,
    attached_context,
    mark,
    open_span,
    safe_set_span_attributes,
    span_attributes,
    span_cm,
    trace_fn,
)
from nemo.lens.sdk.ids import SharedTraceIds
from nemo.lens.sdk.sampling import RankAwareSampler

PROGRAMS: dict[str, Program] = {}


def program(**pieces: Any):
    """Enter a function into the list, with the pieces it runs on."""

    def enter(function):
        PROGRAMS[function.__name__] = Program(function, **pieces)
        return function

    return enter


def _variant(name: str, function: Any, **pieces: Any) -> None:
    PROGRAMS[name] = Program(function, **pieces)


def _limits(**limits: int):
    return lambda: {"span_limits": SpanLimits(**limits)}


def _sampler(sampler: Any):
    return lambda: {"sampler": sampler}


@contextlib.contextmanager
def _attached(context: Any):
    token = otel_context.attach(context)
    try:
        yield
    finally:
        otel_context.detach(token)


def _remote(flags: int, state: Any = None, *, is_remote: bool = True) -> Any:
    origin = SpanContext(0xABC, 0xDEF, is_remote, TraceFlags(flags), state)
    return set_span_in_context(NonRecordingSpan(origin))


def _ids(span: Any) -> tuple[int, int, int]:
    origin = span.get_span_context()
    return origin.trace_id, origin.span_id, int(origin.trace_flags)


# --- nesting and context


@program()
def nested(stage):
    with stage.span("a", x=1, y=2.5, z="s", t=True) as a:
        stage.clock.tick()
        with stage.span("b") as b:
            with stage.span("c") as c:
                stage.clock.tick(5)
            stage.clock.tick()
        with stage.span("d") as d:
            pass
    return [_ids(span) for span in (a, b, c, d)]


@program()
def roots_one_after_another(stage):
    for number in range(3):
        with stage.span("root", number=number):
            stage.clock.tick()


@program()
def current_span_inside_and_after(stage):
    seen = []
    with stage.span("a") as a:
        seen.append(trace.get_current_span() is a)
        with stage.span("b") as b:
            seen.append(trace.get_current_span() is b)
        seen.append(trace.get_current_span() is a)
    seen.append(trace.get_current_span() is trace.INVALID_SPAN)
    return seen


@program()
def baggage_is_kept(stage):
    with _attached(baggage.set_baggage("user", "v")), stage.span("a"):
        outer = baggage.get_baggage("user")
        with stage.span("b"), _attached(baggage.set_baggage("inner", "w")), stage.span("c"):
            return outer, dict(baggage.get_all())


@program()
def context_values_are_kept(stage):
    with _attached(otel_context.set_value("key", 1)), stage.span("a"):
        return otel_context.get_value("key"), sorted(otel_context.get_current().values(), key=str)[
            0
        ]


@program()
def values_attached_between_spans(stage):
    with stage.span("a"), _attached(otel_context.set_value("key", 2)), stage.span("b"):
        return otel_context.get_value("key")


@program()
def context_leaked_by_the_body(stage):
    with stage.span("a"):
        otel_context.attach(otel_context.set_value("leak", 1))
    with stage.span("b"):
        return otel_context.get_value("leak")


@program()
def span_left_current_by_the_body(stage):
    with stage.span("a"):
        otel_context.attach(set_span_in_context(NonRecordingSpan(SpanContext(5, 6, False))))
    with stage.span("b") as b:
        return _ids(b)


@program()
def an_empty_context_is_attached(stage):
    with stage.span("a"), _attached(otel_context.Context()), stage.span("b"):
        pass


@program()
def something_else_under_the_span_key(stage):
    key = next(iter(set_span_in_context(trace.INVALID_SPAN, otel_context.Context())))
    with _attached(otel_context.set_value(key, "no span")), stage.span("a"):
        pass


@program()
def invalid_span_is_current(stage):
    with _attached(set_span_in_context(trace.INVALID_SPAN)), stage.span("a"), stage.span("b"):
        pass


@program()
def exit_stack(stage):
    with contextlib.ExitStack() as stack:
        spans = [stack.enter_context(stage.span(name)) for name in "abc"]
        stage.clock.tick()
        return [_ids(span) for span in spans]


@program()
def exit_stack_with_exception(stage):
    with contextlib.suppress(ValueError), contextlib.ExitStack() as stack:
        stack.enter_context(stage.span("a"))
        stack.enter_context(stage.span("b"))
        raise ValueError("in the stack")


@program()
def entered_and_left_by_hand(stage):
    manager = stage.span("a", x=1)
    span = manager.__enter__()
    span.set_attribute("y", 2)
    manager.__exit__(None, None, None)
    manager.__exit__(None, None, None)


@program()
def left_in_the_wrong_order(stage):
    first, second = stage.span("first"), stage.span("second")
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    between = trace.get_current_span().get_span_context().span_id
    second.__exit__(None, None, None)
    after = trace.get_current_span().get_span_context().span_id
    return between, after


@program()
def never_left(stage):
    stage.span("open").__enter__()
    with stage.span("child"):
        pass


@program()
def a_manager_that_is_never_entered(stage):
    stage.span("unused", x=1)
    with stage.span("used"):
        pass


@program()
def the_span_as_a_context_manager_inside(stage):
    with stage.span("a") as a:
        with a as again:
            same = again is a
            with stage.span("b"):
                pass
        return same, a.is_recording()


@program()
def the_span_as_a_context_manager_with_exception(stage):
    with stage.span("a") as a:
        with contextlib.suppress(KeyError), a:
            raise KeyError("inner")
        return a.is_recording()


@program()
def use_span_inside(stage):
    with stage.span("a") as a:
        with trace.use_span(a, end_on_exit=True), stage.span("b"):
            stage.clock.tick()
        return a.is_recording()


@program()
def spans_of_the_sdk_around_and_inside(stage):
    with stage.tracer.start_as_current_span("theirs") as theirs, stage.span("ours") as ours:
        with stage.tracer.start_as_current_span("theirs inside") as inside, stage.span("deep"):
            return _ids(theirs), _ids(ours), _ids(inside)


@program()
def two_tracers(stage):
    with stage.span("a", stage.tracer), stage.span("b", stage.other_tracer):
        with stage.span("c"), stage.span("d", tracer=stage.tracer, x=1):
            pass


@program()
def a_proxy_tracer(stage):
    with stage.span("a", trace.ProxyTracer("proxied", "3")), stage.span("b"):
        pass


# --- exceptions


def _raising(error: Any):
    def run(stage):
        with contextlib.suppress(BaseException), stage.span("outer"):
            stage.clock.tick()
            with stage.span("inner", x=1):
                stage.clock.tick()
                raise error()
        return trace.get_current_span() is trace.INVALID_SPAN

    return run


class Custom(Exception):  # noqa: N818
    """An exception with a text of its own."""

    def __str__(self) -> str:
        return "custom text"


class Hostile(Exception):  # noqa: N818
    """An exception that cannot be written out."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class HostileCause(Exception):  # noqa: N818
    """An exception whose cause cannot be read."""

    @property
    def __cause__(self):
        raise RuntimeError("no cause")


def _chained() -> Exception:
    try:
        try:
            raise KeyError("first")
        except KeyError as first:
            raise ValueError("second") from first
    except ValueError as error:
        return error


def _in_context() -> Exception:
    try:
        try:
            raise KeyError("first")
        except KeyError:
            raise ValueError("second")  # noqa: B904
    except ValueError as error:
        return error


def _with_notes() -> Exception:
    error = ValueError("noted")
    error.__notes__ = ["a note"]
    return error


def _group() -> Exception:
    if not hasattr(__builtins__, "ExceptionGroup") and "ExceptionGroup" not in dir(
        __import__("builtins")
    ):
        return ValueError("no groups here")
    return ExceptionGroup("several", [KeyError("a"), ValueError("b")])  # noqa: F821


for _name, _error in {
    "key_error": lambda: KeyError("k"),
    "error_without_text": ValueError,
    "long_text": lambda: ValueError("x" * 40_000),
    "secret_in_text": lambda: ValueError("login failed: password=hunter2, api_key: abc"),
    "lone_surrogate": lambda: ValueError("bad \udcff text"),
    "custom_text": Custom,
    "hostile_text": Hostile,
    "hostile_cause": HostileCause,
    "chained": _chained,
    "in_context": _in_context,
    "with_notes": _with_notes,
    "group": _group,
    "syntax_error": lambda: SyntaxError("bad", ("file.py", 3, 2, "x = = 1")),
    "name_error": lambda: NameError("name 'staeg' is not defined", name="staeg"),
    "import_error": lambda: ImportError("no such", name="x"),
    "unicode_error": lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    "keyboard_interrupt": KeyboardInterrupt,
    "cancelled": asyncio.CancelledError,
    "generator_exit": GeneratorExit,
    "exit_zero": lambda: SystemExit(0),
    "exit_none": SystemExit,
    "exit_code": lambda: SystemExit(3),
    "exit_text": lambda: SystemExit("bye"),
    "stop_iteration": lambda: StopIteration(1),
}.items():
    _variant(f"raising_{_name}", _raising(_error))


@program()
def an_exception_is_handled_inside(stage):
    with stage.span("a"), contextlib.suppress(KeyError), stage.span("b"):
        raise KeyError("handled")


@program()
def an_exception_from_deep_recursion(stage):
    def deeper(depth):
        if not depth:
            raise RecursionError("too deep")
        deeper(depth - 1)

    with contextlib.suppress(RecursionError), stage.span("a"):
        deeper(50)


@program()
def an_exception_from_code_without_source(stage):
    namespace: dict[str, Any] = {}
    exec("def fail(): raise KeyError('unseen')", namespace)
    with contextlib.suppress(KeyError), stage.span("a"):
        namespace["fail"]()


@program()
def exception_recorded_by_the_body(stage):
    with stage.span("a") as a:
        try:
            raise KeyError("k")
        except KeyError as error:
            a.record_exception(error)
            a.record_exception(error, {"extra": 1}, timestamp=5, escaped=True)
            a.set_status(Status(StatusCode.ERROR, "by hand"))


@program()
def status_ok_before_an_exception(stage):
    with contextlib.suppress(ValueError), stage.span("a") as a:
        a.set_status(StatusCode.OK)
        raise ValueError("late")


@program(environment={"OTEL_SPAN_EVENT_COUNT_LIMIT": "2"})
def exception_beyond_the_event_limit(stage):
    with contextlib.suppress(ValueError), stage.span("a") as a:
        for number in range(3):
            a.add_event(f"e{number}")
        raise ValueError("dropped or not")


@program(provider=_limits(max_event_attributes=2, max_attribute_length=5))
def exception_with_limited_attributes(stage):
    with contextlib.suppress(ValueError), stage.span("a"):
        raise ValueError("a long enough text")


# --- attributes


class Colour(enum.Enum):
    """Something that is no plain value."""

    RED = "red"


@program()
def attributes_of_every_kind(stage):
    with stage.span(
        "a",
        text="é",
        number=1,
        big=2**63 - 1,
        huge=2**70,
        flag=False,
        real=float("inf"),
        words=["a", "b"],
        numbers=(1, 2),
        mixed=[1, 2.5],
        empty=[],
        none=None,
        colour=Colour.RED,
        path=pathlib.PurePosixPath("/tmp/x"),
        decimal=Decimal("1.5"),
        scalar=np.float32(0.5),
        array=np.zeros(3),
        mapping={"a": 1},
        raw=b"bytes",
        password="hidden",
    ):
        pass


@program()
def dotted_and_reserved_names(stage):
    with stage.span("a", **{"db.name": "x", "gen_ai.token.type": "in"}):
        with stage.span("b", _span=SpanOptions(attributes={"name": "n", "group": "g"})):
            pass


@program()
def attributes_given_again(stage):
    with stage.span("a", x=1, y=2) as a:
        a.set_attribute("x", 3)
        a.set_attribute("z", 4)
        a.set_attribute("y", 5)


@program()
def attributes_set_in_the_body(stage):
    with stage.span("a") as a:
        a.set_attribute("one", 1)
        a.set_attribute("list", [1, 2])
        a.set_attribute("after", "list")
        a.set_attributes({"p": 1, "q": "z", "r": (True, False)})
        a.set_attribute("none", None)
        a.set_attribute("", 1)
        a.set_attribute(5, 1)
        a.set_attribute("bytes", b"x")
        a.set_attribute("mixed", [1, "x"])
        a.set_attribute("object", object)
        a.set_attribute("big", 2**80)
    return a.dropped_attributes


@program()
def attributes_set_safely(stage):
    with stage.span("a") as a:
        safe_set_span_attributes(a, {"ok": 1, "token": "secret", "list": [1, 2], "none": None})


@program()
def attributes_are_a_view(stage):
    with stage.span("a", x=1) as a:
        before = dict(a.attributes)
        a.set_attribute("y", 2)
        return before, dict(a.attributes), isinstance(a.attributes, MappingProxyType)


def _many(stage):
    with stage.span("start", **{f"k{i}": i for i in range(200)}) as a:
        a.set_attribute("late", 1)
    with stage.span("set") as b:
        for number in range(200):
            b.set_attribute(f"k{number}", number)
    with stage.span("both", x=1, y=2) as c:
        c.set_attributes({f"k{number}": number for number in range(200)})
        c.set_attribute("x", 5)


def _long(stage):
    with stage.span("a", text="abcdefgh", words=["abcdef", "gh"], n=5) as a:
        a.set_attribute("later", "abcdefgh")
        a.set_attributes({"list": ["abcdef"], "x": "ab"})
        a.add_event("e", {"text": "abcdefgh"})


_variant("many_attributes", _many)
_variant("at_most_5_attributes", _many, provider=_limits(max_span_attributes=5))
_variant("at_most_1_attribute", _many, provider=_limits(max_span_attributes=1))
_variant("no_attributes_allowed", _many, provider=_limits(max_span_attributes=0))
_variant("unlimited_attributes", _many, provider=_limits(max_span_attributes=SpanLimits.UNSET))
_variant("attribute_limit_from_environment", _many, environment={"OTEL_ATTRIBUTE_COUNT_LIMIT": "7"})
_variant("values_of_any_length", _long)
_variant("values_of_3_characters", _long, provider=_limits(max_span_attribute_length=3))
_variant("all_values_of_3_characters", _long, provider=_limits(max_attribute_length=3))
_variant(
    "value_length_from_environment",
    _long,
    environment={"OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": "4"},
)


@program()
def attributes_of_an_enclosing_scope(stage):
    with span_attributes({"job": "train", "x": 0}), stage.span("a", x=1):
        with span_attributes({"list": [1, 2]}), stage.span("b"):
            with stage.tracer.start_as_current_span("theirs"):
                pass


# --- events, links, names, status


@program()
def events(stage):
    with stage.span("a") as a:
        a.add_event("plain")
        stage.clock.tick()
        a.add_event("with attributes", {"i": 1, "list": [1, 2]})
        a.add_event("at", {"x": 1}, timestamp=42)
        return len(a.events), a.events[1].attributes["i"]


def _many_events(stage):
    with stage.span("a") as a:
        for number in range(200):
            a.add_event("e", {f"k{i}": i for i in range(number % 3)})
    return a.dropped_events


_variant("many_events", _many_events)
_variant("at_most_3_events", _many_events, provider=_limits(max_events=3))
_variant("no_events_allowed", _many_events, provider=_limits(max_events=0))
_variant("at_most_1_event_attribute", _many_events, provider=_limits(max_event_attributes=1))


def _link(number: int, attributes: Any = None) -> Link:
    return Link(SpanContext(number, number, is_remote=True), attributes)


def _links(stage):
    with stage.span("given", links=[_link(1), _link(2, {"a": 1, "b": 2})]) as a:
        a.add_link(SpanContext(3, 3, is_remote=False), {"c": 3, "d": 4})
    with stage.span("added") as b:
        for number in range(1, 6):
            b.add_link(SpanContext(number, number, is_remote=False))
        b.add_link(trace.INVALID_SPAN_CONTEXT)
        b.add_link(trace.INVALID_SPAN_CONTEXT, {"kept": True})
    return b.dropped_links, len(b.links)


_variant("links", _links)
_variant("at_most_2_links", _links, provider=_limits(max_links=2))
_variant("at_most_1_link_attribute", _links, provider=_limits(max_link_attributes=1))


@program()
def renamed(stage):
    with stage.span("a") as a:
        a.update_name("b")
        return a.name


@program()
def names_of_other_types(stage):
    with stage.span(Colour.RED), stage.span("lone \udcff surrogate"), stage.span(7):
        pass


@program()
def status_changes(stage):
    for name, changes in {
        "ok wins": [(StatusCode.OK,), (StatusCode.ERROR, "no")],
        "unset is ignored": [(StatusCode.ERROR, "e"), (StatusCode.UNSET,)],
        "status object": [(Status(StatusCode.ERROR, "object"),)],
        "description ignored": [(Status(StatusCode.ERROR, "object"), "text")],
        "ok with description": [(StatusCode.OK, "text")],
        "twice": [(StatusCode.ERROR, "a"), (StatusCode.ERROR, "b")],
    }.items():
        with stage.span(name) as span:
            for change in changes:
                span.set_status(*change)


# --- ending


@program()
def ended_by_the_body(stage):
    with stage.span("a") as a:
        stage.clock.tick()
        a.end()
        stage.clock.tick()
        a.set_attribute("late", 1)
        a.set_attributes({"late": 1})
        a.add_event("late")
        a.add_link(SpanContext(1, 1, is_remote=False))
        a.update_name("late")
        a.set_status(StatusCode.ERROR, "late")
        with stage.span("child"):
            pass
        return a.is_recording(), a.end_time


@program()
def ended_by_the_body_at_a_time(stage):
    with stage.span("a") as a:
        a.end(end_time=stage.clock.now + 77)
        a.end()
    a.end()


@program()
def ended_by_the_body_then_an_exception(stage):
    with contextlib.suppress(ValueError), stage.span("a") as a:
        a.end()
        raise ValueError("late")


@program()
def mutated_after_the_block(stage):
    with stage.span("a", x=1) as a:
        pass
    a.set_attribute("late", 1)
    a.add_event("late")
    a.record_exception(ValueError("late"))
    a.set_status(StatusCode.ERROR)
    return a.is_recording()


@program()
def readable_copies(stage):
    with stage.span("a", x=1) as a:
        a.add_event("e")
        readable = a._readable_span()
        return readable.name, dict(readable.attributes), len(readable.events), readable.end_time


@program()
def copied_spans(stage):
    with stage.span("outer"), stage.span("a", x=1, words=["b"]) as a:
        a.add_event("e")
    clone = copy.copy(a)
    return _ids(clone), clone.parent, dict(clone.attributes), len(clone.events), clone.end_time


# --- options


@program()
def kinds(stage):
    for kind in SpanKind:
        with stage.span(kind.name, kind=kind), stage.span("child"):
            pass


@program()
def start_times(stage):
    with stage.span("a", _span=SpanOptions(start_time=1_000)):
        stage.clock.tick(50)
        with stage.span("b"):
            pass


@program()
def given_contexts(stage):
    with stage.span("a"):
        with stage.span("elsewhere", context=_remote(1)), stage.span("child"):
            pass
        with stage.span("root", context=otel_context.Context()), stage.span("child of root"):
            pass


@program()
def exceptions_not_recorded(stage):
    with contextlib.suppress(ValueError), span_cm("a", record_exception=False), stage.span("b"):
        raise ValueError("status only")


@program()
def handles_marks_and_attached_contexts(stage):
    handle = open_span(GROUP, "open", x=1)
    with attached_context(handle), stage.span("inside"):
        mark(GROUP, "instant", y=2)
    with stage.span("child", context=handle.context):
        pass
    handle.close()


@program()
def span_cm_twice(stage):
    manager = span_cm("again", x=1)
    for _ in range(2):
        with manager, stage.span("inside"):
            pass


# --- parents from elsewhere


def _under(context: Any):
    def run(stage):
        with _attached(context()):
            with stage.span("a", x=1) as a, stage.span("b") as b:
                recording = a.is_recording(), b.is_recording()
            with stage.span("c") as c:
                return recording, _ids(a), _ids(b), _ids(c)

    return run


_STATE = TraceState([("vendor", "1"), ("other", "2")])
for _flags in range(4):
    for _is_remote in (True, False):
        _variant(
            f"parent_with_flags_{_flags}_{'remote' if _is_remote else 'local'}",
            _under(lambda f=_flags, r=_is_remote: _remote(f, is_remote=r)),
            is_fast=bool(_flags & 1),
        )
_variant("parent_with_other_flags", _under(lambda: _remote(0xF1)))
_variant("parent_with_trace_state", _under(lambda: _remote(1, _STATE)))
_variant("parent_with_trace_state_local", _under(lambda: _remote(3, _STATE, is_remote=False)))
_variant(
    "parent_with_invalid_ids",
    _under(lambda: set_span_in_context(NonRecordingSpan(SpanContext(0, 5, is_remote=True)))),
)


class OddSpan(NonRecordingSpan):
    """A span of somebody else, whose context is none."""

    def get_span_context(self):
        return None


_variant("parent_without_context", _under(lambda: set_span_in_context(OddSpan(None))))


# --- samplers


class ByName(Sampler):
    """Decides by the name, adds attributes and a trace state."""

    def should_sample(self, parent_context, trace_id, name, kind=None, attributes=None, links=None,
                      trace_state=None):  # fmt: skip
        decision = {"b": Decision.DROP, "c": Decision.RECORD_ONLY}.get(
            name, Decision.RECORD_AND_SAMPLE
        )
        added = {**(attributes or {}), "sampler": name}
        return SamplingResult(decision, added, TraceState([("sampler", name)]))

    def get_description(self):
        return "ByName"


class Failing(Sampler):
    """Fails for some spans."""

    def should_sample(self, *arguments, **options):
        raise RuntimeError("no decision")

    def get_description(self):
        return "Failing"


_tree = _under(otel_context.Context)
for _name, _given, _is_fast in (
    ("always_on", ALWAYS_ON, True),
    ("always_off", ALWAYS_OFF, False),
    ("default_on", DEFAULT_ON, True),
    ("default_off", DEFAULT_OFF, False),
    ("ratio_0", TraceIdRatioBased(0.0), False),
    ("ratio_1", TraceIdRatioBased(1.0), False),
    ("ratio_half", TraceIdRatioBased(0.5), False),
    ("parent_based_ratio_0", ParentBasedTraceIdRatio(0.0), False),
    ("parent_based_ratio_1", ParentBasedTraceIdRatio(1.0), True),
    ("by_name", ByName(), False),
    ("by_name_at_roots", ParentBased(ByName()), True),
    ("by_name_under_local", ParentBased(ALWAYS_ON, local_parent_sampled=ByName()), False),
    ("by_name_under_remote", ParentBased(ALWAYS_ON, remote_parent_sampled=ByName()), True),
    ("off_under_local", ParentBased(ALWAYS_ON, local_parent_sampled=ALWAYS_OFF), False),
    ("on_under_unsampled", ParentBased(ALWAYS_ON, local_parent_not_sampled=ALWAYS_ON), True),
    ("failing", Failing(), False),
    ("rank_selected", RankAwareSampler(0, 2, 1.0), True),
    ("rank_not_selected", RankAwareSampler(0, 2, 0.0), False),
    ("rank_selected_default", RankAwareSampler(0, 2, 1.0, DEFAULT_ON), True),
):
    _variant(f"sampler_{_name}", _tree, provider=_sampler(_given), is_fast=_is_fast)
_variant(
    "sampler_on_under_unsampled_parent",
    _under(lambda: _remote(0, is_remote=False)),
    provider=_sampler(ALWAYS_ON),
)
_variant(
    "sampler_by_name_under_remote_parent",
    _under(lambda: _remote(1)),
    provider=_sampler(ParentBased(ALWAYS_ON, remote_parent_sampled=ByName())),
)
for _name in ("always_on", "always_off", "parentbased_traceidratio", "garbage"):
    _variant(
        f"sampler_from_environment_{_name}",
        _tree,
        environment={"OTEL_TRACES_SAMPLER": _name, "OTEL_TRACES_SAMPLER_ARG": "1.0"},
        is_fast=_name != "always_off",
    )


@program(provider=_sampler(ParentBased(ByName())), is_fast=False)
def record_only_parents(stage):
    with stage.span("c", x=1) as c, stage.span("d") as d:
        return c.is_recording(), d.is_recording(), _ids(c), _ids(d)


# --- ids


class CountingIds(IdGenerator):
    """Ids that count."""

    def __init__(self) -> None:
        self.last = 0

    def generate_span_id(self):
        self.last += 1
        return self.last

    generate_trace_id = generate_span_id


_variant("counting_ids", nested, provider=lambda: {"id_generator": CountingIds()})
_variant("one_trace_id_for_all", nested, provider=lambda: {"id_generator": _seeded_shared_ids()})


def _seeded_shared_ids() -> SharedTraceIds:
    ids = SharedTraceIds("run")
    ids._random.seed(3)
    return ids


@program()
def id_generator_is_exchanged(stage):
    with stage.span("before", stage.tracer):
        pass
    stage.tracer.id_generator = CountingIds()
    with stage.span("after", stage.tracer):
        pass


@program()
def resource_is_exchanged(stage):
    from opentelemetry.sdk.resources import Resource

    with stage.span("before", stage.tracer):
        stage.tracer.resource = Resource({"service.name": "other"})
        with stage.span("after", stage.tracer):
            pass


@program()
def sampler_is_exchanged(stage):
    with stage.span("before", stage.tracer):
        pass
    stage.tracer.sampler = ALWAYS_OFF
    with stage.span("dropped", stage.tracer) as span:
        return span.is_recording()


# --- processors


class Ending(SpanProcessor):
    """Looks at spans while they are ending."""

    def __init__(self, name: str = "ending") -> None:
        self.name = name

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        span.set_attribute(f"{self.name}.start", parent_context is None)
        span.add_event(f"{self.name} start")

    def _on_ending(self, span: Any) -> None:
        span.set_attribute(f"{self.name}.ending", 1)
        self.seen = (span.end_time, span.is_recording())

    def on_end(self, span: Any) -> None:
        assert span.end_time is not None


class FailingProcessor(SpanProcessor):
    """Fails when it is told about some spans."""

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        if span.name == "fails at start":
            raise RuntimeError("start")

    def on_end(self, span: Any) -> None:
        if span.name == "fails at end":
            raise RuntimeError("end")


class EndsAtOnce(SpanProcessor):
    """Ends spans when they start."""

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        span.end()


class Duck:
    """A processor that inherits from nothing."""

    def on_start(self, span, parent_context=None):
        span.update_name(span.name + " seen")

    def _on_ending(self, span):
        pass

    def on_end(self, span):
        pass

    def shutdown(self):
        pass

    def force_flush(self, timeout_millis=30000):
        return True


_variant("a_processor_that_changes_spans", nested, processors=lambda: [Ending()])
_variant("several_processors", nested, processors=lambda: [Ending("a"), Ending("b")])
_variant("a_processor_of_no_class", nested, processors=lambda: [Duck()])
_variant("a_processor_that_ends_spans", nested, processors=lambda: [EndsAtOnce()])
_variant(
    "processors_called_concurrently",
    nested,
    provider=lambda: {"active_span_processor": ConcurrentMultiSpanProcessor(1)},
    processors=lambda: [Ending()],
)


@program(processors=lambda: [FailingProcessor()])
def a_failing_processor(stage):
    with stage.span("a"):
        with stage.span("fails at start") as lost, stage.span("child of lost"):
            pass
        with stage.span("fails at end"):
            pass
    return lost.is_recording(), trace.get_current_span() is trace.INVALID_SPAN


@program(processors=lambda: [FailingProcessor()])
def an_exception_in_a_lost_span(stage):
    with contextlib.suppress(ValueError), stage.span("a"), stage.span("fails at start"):
        raise ValueError("inside")


@program()
def a_processor_added_by_the_application(stage):
    with stage.span("before"):
        stage.provider.add_span_processor(Ending("added"))
        with stage.span("after"):
            pass
    with stage.span("later"):
        pass


@program()
def a_processor_taken_out(stage):
    ending = Ending("added")
    stage.provider.add_span_processor(ending)
    with stage.span("with"):
        pass
    active = stage.provider._active_span_processor
    active._span_processors = tuple(p for p in active._span_processors if p is not ending)
    with stage.span("without"):
        pass


# --- threads, tasks, generators


@program()
def threads(stage):
    def work(name):
        with stage.span(name), stage.span(f"{name} inside"):
            pass

    with stage.span("main"):
        for name in ("one", "two"):
            thread = threading.Thread(target=work, args=(name,))
            thread.start()
            thread.join()


@program()
def threads_in_a_copied_context(stage):
    with stage.span("main"):
        snapshot = contextvars.copy_context()

        def work():
            with stage.span("inside"):
                pass

        thread = threading.Thread(target=snapshot.run, args=(work,))
        thread.start()
        thread.join()


@program()
def ended_in_another_thread(stage):
    with stage.span("a") as a:
        thread = threading.Thread(target=a.end)
        thread.start()
        thread.join()
        return a.is_recording()


@program()
def left_in_another_context(stage):
    manager = stage.span("a")
    contextvars.copy_context().run(manager.__enter__)
    stage.clock.tick()
    manager.__exit__(None, None, None)
    return trace.get_current_span() is trace.INVALID_SPAN


@program()
def asyncio_tasks(stage):
    async def task(name, pauses):
        with stage.span(name):
            for _ in range(pauses):
                await asyncio.sleep(0)
            with stage.span(f"{name} inside"):
                await asyncio.sleep(0)

    async def main():
        with stage.span("main"):
            await asyncio.gather(task("one", 1), task("two", 2))

    asyncio.run(main())


@program()
def a_cancelled_task(stage):
    async def forever():
        with stage.span("forever"):
            await asyncio.Event().wait()

    async def main():
        task = asyncio.ensure_future(forever())
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(main())


@program()
def an_abandoned_async_generator(stage):
    async def items():
        with stage.span("generator"):
            yield 1
            yield 2

    async def main():
        generator = items()
        async for _ in generator:
            break
        await generator.aclose()

    asyncio.run(main())


@program()
def generators(stage):
    def items():
        with stage.span("generator"):
            yield 1
            with stage.span("between"):
                yield 2

    seen = [trace.get_current_span().get_span_context().span_id for _ in items()]
    return len(seen), trace.get_current_span() is trace.INVALID_SPAN


@program()
def a_generator_closed_early(stage):
    def items():
        with stage.span("generator"):
            yield 1

    iterator = items()
    next(iterator)
    iterator.close()


@program()
def traced_functions(stage):
    @trace_fn(GROUP, "function")
    def function(depth):
        return function(depth - 1) if depth else 1

    @trace_fn(GROUP, "generator")
    def generator():
        with stage.span("inside"):
            yield 1

    @trace_fn(GROUP, "coroutine")
    async def coroutine():
        with stage.span("inside"):
            await asyncio.sleep(0)

    @trace_fn(GROUP, "async generator")
    async def async_generator():
        yield 1

    async def main():
        await coroutine()
        return [item async for item in async_generator()]

    return function(2), list(generator()), asyncio.run(main())


# --- pieces that only some releases have

if hasattr(sdk_trace, "_TracerConfig"):

    def _switched_off(scope):
        return sdk_trace._TracerConfig(is_enabled=scope.name != "own")

    @program(provider=lambda: {"_tracer_configurator": _switched_off})
    def a_tracer_that_is_switched_off(stage):
        with stage.span("on"), stage.span("off", stage.tracer) as off, stage.span("on too"):
            return off.is_recording()

    @program()
    def a_tracer_that_is_switched_off_later(stage):
        with stage.span("on", stage.tracer):
            stage.provider._set_tracer_configurator(tracer_configurator=_switched_off)
            with stage.span("off", stage.tracer) as off:
                return off.is_recording()


if hasattr(sdk_trace, "create_tracer_metrics"):

    def _metered() -> dict[str, Any]:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader

        reader = InMemoryMetricReader()
        meter_provider = MeterProvider([reader], shutdown_on_exit=False)
        vars(meter_provider)["reader_of_the_test"] = reader
        return {"meter_provider": meter_provider}

    @program(
        provider=_metered,
        environment={"OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED": "true"},
        is_fast=False,
    )
    def spans_counted_by_the_sdk(stage):
        with stage.span("a"), stage.span("b"):
            pass
        data = stage.provider._meter_provider.reader_of_the_test.get_metrics_data()
        return [
            (
                metric.name,
                sorted((str(dict(p.attributes)), p.value) for p in metric.data.data_points),
            )
            for metric in data.resource_metrics[0].scope_metrics[0].metrics
            if metric.name.startswith("otel.sdk.span.")
        ]
