# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Traced callables that are no functions: partial objects, bound methods, objects with `__call__`.

A wrapper function could not be pickled for these, would hide the object's attributes, and would
become a method where the object, as a class attribute, does not.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = tuple[Callable[..., Any], tuple[Any, ...]]
    """How to make the decorator again in another process: a factory and its arguments."""

_PARTIALS_BIND: bool = sys.version_info >= (3, 14)


def traced_object(
    function: Callable[..., Any], traced: Callable[..., Any], decorator: Decorator
) -> Any:
    """Return an object that calls `traced` and otherwise looks like `function`."""
    if isinstance(function, functools.partial):
        given: functools.partial[Any] = function  # pyright: ignore[reportUnknownVariableType]
        again = TracedPartial(given.func, *given.args, **given.keywords)
    elif isinstance(function, types.MethodType):
        again = TracedPartial(function)
    else:
        return TracedCallable(function, traced, decorator)
    original: Any = function  # pyright: ignore[reportUnknownVariableType]
    _furnish(again, original, traced, decorator)
    return again


def _furnish(
    again: Any, function: Callable[..., Any], traced: Callable[..., Any], decorator: Decorator
) -> None:
    functools.update_wrapper(again, function, updated=())
    again.__dict__.update(_traced=traced, _decorator=decorator)


class TracedCallable:
    """A traced object with a `__call__` of its own, or a class."""

    def __init__(
        self, function: Callable[..., Any], traced: Callable[..., Any], decorator: Decorator
    ) -> None:
        _furnish(self, function, traced, decorator)
        # Frameworks look at the kind of this attribute; calls find the method of the class.
        self.__dict__["__call__"] = traced

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object, covered by a span."""
        return self._traced(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return _attribute_of_original(self, name)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _decorated_again, (*self._decorator, self.__wrapped__)


class TracedPartial(functools.partial):  # type: ignore[type-arg]
    """A traced partial object or bound method.

    It is a partial object itself: Python looks through those when it asks for the kind of a
    function.
    """

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the object, covered by a span."""
        return self._traced(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind as the original would: partial objects do from Python 3.14 on, methods never."""
        original: object = self.__wrapped__
        if instance is None or not _PARTIALS_BIND or isinstance(original, types.MethodType):
            return self
        return types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return _attribute_of_original(self, name)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _decorated_again, (*self._decorator, self.__wrapped__)


def _attribute_of_original(again: Any, name: str) -> Any:
    # Only what `again` lacks; while it is being unpickled, that includes `__wrapped__`.
    if name == "__wrapped__":
        raise AttributeError(name)
    return getattr(again.__wrapped__, name)


def _decorated_again(factory: Callable[..., Any], arguments: tuple[Any, ...], function: Any) -> Any:
    return factory(*arguments)(function)
