# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`trace_fn` on every kind of callable that Python has."""

import asyncio
import functools
import gc
import inspect
import pickle
import sys
import time
import types
import typing

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.trace import StatusCode

from nemo.lens.helpers import managed_span, trace_fn


@pytest.fixture
def spans(nemo_lens_recorder, nemo_lens_groups):
    """Record spans of the group `step`."""
    nemo_lens_groups("step")
    return nemo_lens_recorder


@trace_fn("step", "module.level")
def module_level(x):
    """Serve as a function that pickles by reference."""
    return x + 1


def plain_module_level(x, y):
    """Serve as the function of a partial object."""
    return x + y


def duration_s(span):
    """Return how long a recorded span lasted."""
    return (span.end_time - span.start_time) / 1e9


def current_name():
    """Return the name of the current span, or None."""
    return getattr(trace.get_current_span(), "name", None)


class TestFunctions:
    """Plain functions and what is made of them."""

    def test_the_span_covers_the_call(self, spans):
        """Arguments and result pass through; the body runs inside the span."""

        @trace_fn("step", "work")
        def work(a, *, b):
            assert current_name() == "work"
            return a, b

        assert work(1, b=2) == (1, 2)
        assert spans.names() == ["work"]

    def test_the_group_is_asked_at_every_call(self, spans, nemo_lens_groups):
        """Not when decorating."""
        nemo_lens_groups()
        traced = trace_fn("step", "work")(current_name)
        assert traced() is None
        nemo_lens_groups("step")
        assert traced() == "work"

    def test_introspection_sees_the_function(self):
        """Signature, annotations, names and documentation survive."""

        def work(a: int, /, b: str = "x", *args: float, c: list[int], **kw: bool) -> dict[str, int]:
            """Document the work."""
            return {}

        work.mark = 7
        traced = trace_fn("step", "work")(work)
        assert inspect.signature(traced) == inspect.signature(work)
        assert typing.get_type_hints(traced) == typing.get_type_hints(work)
        assert (traced.__name__, traced.__qualname__) == (work.__name__, work.__qualname__)
        assert (traced.__doc__, traced.__module__) == (work.__doc__, work.__module__)
        assert (inspect.unwrap(traced), traced.mark) == (work, 7)

    def test_a_signature_set_by_hand_is_kept(self):
        """Ray helpers set one."""

        def work(*args):
            return args

        work.__signature__ = inspect.Signature(
            [inspect.Parameter("x", inspect.Parameter.KEYWORD_ONLY)]
        )
        assert list(inspect.signature(trace_fn("step", "w")(work)).parameters) == ["x"]

    def test_a_module_level_function_pickles_by_reference(self, monkeypatch):
        """As multiprocessing, joblib and Ray send it."""
        monkeypatch.setitem(
            sys.modules, __name__, sys.modules.get(__name__) or types.ModuleType(__name__)
        )
        monkeypatch.setattr(sys.modules[__name__], "module_level", module_level, raising=False)
        assert pickle.loads(pickle.dumps(module_level)) is module_level

    def test_above_and_below_every_descriptor(self, spans):
        """Above and below classmethod and staticmethod in either order, property, `__init__`, `__call__`."""

        class Model:
            @trace_fn("step", "init")
            def __init__(self, k):
                self.k = k

            @trace_fn("step", "c.above")
            @classmethod
            def above(cls, k):
                return cls(k)

            @classmethod
            @trace_fn("step", "c.below")
            def below(cls, k):
                return cls(k)

            @trace_fn("step", "s.above")
            @staticmethod
            def two():
                return 2

            @staticmethod
            @trace_fn("step", "s.below")
            def three():
                return 3

            @property
            @trace_fn("step", "p")
            def half(self):
                return self.k / 2

            @trace_fn("step", "call")
            def __call__(self, x):
                return self.k * x

        model = Model.above(10)
        assert Model.below(4).k == 4
        assert (model.two(), Model.three(), model.half, model(3)) == (2, 3, 5.0, 30)
        assert spans.names() == [
            "init", "c.above", "init", "c.below", "s.above", "s.below", "p", "call",
        ]  # fmt: skip

    @pytest.mark.parametrize("thing", [property(lambda self: 1), 5, None])
    def test_what_cannot_be_called_is_refused_when_decorating(self, thing):
        """Never a puzzling error at call time."""
        with pytest.raises(TypeError, match="decorates callables"):
            trace_fn("step", "x")(thing)

    def test_a_cached_function_still_binds_as_a_method(self, spans):
        """`functools.lru_cache` objects are descriptors, as functions are."""

        class Model:
            @trace_fn("step", "cached")
            @functools.lru_cache  # noqa: B019
            def work(self, x):
                return x

        assert Model().work(3) == 3
        assert spans.names() == ["cached"]

    def test_a_cached_function_still_shows_its_cache(self, spans):
        """Methods that are no part of its `__dict__`."""

        @trace_fn("step", "cached")
        @functools.lru_cache
        def cached(x):
            return x

        assert (cached(1), cached(1)) == (1, 1)
        assert cached.cache_info().hits == 1
        cached.cache_clear()
        assert cached.cache_info().hits == 0


