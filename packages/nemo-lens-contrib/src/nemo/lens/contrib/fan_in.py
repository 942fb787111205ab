# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A span for work on what many others produced: a batch of samples, a merged queue.

Such work has no one parent. It stays in the trace of its own process, with a link to the span of
each producer, as OpenTelemetry's messaging conventions have it for batches.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from nemo.lens.helpers import SpanOptions, managed_span
from nemo.lens.state import is_span_group_enabled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Link, Span, Tracer

MAX_LINKS = 128
"""More producers than this are not linked: it is OpenTelemetry's default limit for a span."""


def fan_in_span(
    group: str, name: str, origins: Iterable[Any], tracer: Tracer | None = None, **attributes: Any
) -> AbstractContextManager[Span | None]:
    """Cover a `with` block with a span that links to the producers of what it works on.

    Args:
        group: The span group. While it is off, nothing else is looked at.
        name: The span's name.
        origins: For each item, the carrier that its producer filled with `inject_context`, or a
            `Context`. Items of one producer give one link; those without a context give none. The
            first `MAX_LINKS` producers are linked.
        tracer: Whose tracer opens the span; None for the scope `nemo.lens`.
        **attributes: As for `managed_span`, except `_span`.

    Returns:
        A context manager that yields the span, or None when the group is off.
    """
    if not is_span_group_enabled(group):
        return nullcontext()
    options = SpanOptions(links=links_to(origins))
    return managed_span(group, name, tracer, _span=options, **attributes)


def links_to(origins: Iterable[Any]) -> list[Link]:
    """Return links to the producers; arguments as for `fan_in_span`. Never raises."""
    from opentelemetry.context import Context
    from opentelemetry.trace import Link, get_current_span

    from nemo.lens.propagation import remote_context

    links: dict[int, Link] = {}
    for origin in origins:
        context = origin if isinstance(origin, Context) else remote_context(origin)
        if context is None:
            continue
        producer = get_current_span(context).get_span_context()
        if producer.is_valid:
            links.setdefault(producer.span_id, Link(producer))
        if len(links) == MAX_LINKS:
            break
    return list(links.values())
