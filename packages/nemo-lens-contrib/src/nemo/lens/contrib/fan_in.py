# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A span for work on what many others produced: a batch of samples, a merged queue.

Such work has no one parent. It stays in the trace of its own process, with a link to the span of
each producer, as OpenTelemetry's messaging conventions have it for batches.
"""

from __future__ import annotations

from contextlib import nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any

from nemo.lens.helpers import SpanOptions, managed_span
from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import is_mapping, real_type, type_name
from nemo.lens.state import is_span_group_enabled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Link, Span, SpanContext, Tracer

MAX_LINKS = 128
"""More producers than this are not linked: it is OpenTelemetry's default limit for a span."""

MAX_ORIGINS = 10_000
"""Items that are looked at, most of which have a producer in common."""


def fan_in_span(
    group: str, name: str, origins: Any, tracer: Tracer | None = None, **attributes: Any
) -> AbstractContextManager[Span | None]:
    """Cover a `with` block with a span that links to the producers of what it works on.

    Args:
        group: The span group. While it is off, nothing else is looked at.
        name: The span's name.
        origins: For each item, the carrier that its producer filled with `inject_context`, or a
            `Context`; or one carrier or `Context` by itself. Items of one producer give one link;
            those without a context give none. The first `MAX_LINKS` producers are linked, and
            the first `MAX_ORIGINS` items are looked at. What is no iterable gives no link.
        tracer: Whose tracer opens the span; None for the scope `nemo.lens`.
        **attributes: As for `managed_span`; `links=` stands in the place of the producers' links.

    Returns:
        A context manager that yields the span, or None when the group is off.
    """
    if not is_span_group_enabled(group):
        return nullcontext()
    given = attributes.pop("_span", None)
    options = given if isinstance(given, SpanOptions) else SpanOptions()
    options = options.replaced(links=(*options.links, *links_to(origins)))
    return managed_span(group, name, tracer, _span=options, **attributes)


def links_to(origins: Any) -> list[Link]:
    """Return links to the producers; arguments as for `fan_in_span`. Never raises."""
    from opentelemetry.trace import Link

    links: dict[tuple[int, int], Link] = {}
    try:
        for origin in islice(_each(origins), MAX_ORIGINS):
            producer = _producer(origin)
            if producer is not None:
                links.setdefault((producer.trace_id, producer.span_id), Link(producer))
            if len(links) == MAX_LINKS:
                break
    except Exception as error:  # no iterable, or one that fails; what was found is kept
        discard(
            "origins of a span",
            "Links are missing: the origins of type %s cannot be read (%s).",
            type_name(real_type(origins)),
            type_name(type(error)),
        )
    return list(links.values())


def _each(origins: Any) -> Iterable[Any]:
    """Return the items; one carrier or context by itself, which is a mapping, is one item."""
    if origins is None:
        return ()
    return (origins,) if is_mapping(origins) else origins


def _producer(origin: Any) -> SpanContext | None:
    """Return the span that `origin` names, or None."""
    from opentelemetry.context import Context
    from opentelemetry.trace import get_current_span

    from nemo.lens.propagation import remote_context

    context = origin if isinstance(origin, Context) else remote_context(origin)
    if context is None:
        return None
    producer = get_current_span(context).get_span_context()
    return producer if producer.is_valid else None
