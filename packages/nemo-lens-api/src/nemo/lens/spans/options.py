# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Span options that are no attributes: kind, links, context, start time, lazy attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from nemo.lens.spans.attributes import cleaned
from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import as_text, is_mapping, real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from opentelemetry.context import Context
    from opentelemetry.trace import Link, SpanKind


LATEST_TIME = 2**64 - 1
"""The last time that OTLP has room for, in nanoseconds since the epoch; 0 is the first one."""


class SpanOptions:
    """Everything about a span beyond its name and keyword attributes, for `_span=SpanOptions(...)`.

    The options are looked at only when the span's group is on. `kind=`, `links=` and `context=`
    are also understood as plain keywords of the helpers when their values have the right types;
    this class takes the rest, and attributes whose names a keyword cannot have (`name`, `group`,
    `tracer`, dotted names).

    Example:
        >>> options = SpanOptions(attributes=lambda: {"name": "layer0", "loss": 0.5})
        >>> options.record_exception
        True

    Args:
        kind: The OpenTelemetry span kind; None for INTERNAL.
        links: Links to other spans.
        context: The parent context; None for the current one. An empty `Context()` makes a root.
        start_time: When the span started, in nanoseconds since the epoch, 0 to 2**64 - 1; None for
            now. The span still ends when its work does.
        attributes: A mapping, or a callable without arguments that returns one. A callable costs
            nothing while the group is off; what it raises is counted and never reaches the caller.
        record_exception: Whether an exception that leaves the span is recorded as an event. The
            status is set either way.
    """

    __slots__ = ("attributes", "context", "kind", "links", "record_exception", "start_time")

    __module__ = "nemo.lens.helpers"

    def __init__(
        self,
        *,
        kind: SpanKind | None = None,
        links: Sequence[Link] = (),
        context: Context | None = None,
        start_time: int | None = None,
        attributes: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None,
        record_exception: bool = True,
    ) -> None:
        self.kind = kind
        self.links = links
        self.context = context
        self.start_time = start_time
        self.attributes = attributes
        self.record_exception = record_exception

    def replaced(self, **changes: Any) -> SpanOptions:
        """Return the same options with some fields changed."""
        return SpanOptions(**{name: getattr(self, name) for name in self.__slots__} | changes)

    def start_arguments(self) -> dict[str, Any]:
        """Return the keywords for `Tracer.start_span` that differ from its defaults."""
        given: dict[str, Any] = {}
        if self.kind is not None:
            given["kind"] = self.kind
        if self.links:
            given["links"] = self.links
        if self.context is not None:
            given["context"] = self.context
        if self.start_time is not None:
            given["start_time"] = self.start_time
        return given

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"SpanOptions({given})"


def without_exceptions(given: object) -> SpanOptions:
    """Return the options `given`, or the default ones, with `record_exception` off."""
    is_given = issubclass(real_type(given), SpanOptions)
    options = cast("SpanOptions", given) if is_given else SpanOptions()
    return options.replaced(record_exception=False)


def with_comparable_keys(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy whose keys are ordinary texts; subclasses of `str` may refuse comparison."""
    return {key if type(key) is str else as_text(key): value for key, value in keywords.items()}


def split(keywords: Mapping[str, Any]) -> tuple[dict[str, Any], SpanOptions | None]:
    """Tell attributes and options apart, by key and by the type of the value.

    Returns:
        The cleaned attributes, and the options, or None when there are none beside attributes.
    """
    remaining = with_comparable_keys(keywords)
    options = _given_options(remaining.pop("_span", None))
    found = _take_options(remaining)
    attributes = cleaned(remaining)
    if options is not None and options.attributes is not None:
        attributes = {**_evaluated(options.attributes), **attributes}
    if found:
        options = (options or SpanOptions()).replaced(**found)
    return attributes, options


def _given_options(given: object) -> SpanOptions | None:
    """Return what came as `_span=`, without fields that would lose the span or its batch."""
    if given is None:
        return None
    if not issubclass(real_type(given), SpanOptions):
        _ignore("_span", "takes nemo.lens.helpers.SpanOptions", given)
        return None
    return sound(cast("SpanOptions", given))


def sound(options: SpanOptions) -> SpanOptions:
    """Return `options` without fields of a wrong type; those are counted."""
    wrong = [name for name in _OPTION_CHECKS if not _is_sound(name, getattr(options, name))]
    for name in wrong:
        _ignore(name, "has the wrong type", getattr(options, name))
        options = options.replaced(**{name: () if name == "links" else None})
    return options


def _take_options(keywords: dict[str, Any]) -> dict[str, Any]:
    """Move those keywords that are options out of `keywords`; `kind="train"` is an attribute."""
    names = [name for name in ("kind", "links", "context") if keywords.get(name) is not None]
    return {name: keywords.pop(name) for name in names if _is_sound(name, keywords[name])}


def _is_sound(name: str, value: Any) -> bool:
    try:
        return value is None or _OPTION_CHECKS[name](value)
    except Exception:  # a hostile sequence is no sequence of links
        return False


def _is_kind(value: Any) -> bool:
    from opentelemetry.trace import SpanKind

    return issubclass(real_type(value), SpanKind)


def _are_links(value: Any) -> bool:
    from opentelemetry.trace import Link

    return issubclass(real_type(value), (list, tuple)) and all(
        issubclass(real_type(link), Link) for link in value
    )


def _is_context(value: Any) -> bool:
    from opentelemetry.context import Context

    return issubclass(real_type(value), Context)


def _is_time(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LATEST_TIME


_OPTION_CHECKS = {
    "kind": _is_kind,
    "links": _are_links,
    "context": _is_context,
    "start_time": _is_time,
}


def _ignore(name: str, reason: str, value: object) -> None:
    discard(
        f"option {name}",
        "Span option %s was ignored: it %s, got %s. Further ones are only counted.",
        name,
        reason,
        type_name(real_type(value)),
    )


def _evaluated(attributes: Mapping[str, Any] | Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    try:
        mapping: Any = attributes() if callable(attributes) else attributes
        if not is_mapping(mapping):
            raise TypeError(real_type(mapping))  # noqa: TRY301  # counted like any other
    except Exception as error:  # from the caller's callable: its attributes are lost
        discard(
            "lazy attributes",
            "SpanOptions.attributes was dropped: it raised or returned no mapping (%s).",
            type_name(type(error)),
        )
        return {}
    return cleaned(mapping)