class TestObjects:
    """Partial objects, bound methods, callable objects, built-ins, classes."""

    def test_a_partial_object_is_traced_and_pickles(self, spans):
        """It goes to worker processes as it would undecorated."""
        traced = trace_fn("step", "partial")(functools.partial(plain_module_level, 1))
        assert traced(y=2) == 3
        assert traced.args == (1,)
        assert list(inspect.signature(traced).parameters) == ["y"]
        again = pickle.loads(pickle.dumps(traced))
        assert again(2) == 3
        assert spans.names() == ["partial", "partial"]

    def test_a_partial_of_a_coroutine_function_stays_one(self, spans):
        """The kind is that of the function inside."""

        async def work(x):
            await asyncio.sleep(0)
            return x

        traced = trace_fn("step", "p")(functools.partial(work, 3))
        assert inspect.iscoroutinefunction(traced)
        assert asyncio.run(traced()) == 3
        assert spans.names() == ["p"]

    def test_callable_objects_keep_their_attributes(self, spans):
        """A wrapped module still shows its parameters."""

        class Layer:
            size = 4

            def __call__(self, x):
                return x * self.size

        layer = trace_fn("step", "layer")(Layer())
        assert (layer(2), layer.size) == (8, 4)
        with pytest.raises(AttributeError):
            _ = layer.nonsense
        assert spans.names() == ["layer"]

    def test_an_object_with_an_async_call_is_awaited_inside_its_span(self, spans):
        """The kind is that of `__call__`."""

        class Service:
            async def __call__(self):
                await asyncio.sleep(0)
                return current_name()

        assert asyncio.run(trace_fn("step", "service")(Service())()) == "service"

    def test_bound_methods_builtins_and_classes_work(self, spans):
        """Whatever can be called can be traced."""
        assert trace_fn("step", "m")("a-b".split)("-") == ["a", "b"]
        assert trace_fn("step", "b")(len)("abc") == 3
        assert trace_fn("step", "c")(dict)(a=1) == {"a": 1}
        assert spans.names() == ["m", "b", "c"]


async def async_module_level(x, y):
    """Serve as the coroutine function of a partial object."""
    await asyncio.sleep(0)
    return x + y


def generate_module_level(x, y):
    """Serve as the generator function of a partial object."""
    yield from (x, y)


async def agenerate_module_level(x, y):
    """Serve as the async generator function of a partial object."""
    yield x
    yield y


class Service:
    """An object with an async `__call__`, a bound one, and state."""

    state = 5

    async def __call__(self, x):
        """Return what was given."""
        return x

    async def method(self, x):
        """Return what was given."""
        return x


class Source:
    """An object whose `__call__` is a generator function."""

    def __call__(self, x):
        """Yield what was given."""
        yield x


async def collected(items):
    """Return the items of an async iterable."""
    return [item async for item in items]


def result_of(call, x):
    """Call and drive to its end what `call` makes of `x`."""
    made = call(x)
    if inspect.isawaitable(made):

        async def awaited():
            return await made

        return asyncio.run(awaited())
    return asyncio.run(collected(made)) if inspect.isasyncgen(made) else list(made)


def partial_of(function):
    """Return a partial object with a first argument of 1."""
    return functools.partial(function, 1)


LATE_WORKERS = {
    "async partial": (lambda: partial_of(async_module_level), 3),
    "generator partial": (lambda: partial_of(generate_module_level), [1, 2]),
    "async generator partial": (lambda: partial_of(agenerate_module_level), [1, 2]),
    "async object": (Service, 2),
    "generator object": (Source, [2]),
    "async bound method": (lambda: Service().method, 2),
}


