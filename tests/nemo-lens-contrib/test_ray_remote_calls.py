# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - callables of every kind
"""What runs remotely continues the caller's trace, and looks to Ray like what it is."""

import asyncio
import functools
import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import context, trace

from nemo.lens.contrib.ray import CARRIER_KEYWORD, traced_remote_call
from nemo.lens.helpers import managed_span, trace_fn

TRACE_ID, SPAN_ID = int("a" * 32, 16), int("b" * 16, 16)
CARRIER = {"traceparent": f"00-{TRACE_ID:032x}-{SPAN_ID:016x}-01"}
KIND_CHECKS = (
    inspect.iscoroutinefunction,
    inspect.isgeneratorfunction,
    inspect.isasyncgenfunction,
    inspect.isfunction,
)


def plain(x, y=2):
    """Add."""
    return x + y


async def coroutine(x, y=2):
    await asyncio.sleep(0)
    return x + y


def generator(x, y=2):
    yield x
    yield y


async def async_generator(x, y=2):
    yield x
    yield y


def consumed(function, *args, **kwargs):
    """Call a function of any kind and give its result, or the list of its items."""
    result = function(*args, **kwargs)
    if inspect.isgenerator(result):
        return list(result)
    if inspect.isasyncgen(result):

        async def collect():
            return [item async for item in result]

        return asyncio.run(collect())
    if inspect.iscoroutine(result):
        return asyncio.run(result)
    return result


every_kind = pytest.mark.parametrize("function", [plain, coroutine, generator, async_generator])


@every_kind
def test_each_kind_of_function_stays_what_it_is(function):
    """Ray decides by the kind how to run a method."""
    traced = traced_remote_call(function)
    assert [is_of(traced) for is_of in KIND_CHECKS] == [is_of(function) for is_of in KIND_CHECKS]
    assert (traced.__name__, traced.__doc__) == (function.__name__, function.__doc__)


@every_kind
def test_the_work_is_a_child_of_the_caller(function, nemo_lens_recorder):
    """With the carrier the span is a consumer's; the result is the function's."""
    result = consumed(traced_remote_call(function), 1, y=3, _otel_carrier=CARRIER)
    assert result == consumed(function, 1, y=3)
    span = nemo_lens_recorder.span(function.__qualname__)
    assert (span.parent.trace_id, span.parent.span_id) == (TRACE_ID, SPAN_ID)
    assert span.kind is trace.SpanKind.CONSUMER
    assert span.end_time is not None
    assert context.get_current() == {}


@every_kind
def test_a_call_without_a_carrier_is_an_ordinary_call(function, nemo_lens_recorder):
    """It has an internal span below whatever is current."""
    with managed_span_always("outer"):
        consumed(traced_remote_call(function), 1)
    span = nemo_lens_recorder.span(function.__qualname__)
    assert span.kind is trace.SpanKind.INTERNAL


def managed_span_always(name):
    return trace.get_tracer("test").start_as_current_span(name)


@every_kind
def test_without_a_span_the_context_is_still_passed_on(function, nemo_lens_recorder):
    """Spans inside join the caller's trace directly."""

    @traced_remote_call(span=False)
    def call():
        with managed_span_always("inside"):
            return consumed(function, 1)

    call(_otel_carrier=CARRIER)
    assert nemo_lens_recorder.names() == ["inside"]
    assert nemo_lens_recorder.span("inside").parent.span_id == SPAN_ID


@every_kind
def test_a_group_gates_the_span_but_not_the_context(function, nemo_lens_recorder, nemo_lens_groups):
    """The group is asked at each call."""
    traced = traced_remote_call(group="rollout", name="job.rollout")(function)
    consumed(traced, 1, _otel_carrier=CARRIER)
    assert nemo_lens_recorder.names() == []
    nemo_lens_groups("rollout")
    consumed(traced, 1, _otel_carrier=CARRIER)
    assert nemo_lens_recorder.span("job.rollout").parent.span_id == SPAN_ID


def test_while_the_group_is_off_inner_spans_join_the_caller(nemo_lens_recorder, nemo_lens_groups):
    """Groups that are on keep their place in the trace."""
    nemo_lens_groups("step")

    @traced_remote_call(group="rollout")
    def call():
        with managed_span("step", "inside"):
            pass

    call(_otel_carrier=CARRIER)
    assert nemo_lens_recorder.span("inside").parent.span_id == SPAN_ID


