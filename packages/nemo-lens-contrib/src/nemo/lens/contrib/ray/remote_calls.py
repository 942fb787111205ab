# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The callee's side of a remote call: the work runs inside the caller's trace.

Ray looks at a function twice: at its kind (plain, coroutine, generator, async generator), which
every wrapper here keeps, and at the signature of what `inspect.unwrap` finds, against which it
checks the arguments of each call. So the wrappers have no `__wrapped__`, and a `__signature__`
that has the carrier besides the parameters of the function.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from nemo.lens.contrib.ray.dispatch import CARRIER_KEYWORD
from nemo.lens.helpers import attached_context, managed_span, span_cm
from nemo.lens.propagation import remote_context
from nemo.lens.spans.decorating import wrapped
from nemo.lens.state import is_span_group_enabled

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator
    from types import TracebackType

    from opentelemetry.trace import Span, Tracer

Method = TypeVar("Method")


@overload
def traced_remote_call(
    method: Method,
    tracer: Tracer | None = None,
    *,
    group: str | None = None,
    name: str | None = None,
    span: bool = True,
    setup: Callable[[], object] | None = None,
) -> Method: ...
@overload
def traced_remote_call(
    method: None = None,
    tracer: Tracer | None = None,
    *,
    group: str | None = None,
    name: str | None = None,
    span: bool = True,
    setup: Callable[[], object] | None = None,
) -> Callable[[Method], Method]: ...
def traced_remote_call(
    method: Any = None,
    tracer: Tracer | None = None,
    *,
    group: str | None = None,
    name: str | None = None,
    span: bool = True,
    setup: Callable[[], object] | None = None,
) -> Any:
    """Decorate what runs remotely, so that it continues the trace of `ray_dispatch_with_context`.

    For tasks, and for methods of actors, threaded actors and async actors: functions, coroutine
    functions, generators and async generators stay what they are. A `functools.partial` or another
    callable object becomes a function, which Ray takes where it refuses the object. `ray.method`,
    `trace_fn` and `ray.remote` go above or below. A call without the carrier is an ordinary call.

    Use it bare, `@traced_remote_call`, or with options, `@traced_remote_call(group="rollout")`.

    Args:
        method: What to decorate; None when used with options.
        tracer: Whose tracer opens the spans; None for the scope `nemo.lens`.
        group: The span group that gates the span; while it is off the caller's context still
            becomes current, so that spans inside the call join its trace. None: not gated.
        name: The span's name; None for the function's `__qualname__`.
        span: False for no span of its own: only the context is passed on.
        setup: Called before each call, for tasks, which have no constructor:
            `setup=functools.partial(setup_actor_telemetry, "worker")`. What it raises, the call
            raises.

    Returns:
        The decorated callable, which takes one keyword argument more, `_otel_carrier`. Malformed
        carriers are ignored. Without a carrier, and with the group off or `span=False`, a call
        costs a dictionary look-up and a few function calls.

    Raises:
        TypeError: `method` is a class, is what `ray.remote` returns, or cannot be called.
    """
    if method is None:
        return functools.partial(
            traced_remote_call, tracer=tracer, group=group, name=name, span=span, setup=setup
        )
    if isinstance(method, (classmethod, staticmethod)):
        decorate = traced_remote_call(tracer=tracer, group=group, name=name, span=span, setup=setup)
        return _rewrapped(method, decorate)
    if isinstance(method, type) or type(method).__module__.partition(".")[0] == "ray":
        raise TypeError(
            "traced_remote_call decorates functions and the methods of actors, not "
            f"{method!r}; put it above each method, and below @ray.remote"
        )
    if not callable(method):
        raise TypeError(
            f"traced_remote_call decorates callables, not {type(method).__name__} objects; "
            "put it below @property and similar decorators"
        )
    span_name = name or _named_part(method).__qualname__
    settings = _Settings(span_name, tracer, group, span, setup, _declares_carrier(method))
    return _presented_as(_wrapper_of_kind(method, settings), method)


def _rewrapped(descriptor: Any, decorate: Callable[[Any], Any]) -> Any:
    """Return a descriptor of the same kind around the decorated function of `descriptor`."""
    return type(descriptor)(decorate(descriptor.__func__))


class _Settings(NamedTuple):
    """What the decorator was told, and found out, about one method."""

    name: str
    tracer: Tracer | None
    group: str | None
    span: bool
    setup: Callable[[], object] | None
    passes_carrier_on: bool

    def cover(self, kwargs: dict[str, Any]) -> AbstractContextManager[Any]:
        """Take the carrier out of the keyword arguments of a call, and return what covers it."""
        carrier = kwargs.get(CARRIER_KEYWORD)
        if not self.passes_carrier_on:
            kwargs.pop(CARRIER_KEYWORD, None)
        return _RemoteWork(carrier, self)

    def open_span(self, *, is_remote: bool) -> AbstractContextManager[Span | None]:
        from opentelemetry.trace import SpanKind

        kind: dict[str, Any] = {"kind": SpanKind.CONSUMER} if is_remote else {}
        if self.group is None:
            return span_cm(self.name, self.tracer, **kind)
        return managed_span(self.group, self.name, self.tracer, **kind)

    def is_on(self) -> bool:
        """Say whether a call opens a span now."""
        return self.span and (self.group is None or is_span_group_enabled(self.group))