@pytest.mark.parametrize("kind", LATE_WORKERS)
class TestObjectsThatWorkAfterTheCall:
    """Partial objects, bound methods and callable objects of the asynchronous and lazy kinds."""

    def test_they_are_traced_before_and_after_pickling(self, spans, kind):
        """As the plain kinds are."""
        make, expected = LATE_WORKERS[kind]
        traced = trace_fn("step", "t")(make())
        assert result_of(traced, 2) == expected
        assert result_of(pickle.loads(pickle.dumps(traced)), 2) == expected
        assert spans.names() == ["t", "t"]

    def test_they_do_not_become_methods(self, spans, kind):
        """No more than they would undecorated."""
        make, expected = LATE_WORKERS[kind]
        holder = type("Holder", (), {"call": trace_fn("step", "t")(make())})
        assert result_of(holder().call, 2) == expected

    def test_frameworks_see_what_they_would_undecorated(self, spans, kind):
        """The kind, of the object or of its `__call__`, the signature, and the attributes."""
        original = LATE_WORKERS[kind][0]()
        traced = trace_fn("step", "t")(original)
        for ask in (
            inspect.iscoroutinefunction,
            inspect.isgeneratorfunction,
            inspect.isasyncgenfunction,
        ):
            assert ask(traced) == ask(original)
            if not isinstance(original, (functools.partial, types.MethodType)):
                assert ask(traced.__call__) == ask(original.__call__)
        assert inspect.signature(traced) == inspect.signature(original)
        assert getattr(traced, "__name__", None) == getattr(original, "__name__", None)
        names = {"func", "args", "keywords", "state", "__self__", "__func__"} & {*dir(original)}
        assert all(getattr(traced, name) == getattr(original, name) for name in names)


class TestCoroutines:
    """`async def` functions."""

    def test_the_span_covers_the_await(self, spans):
        """Not just the creation of the coroutine object."""

        @trace_fn("step", "work")
        async def work():
            await asyncio.sleep(0.05)
            return current_name()

        assert inspect.iscoroutinefunction(work)
        assert asyncio.run(work()) == "work"
        assert duration_s(spans.span("work")) > 0.04

    def test_a_cancelled_coroutine_ends_its_span(self, spans):
        """The cancellation is marked and goes on."""

        @trace_fn("step", "work")
        async def work():
            await asyncio.sleep(60)

        async def main():
            task = asyncio.create_task(work())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        assert spans.span("work").attributes["nemo.span.cancelled"] is True

    def test_a_disabled_coroutine_is_awaited_as_usual(self, spans, nemo_lens_groups):
        """Off: no span, the same result."""
        nemo_lens_groups()

        @trace_fn("step", "work")
        async def work():
            return 7

        assert asyncio.run(work()) == 7
        assert spans.started == []

    def test_generator_based_coroutines_stay_awaitable(self, spans):
        """`types.coroutine` functions are generators with a flag."""

        @trace_fn("step", "old")
        @types.coroutine
        def old():
            yield
            return 3

        async def main():
            return await old()

        coroutine = main()
        coroutine.send(None)
        with pytest.raises(StopIteration) as stop:
            coroutine.send(None)
        assert stop.value.value == 3
        assert spans.names() == ["old"]


class TestGenerators:
    """Generator functions: the span covers the iteration, the consumer stays outside."""

    def test_the_span_covers_the_iteration(self, spans):
        """From the first to the last item."""

        @trace_fn("step", "gen")
        def generate():
            for i in range(3):
                time.sleep(0.01)
                yield i

        assert inspect.isgeneratorfunction(generate)
        assert list(generate()) == [0, 1, 2]
        assert duration_s(spans.span("gen")) > 0.025

    def test_the_group_is_asked_at_the_first_iteration(self, spans, nemo_lens_groups):
        """An unstarted generator makes no span; a started one keeps its own."""

        @trace_fn("step", "gen")
        def generate():
            yield current_name()
            yield current_name()

        first, never = generate(), generate()
        assert next(first) == "gen"
        nemo_lens_groups()
        assert list(first) == ["gen"]
        assert list(generate()) == [None, None]
        never.close()
        assert spans.names() == ["gen"]

    def test_the_consumer_never_runs_inside_the_span(self, spans):
        """Between items the context is the consumer's."""

        @trace_fn("step", "gen")
        def generate():
            for _ in range(3):
                yield current_name()

        with managed_span("step", "consumer"):
            for inside in generate():
                assert inside == "gen"
                assert current_name() == "consumer"
            assert current_name() == "consumer"
        assert spans.span("gen").parent == spans.span("consumer").context

    def test_an_inner_span_around_a_yield_survives_it(self, spans):
        """After the yield the inner span is the current one again, and then the outer."""

        @trace_fn("step", "gen")
        def generate():
            with managed_span("step", "inner"):
                yield current_name()
                yield current_name()
            yield current_name()

        assert list(generate()) == ["inner", "inner", "gen"]
        assert current_name() is None

    def test_interleaved_generators_do_not_mix_their_spans(self, spans):
        """Each one sees its own span, in whatever order they are driven and finished."""

        def generate(name):
            @trace_fn("step", name)
            def run():
                for _ in range(3):
                    yield current_name()

            return run()

        assert list(zip(generate("a"), generate("b"), strict=True)) == [("a", "b")] * 3
        gc.collect()
        assert current_name() is None
        assert {s.parent for s in spans.spans} == {None}

    def test_send_throw_close_and_the_return_value_are_relayed(self, spans):
        """The generator behaves as the undecorated one."""
        log = []

        @trace_fn("step", "gen")
        def generate():
            try:
                log.append((yield 1))
                try:
                    yield 2
                except KeyError as error:
                    log.append(error)
                yield 3
                return "result"
            finally:
                log.append("closed")

        generator = generate()
        assert next(generator) == 1
        assert generator.send("sent") == 2
        error = KeyError("k")
        assert generator.throw(error) == 3
        with pytest.raises(StopIteration) as stop:
            next(generator)
        assert stop.value.value == "result"
        assert log == ["sent", error, "closed"]
        second = generate()
        next(second)
        second.close()
        assert log[-1] == "closed"
        assert len(spans.spans) == 2

    def test_an_early_stop_is_no_error(self, spans):
        """The consumer has seen enough."""

        @trace_fn("step", "gen")
        def generate():
            yield 1
            yield 2

        for _ in generate():
            break
        gc.collect()
        span = spans.span("gen")
        assert span.status.status_code is StatusCode.UNSET
        assert span.attributes["nemo.span.cancelled"] is True

    def test_an_error_in_the_body_is_recorded_and_propagates(self, spans):
        """With the very same exception object."""
        error = ValueError("boom")

        @trace_fn("step", "gen")
        def generate():
            yield 1
            raise error

        with pytest.raises(ValueError, match="boom") as caught:
            list(generate())
        assert caught.value is error
        assert spans.span("gen").status.status_code is StatusCode.ERROR

    def test_a_generator_may_be_closed_in_another_thread(self, spans, caplog):
        """Its context belongs to another thread by then."""
        import threading

        @trace_fn("step", "gen")
        def generate():
            with managed_span("step", "inner"):
                yield 1

        generator = generate()
        next(generator)
        thread = threading.Thread(target=generator.close)
        thread.start()
        thread.join()
        assert sorted(spans.names()) == ["gen", "inner"]
        assert caplog.records == []
        assert current_name() is None


