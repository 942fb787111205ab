# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Wrapping a callable as what it is, so that its span covers the work.

Plain functions, coroutine functions, generator and async generator functions each keep their kind:
frameworks look at it. A generator that is one by its code cannot check its arguments when it is
called, so wrong ones show up at the first iteration, or at the `await`. While a generator is suspended its context is taken off, so that the
consumer's code never runs inside the generator's span.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

from nemo.lens.spans.decorated_objects import traced_object
from nemo.lens.spans.text import real_type

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator
    from contextlib import AbstractContextManager

    from nemo.lens.spans.decorated_objects import Decorator
    from nemo.lens.spans.resumable_span import ResumableSpan

    Begin = Callable[[], AbstractContextManager[Any] | None]
    """Returns an unentered span, or None when nothing is to be recorded by this call."""

    WrapPlain = Callable[[Callable[..., Any]], Callable[..., Any]]
    """Wraps a function that does its work when it is called."""


def wrapped(function: Any, begin: Begin, wrap_plain: WrapPlain, decorator: Decorator) -> Any:
    """Return `function` wrapped so that each call is covered by a span from `begin`.

    Args:
        function: Any callable, or a `classmethod` or `staticmethod` object.
        begin: Called once for each call (for generators: at the first iteration).
        wrap_plain: Used for what does its work when called.
        decorator: What a pickled callable object makes its decorator from again.

    Raises:
        TypeError: `function` cannot be called (a property, for example).
    """
    if isinstance(function, (classmethod, staticmethod)):
        return _rewrapped(function, lambda inner: wrapped(inner, begin, wrap_plain, decorator))
    if not callable(function):
        raise TypeError(
            f"trace_fn decorates callables, not {type(function).__name__} objects; "
            "put it below @property and similar decorators"
        )
    traced = _wrapper_of_kind(function, begin) or wrap_plain(function)
    if _binds_to_instances(function):
        return _wrapping(traced, function)
    return traced_object(function, traced, decorator)


def _rewrapped(descriptor: Any, wrap: Callable[[Any], Any]) -> Any:
    """Return a descriptor of the same kind around the wrapped function of `descriptor`."""
    return type(descriptor)(wrap(descriptor.__func__))


def _binds_to_instances(function: Any) -> bool:
    """Say whether `function`, as a class attribute, becomes a method; a wrapper function does."""
    return hasattr(real_type(function), "__get__") and not isinstance(
        function, (functools.partial, types.MethodType)
    )


def _wrapping(wrapper: Any, function: Any) -> Any:
    """Return the wrapper function with everything that can be seen on `function`."""
    functools.update_wrapper(wrapper, function)
    if not isinstance(function, types.FunctionType):
        for name in dir(function):  # `cache_info` and the like: methods of its type
            if not name.startswith("_") and not hasattr(wrapper, name):
                setattr(wrapper, name, getattr(function, name))
    return wrapper


def _wrapper_of_kind(function: Callable[..., Any], begin: Begin) -> Callable[..., Any] | None:
    """Return a wrapper for what does its work after the call; None for everything else."""
    code_bearer = _code_bearer(function)
    if inspect.iscoroutinefunction(code_bearer):
        return _coroutine_wrapper(function, begin)
    if inspect.isasyncgenfunction(code_bearer):
        return _async_generator_wrapper(function, begin)
    if inspect.isgeneratorfunction(code_bearer):
        wrapper = _generator_wrapper(function, begin)
        flags = code_bearer.__code__.co_flags
        return types.coroutine(wrapper) if flags & inspect.CO_ITERABLE_COROUTINE else wrapper
    return None


def _code_bearer(function: Any) -> Any:
    """Return what decides the kind: the `__call__` of an object, the function of a partial."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return type(function).__call__


def _coroutine_wrapper(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    async def traced(*args: Any, **kwargs: Any) -> Any:
        span = begin()
        if span is None:
            return await function(*args, **kwargs)
        with span:
            return await function(*args, **kwargs)

    return traced


def _generator_wrapper(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    def traced(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        work: Generator[Any, Any, Any] = function(*args, **kwargs)
        span = begin()
        if span is None:
            return (yield from work)
        return (yield from _driven(work, _resumable(span)))

    return traced


def _driven(work: Generator[Any, Any, Any], span: ResumableSpan) -> Generator[Any, Any, Any]:
    """Relay everything between the consumer and `work`, which runs inside `span`."""
    advance: Callable[[], Any] = functools.partial(work.send, None)
    with span:
        while True:
            try:
                with span.resumed():
                    item = advance()
            except StopIteration as stop:
                return stop.value
            try:
                sent = yield item
            except GeneratorExit:
                with span.resumed():
                    work.close()
                raise
            except BaseException as thrown:
                advance = functools.partial(work.throw, thrown)
            else:
                advance = functools.partial(work.send, sent)


def _async_generator_wrapper(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    async def traced(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        work = function(*args, **kwargs)
        opened = begin()
        span = _UNCOVERED if opened is None else _resumable(opened)
        advance: Callable[[], Any] = functools.partial(work.asend, None)
        with span:
            while True:
                try:
                    with span.resumed():
                        item = await advance()
                except StopAsyncIteration:
                    return
                try:
                    sent = yield item
                except GeneratorExit:
                    with span.resumed():
                        await work.aclose()
                    raise
                except BaseException as thrown:
                    advance = functools.partial(work.athrow, thrown)
                else:
                    advance = functools.partial(work.asend, sent)

    return traced


def _resumable(span: AbstractContextManager[Any]) -> ResumableSpan:
    from nemo.lens.spans.resumable_span import ResumableSpan

    return ResumableSpan(span)


class _Uncovered:
    """Stands in for a `ResumableSpan` when the group is off."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_exception: object) -> None:
        pass

    def resumed(self) -> _Uncovered:
        return self


_UNCOVERED = _Uncovered()
