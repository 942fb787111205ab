# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Span options that are no attributes: kind, links, context, start time, lazy attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nemo.lens.attributes import cleaned
from nemo.lens.discards import discard
from nemo.lens.text import real_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.context import Context
    from opentelemetry.trace import Link, SpanKind


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
        start_time: When the span started, in nanoseconds since the epoch; None for now.
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

    def with_link(self, link: Link) -> SpanOptions:
        """Return the same options with one more link."""
        return SpanOptions(
            kind=self.kind,
            links=(*self.links, link),
            context=self.context,
            start_time=self.start_time,
            attributes=self.attributes,
            record_exception=self.record_exception,
        )

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
    options = given if isinstance(given, SpanOptions) else SpanOptions()
    return SpanOptions(
        kind=options.kind,
        links=options.links,
        context=options.context,
        start_time=options.start_time,
        attributes=options.attributes,
        record_exception=False,
    )


def split(keywords: Mapping[str, Any]) -> tuple[dict[str, Any], SpanOptions | None]:
    """Tell attributes and options apart, by key and by the type of the value.

    Returns:
        The cleaned attributes, and the options, or None when there are none beside attributes.
    """
    remaining = dict(keywords)
    given = remaining.pop("_span", None)
    options = given if issubclass(real_type(given), SpanOptions) else None
    if given is not None and options is None:
        discard(
            "bad _span",
            "_span=%s was ignored: it takes a nemo.lens.helpers.SpanOptions.",
            type(given).__name__,
        )
    kind, links, context = _take_options(remaining)
    attributes = cleaned(remaining)
    if options is not None and options.attributes is not None:
        attributes = {**_evaluated(options.attributes), **attributes}
    if kind is None and not links and context is None:
        return attributes, options
    base = options or SpanOptions()
    return attributes, SpanOptions(
        kind=kind if kind is not None else base.kind,
        links=(*base.links, *links),
        context=context if context is not None else base.context,
        start_time=base.start_time,
        record_exception=base.record_exception,
    )


def _take_options(
    keywords: dict[str, Any],
) -> tuple[SpanKind | None, Sequence[Link], Context | None]:
    """Remove from `keywords` those that are options; a `kind="train"` stays an attribute."""
    if keywords.keys().isdisjoint(("kind", "links", "context")):
        return None, (), None
    from opentelemetry.context import Context
    from opentelemetry.trace import SpanKind

    kind = context = None
    links: Sequence[Link] = ()
    if issubclass(real_type(keywords.get("kind")), SpanKind):
        kind = keywords.pop("kind")
    if issubclass(real_type(keywords.get("context")), Context):
        context = keywords.pop("context")
    if _are_links(keywords.get("links")):
        links = keywords.pop("links")
    return kind, links, context


def _are_links(candidate: Any) -> bool:
    from opentelemetry.trace import Link

    try:
        return issubclass(real_type(candidate), (list, tuple)) and all(
            issubclass(real_type(link), Link) for link in candidate
        )
    except Exception:  # a hostile sequence is an attribute like any other
        return False


def _evaluated(attributes: Mapping[str, Any] | Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    try:
        mapping: Any = attributes() if callable(attributes) else attributes
        if not issubclass(real_type(mapping), Mapping):
            raise TypeError(type(mapping).__name__)  # noqa: TRY301  # counted like any other
    except (
        Exception
    ) as error:  # the caller's callable failed: its attributes are lost, not the step
        discard(
            "lazy attributes",
            "SpanOptions.attributes was dropped: it raised or returned no mapping (%s).",
            type(error).__name__,
        )
        return {}
    return cleaned(mapping)