class TestAsyncGenerators:
    """Async generator functions."""

    def test_the_span_covers_the_iteration_and_not_the_consumer(self, spans):
        """As for generators."""

        @trace_fn("step", "gen")
        async def generate():
            for _ in range(3):
                await asyncio.sleep(0.01)
                yield current_name()

        async def main():
            assert inspect.isasyncgenfunction(generate)
            with managed_span("step", "consumer"):
                return [(inside, current_name()) async for inside in generate()]

        assert asyncio.run(main()) == [("gen", "consumer")] * 3
        assert duration_s(spans.span("gen")) > 0.025
        assert spans.span("gen").parent == spans.span("consumer").context

    def test_asend_athrow_and_aclose_are_relayed(self, spans):
        """The generator behaves as the undecorated one, with the group on or off."""
        log = []

        async def body():
            try:
                log.append((yield 1))
                try:
                    yield 2
                except KeyError:
                    log.append("thrown")
                yield 3
            finally:
                await asyncio.sleep(0)
                log.append("closed")

        async def drive(function):
            generator = function()
            assert await anext(generator) == 1
            assert await generator.asend("sent") == 2
            assert await generator.athrow(KeyError("k")) == 3
            await generator.aclose()

        asyncio.run(drive(trace_fn("step", "on")(body)))
        asyncio.run(drive(trace_fn("optimizer", "off")(body)))
        assert log == ["sent", "thrown", "closed"] * 2
        assert spans.names() == ["on"]
        assert spans.span("on").status.status_code is StatusCode.UNSET

    def test_leaving_the_loop_early_logs_nothing(self, spans, caplog):
        """The event loop closes the generator from another task."""

        @trace_fn("step", "gen")
        async def generate():
            with managed_span("step", "inner"):
                for i in range(10):
                    yield i
                    await asyncio.sleep(0)

        async def main():
            async for i in generate():
                if i == 1:
                    break
            gc.collect()
            await asyncio.sleep(0.02)

        asyncio.run(main())
        assert sorted(spans.names()) == ["gen", "inner"]
        assert spans.span("gen").status.status_code is StatusCode.UNSET
        assert caplog.records == []

    def test_errors_propagate_and_are_recorded(self, spans):
        """From the body through the consumer."""

        @trace_fn("step", "gen")
        async def generate():
            yield 1
            raise ValueError("boom")

        async def main():
            async for _ in generate():
                pass

        with pytest.raises(ValueError, match="boom"):
            asyncio.run(main())
        assert spans.span("gen").status.status_code is StatusCode.ERROR


def test_nothing_stays_attached_after_everything_above(spans):
    """The context of the thread is as it was."""
    before = otel_context.get_current()
    list(trace_fn("step", "g")(lambda: iter((1, 2)))())
    assert otel_context.get_current() == before
