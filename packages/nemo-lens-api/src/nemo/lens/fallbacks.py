# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The instrumentation helpers as no-ops, with the signatures of the real ones.

For code that must run where the real helpers cannot be imported:

    try:
        from nemo.lens.helpers import managed_span, trace_fn
    except ImportError:
        from nemo.lens.fallbacks import managed_span, trace_fn

Only the standard library is imported. Libraries that run without NeMo Lens keep a copy of this
file, and compare it with this one by the public callables of the module: those are exactly five.
`SpanRegistry` and `span_attributes` can be imported like them but are found through the module's
`__getattr__`, so that such a comparison does not trip over them.

Type checkers see the types of the real helpers, because both branches of the `try` must fit.

PYTEST_DONT_REWRITE: pytest would put two names of its own into the module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from contextlib import AbstractContextManager
    from typing import Any, TypeVar

    from opentelemetry.trace import Span, Tracer

    from nemo.lens.spans.ungated_span import SpanCm

    Decorated = TypeVar("Decorated")


class _NoSpan:
    """A context manager that does nothing and can be entered any number of times."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc_info: object) -> None:
        return None


class _NoManagedSpan(_NoSpan):
    __slots__ = ()

    def __call__(self, function: object) -> object:
        raise TypeError(
            "managed_span(...) is a context manager and cannot decorate "
            f"{getattr(function, '__qualname__', 'this object')}; decorate with "
            "trace_fn(group, name) instead"
        )


class _NoDecoratingSpan(_NoSpan):
    __slots__ = ()

    def __call__(self, function: Decorated) -> Decorated:
        return function


_NO_SPAN = _NoSpan()
_NO_MANAGED_SPAN = _NoManagedSpan()
_DECORATING: Any = _NoDecoratingSpan  # nothing to a checker, which is told the real type below
_NO_DECORATING_SPAN: SpanCm = _DECORATING()


def trace_fn(
    group: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    tracer: Tracer | None = None,  # noqa: ARG001
) -> Callable[[Decorated], Decorated]:
    """Return a decorator that returns the function itself."""

    def unchanged(function: Decorated) -> Decorated:
        return function

    return unchanged


def managed_span(
    group: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    tracer: Tracer | None = None,  # noqa: ARG001
    **attributes: Any,  # noqa: ARG001
) -> AbstractContextManager[Span | None]:
    """Return a context manager that yields `None`; exceptions pass through."""
    return _NO_MANAGED_SPAN


def span_cm(
    name: str,  # noqa: ARG001
    tracer: Tracer | None = None,  # noqa: ARG001
    record_exception: bool = True,  # noqa: ARG001
    **attributes: Any,  # noqa: ARG001
) -> SpanCm:
    """Return a context manager that yields `None`, where the real one yields a span."""
    return _NO_DECORATING_SPAN


def is_span_group_enabled(group: str) -> bool:  # noqa: ARG001
    """Return `False`: nothing is recorded."""
    return False


def safe_set_span_attributes(
    span: Span | None,
    attributes: Mapping[str, Any],
    redact_keys: Collection[str] | None = None,
) -> None:
    """Do nothing."""


def _span_attributes(attributes: Mapping[str, Any]) -> AbstractContextManager[None]:  # noqa: ARG001
    """Return a context manager that yields `None`; like the real one it cannot decorate."""
    return _NO_SPAN


class _SpanRegistry:
    """A registry that accepts everything, checks nothing and holds nothing."""

    @classmethod
    def register(
        cls,
        namespace: str,
        groups: Iterable[str],
        presets: Mapping[str, Iterable[str]] | None = None,
        *,
        allow_override: bool = False,
    ) -> None:
        """Do nothing."""

    @classmethod
    def unregister(cls, namespace: str) -> None:
        """Do nothing."""

    @classmethod
    def clear(cls) -> None:
        """Do nothing."""

    @classmethod
    def groups(cls) -> frozenset[str]:
        """Return no group."""
        return frozenset()

    @classmethod
    def namespaces(cls) -> list[str]:
        """Return no namespace."""
        return []

    @classmethod
    def presets(cls) -> dict[str, frozenset[str]]:
        """Return the one preset that always exists, without members."""
        return {"all": frozenset()}

    @classmethod
    def resolve(cls, spec: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return no enabled group, and every entry of the spec as pending; never raises."""
        entries = (entry.strip().lower() for entry in _text_of(spec).split(","))
        return frozenset(), frozenset(entry for entry in entries if entry)


def _text_of(spec: object) -> str:
    try:
        return "" if spec is None else str.__str__(str(spec))
    except Exception:  # the object's own __str__ may do anything
        return f"<{type(spec).__name__}>"


_SpanRegistry.__name__ = _SpanRegistry.__qualname__ = "SpanRegistry"
_span_attributes.__name__ = _span_attributes.__qualname__ = "span_attributes"

if TYPE_CHECKING:
    # The redundant aliases tell checkers that these are exported from here.
    from nemo.lens.groups import SpanRegistry as SpanRegistry  # noqa: PLC0414
    from nemo.lens.helpers import span_attributes as span_attributes  # noqa: PLC0414
else:

    def __getattr__(name: str) -> object:
        if name == "SpanRegistry":
            return _SpanRegistry
        if name == "span_attributes":
            return _span_attributes
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