@every_kind
def test_ray_accepts_the_carrier_and_sees_the_parameters(function):
    """Ray binds each call to the signature of what `inspect.unwrap` finds."""
    traced = inspect.unwrap(traced_remote_call(function))
    signature = inspect.signature(traced)
    assert list(signature.parameters) == ["x", "y", CARRIER_KEYWORD]
    signature.bind(1, y=2, _otel_carrier={})
    assert list(inspect.signature(function).parameters) == ["x", "y"]


def test_other_decorators_above_and_below_do_not_hide_the_carrier(nemo_lens_recorder):
    """As `trace_fn` and other wrappers that use `functools.wraps`."""
    below = traced_remote_call(trace_fn("step", "s")(plain))
    above = trace_fn("step", "s")(traced_remote_call(plain))
    for traced in (below, above):
        inspect.signature(inspect.unwrap(traced)).bind(1, _otel_carrier={})
        assert traced(1, _otel_carrier=CARRIER) == 3


def test_attributes_that_ray_puts_on_methods_are_kept():
    """`ray.method` works below as it does above."""

    def method(self):
        pass

    method.__ray_num_returns__ = 2
    assert inspect.unwrap(traced_remote_call(method)).__ray_num_returns__ == 2


def test_variable_keywords_come_last_in_the_signature():
    """A keyword-only parameter cannot follow them."""

    def method(self, *args, flag=False, **kwargs):
        return kwargs

    names = list(inspect.signature(traced_remote_call(method)).parameters)
    assert names == ["self", "args", "flag", CARRIER_KEYWORD, "kwargs"]
    assert traced_remote_call(method)(None, _otel_carrier=CARRIER, other=1) == {"other": 1}


def test_a_function_that_takes_the_carrier_itself_gets_it(nemo_lens_recorder):
    """It may pass it on."""

    @traced_remote_call
    def relay(*, _otel_carrier=None):
        return _otel_carrier

    assert relay(_otel_carrier=CARRIER) == CARRIER
    assert relay() is None


class Callable:
    """An object with a call."""

    def __call__(self, x):
        return 2 * x


class AsyncCallable:
    """An object whose call is a coroutine function."""

    async def __call__(self, x):
        return 2 * x


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (functools.partial(plain, y=5), "plain"),
        (functools.partial(functools.partial(plain), y=5), "plain"),
        (functools.partial(generator, y=5), "generator"),
        (functools.partial(coroutine, y=5), "coroutine"),
        (Callable(), "Callable"),
        (AsyncCallable(), "AsyncCallable"),
        (functools.partial(AsyncCallable()), "AsyncCallable"),
        (Callable().__call__, "Callable.__call__"),
    ],
    ids=repr,
)
def test_other_callables_become_functions_that_ray_takes(method, name, nemo_lens_recorder):
    """`ray.remote` refuses partial objects and callables themselves."""
    traced = traced_remote_call(method)
    assert inspect.isfunction(traced)
    assert consumed(traced, 4, _otel_carrier=CARRIER) == consumed(method, 4)
    assert nemo_lens_recorder.span(name).parent.span_id == SPAN_ID


def test_class_and_static_methods_stay_so(nemo_lens_recorder):
    """The decorator works above both."""

    class Actor:
        @traced_remote_call
        @classmethod
        def of_class(cls):
            return cls

        @traced_remote_call(span=False)
        @staticmethod
        def static(x):
            return x

    assert Actor().of_class(_otel_carrier=CARRIER) is Actor
    assert Actor.static(7, _otel_carrier=CARRIER) == 7


def test_what_cannot_be_called_is_refused():
    """The message says what to do."""
    with pytest.raises(TypeError, match="below @property"):
        traced_remote_call(property(plain))


class RemoteFunction:
    """What `ray.remote` returns, for functions and classes."""

    __module__ = "ray.remote_function"

    def __call__(self):
        raise TypeError("Remote functions cannot be called directly")

    def remote(self):
        return 0