class _RemoteWork(AbstractContextManager[None]):
    """Makes the caller's context current, then the span of the call, where they are due."""

    __slots__ = ("_carrier", "_settings", "_stack")

    def __init__(self, carrier: Any, settings: _Settings) -> None:
        self._carrier = carrier
        self._settings = settings
        self._stack = ExitStack()

    def __enter__(self) -> None:
        if self._settings.setup is not None:
            self._settings.setup()
        context = None if self._carrier is None else remote_context(self._carrier)
        if context is not None:
            self._stack.enter_context(attached_context(context))
        if self._settings.is_on():
            is_remote = context is not None
            self._stack.enter_context(self._settings.open_span(is_remote=is_remote))

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.__exit__(exc_type, error, traceback)


def _wrapper_of_kind(method: Callable[..., Any], settings: _Settings) -> Callable[..., Any]:
    code_bearer = _code_bearer(method)
    if inspect.iscoroutinefunction(code_bearer):
        return _coroutine_wrapper(method, settings)
    if inspect.isasyncgenfunction(code_bearer):
        return _async_generator_wrapper(method, settings)
    if inspect.isgeneratorfunction(code_bearer):
        return _generator_wrapper(method, settings)
    return _plain_wrapper(method, settings)


def _plain_wrapper(method: Callable[..., Any], settings: _Settings) -> Callable[..., Any]:
    def remote_call(*args: Any, **kwargs: Any) -> Any:
        with settings.cover(kwargs):
            return method(*args, **kwargs)

    return remote_call


def _coroutine_wrapper(method: Callable[..., Any], settings: _Settings) -> Callable[..., Any]:
    async def remote_call(*args: Any, **kwargs: Any) -> Any:
        with settings.cover(kwargs):
            return await method(*args, **kwargs)

    return remote_call


def _generator_wrapper(method: Callable[..., Any], settings: _Settings) -> Callable[..., Any]:
    def remote_call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        work = settings.cover(kwargs)
        covered: Generator[Any, Any, Any] = _covered(method, work)(*args, **kwargs)
        return (yield from covered)

    return remote_call


def _async_generator_wrapper(method: Callable[..., Any], settings: _Settings) -> Callable[..., Any]:
    async def remote_call(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        work = settings.cover(kwargs)
        stream: AsyncGenerator[Any, Any] = _covered(method, work)(*args, **kwargs)
        advance = stream.asend(None)
        while True:
            try:
                item = await advance
            except StopAsyncIteration:
                return
            try:
                sent = yield item
            except GeneratorExit:
                await stream.aclose()
                raise
            except BaseException as thrown:
                advance = stream.athrow(thrown)
            else:
                advance = stream.asend(sent)

    return remote_call


def _covered(method: Callable[..., Any], work: AbstractContextManager[Any]) -> Callable[..., Any]:
    """Return a generator function as `trace_fn` would wrap it, covered by `work`."""
    covered: Callable[..., Any] = wrapped(method, lambda: work, lambda plain: plain, (_covered, ()))
    return covered


def _presented_as(wrapper: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
    """Give `wrapper` the name, documentation and attributes of `method`, as Ray reads them."""
    named = _named_part(method)
    functools.update_wrapper(wrapper, named, updated=("__dict__",) if named is method else ())
    del wrapper.__wrapped__  # type: ignore[attr-defined]
    signature = _signature(method)
    if signature is not None:
        wrapper.__signature__ = _with_carrier(signature)  # type: ignore[attr-defined]
    return wrapper


def _with_carrier(signature: inspect.Signature) -> inspect.Signature:
    parameters = signature.parameters
    if CARRIER_KEYWORD in parameters:
        return signature
    carrier = inspect.Parameter(CARRIER_KEYWORD, inspect.Parameter.KEYWORD_ONLY, default=None)
    ordered = sorted((*parameters.values(), carrier), key=lambda parameter: parameter.kind)
    return signature.replace(parameters=ordered)


def _declares_carrier(method: Callable[..., Any]) -> bool:
    signature = _signature(method)
    return signature is not None and CARRIER_KEYWORD in signature.parameters


def _signature(method: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(method)
    except (TypeError, ValueError):  # some built-in callables have none
        return None


def _named_part(method: Any) -> Any:
    """Return what bears the name: of a partial object its function, of other objects the class."""
    target = _called(method)
    kind: Any = target.__class__
    return target if hasattr(target, "__qualname__") else kind


def _code_bearer(method: Any) -> Any:
    """Return what decides the kind: of a partial object its function, of others `__call__`."""
    target = _called(method)
    return target if hasattr(target, "__qualname__") else type(target).__call__


def _called(method: Any) -> Any:
    while isinstance(method, functools.partial):
        method = method.func
    return method