@pytest.mark.parametrize("wrong", [Callable, RemoteFunction()])
def test_classes_and_what_ray_returns_are_refused(wrong):
    """Nothing would be traced there; the message says where the decorator goes."""
    with pytest.raises(TypeError, match=r"above each method, and below @ray\.remote"):
        traced_remote_call(wrong)
    with pytest.raises(TypeError, match=r"below @ray\.remote"):
        traced_remote_call(group="step")(wrong)


class Ambiguous:
    """Has no truth value, as arrays of numpy have none."""

    def __bool__(self):
        raise ValueError("ambiguous")


class Unreadable(dict):
    """Raises when it is read."""

    def items(self):
        raise RuntimeError


@every_kind
@pytest.mark.parametrize("carrier", [Ambiguous(), Unreadable(), object()])
def test_carriers_that_raise_are_harmless(function, carrier, nemo_lens_recorder):
    """The call has a span of its own, which is no consumer's."""
    assert consumed(traced_remote_call(function), 1, _otel_carrier=carrier) == consumed(function, 1)
    span = nemo_lens_recorder.span(function.__qualname__)
    assert (span.parent, span.kind) == (None, trace.SpanKind.INTERNAL)


@given(
    st.none()
    | st.text(max_size=5)
    | st.integers()
    | st.lists(st.integers(), max_size=2)
    | st.dictionaries(
        st.sampled_from(["traceparent", "tracestate", "baggage", "x"]), st.none() | st.text()
    )
)
def test_malformed_carriers_are_harmless(carrier):
    """The call goes on, outside of any remote trace."""
    assert traced_remote_call(plain)(1, _otel_carrier=carrier) == 3


@every_kind
def test_set_up_comes_before_the_span(function, nemo_lens_groups, nemo_lens_recorder):
    """A task's process may not have telemetry before its first call."""
    traced = traced_remote_call(function, group="step", setup=lambda: nemo_lens_groups("step"))
    consumed(traced, 1)
    assert nemo_lens_recorder.names() == [function.__qualname__]


@every_kind
def test_exceptions_pass_and_leave_nothing_attached(function, nemo_lens_recorder):
    """The span ends with the error."""

    def failing(kind):
        if kind is plain:

            def work():
                raise ValueError("bad")
        elif kind is coroutine:

            async def work():
                raise ValueError("bad")
        elif kind is generator:

            def work():
                yield
                raise ValueError("bad")
        else:

            async def work():
                yield
                raise ValueError("bad")

        return work

    with pytest.raises(ValueError, match="bad"):
        consumed(traced_remote_call(failing(function), name="f"), _otel_carrier=CARRIER)
    span = nemo_lens_recorder.span("f")
    assert span.status.status_code is trace.StatusCode.ERROR
    assert span.end_time is not None
    assert context.get_current() == {}


def test_between_items_the_consumer_keeps_its_own_context(nemo_lens_recorder):
    """And closing early ends the span."""
    stream = traced_remote_call(generator)(1, _otel_carrier=CARRIER)
    next(stream)
    assert not trace.get_current_span().get_span_context().is_valid
    stream.close()
    assert nemo_lens_recorder.span("generator").end_time is not None


def test_values_and_exceptions_reach_an_async_generator(nemo_lens_recorder):
    """`asend`, `athrow` and `aclose` work through the wrapper."""
    seen = []

    @traced_remote_call
    async def echo():
        try:
            seen.append((yield))
            yield
        except KeyError:
            seen.append("thrown")
            yield
        finally:
            seen.append("closed")

    async def consume():
        stream = echo(_otel_carrier=CARRIER)
        await stream.asend(None)
        await stream.asend("a")
        await stream.athrow(KeyError())
        await stream.aclose()

    asyncio.run(consume())
    assert seen == ["a", "thrown", "closed"]
    (name,) = nemo_lens_recorder.names()
    assert nemo_lens_recorder.span(name).end_time is not None


def test_a_cancelled_coroutine_ends_its_span(nemo_lens_recorder):
    """Marked as cancelled, nothing left attached."""

    @traced_remote_call(name="slow")
    async def slow():
        await asyncio.sleep(60)

    async def cancel():
        task = asyncio.create_task(slow(_otel_carrier=CARRIER))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    span = nemo_lens_recorder.span("slow")
    assert span.attributes["nemo.span.cancelled"] is True
    assert span.end_time is not None
