# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The enabled path of every helper: from what the caller wrote to a span ready to be entered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.spans.attributes import is_plain
from nemo.lens.spans.options import split
from nemo.lens.spans.scope import scope_values
from nemo.lens.spans.span_factory import Converted, build_span
from nemo.lens.spans.span_names import known_text, note

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span, Tracer

    from nemo.lens.spans.options import SpanOptions


def new_span(
    group: str | None, name: str, tracer: Tracer | None, keywords: dict[str, Any]
) -> AbstractContextManager[Span]:
    """Return an unentered span of `group`; its attributes are settled here, at start.

    Args:
        group: The group, known to be on; None for spans without one.
        name: The name as the caller gave it.
        tracer: The caller's tracer or None.
        keywords: The caller's keywords, in a dictionary that may be kept.
    """
    try:
        text = known_text(name) or note(name, group)
    except Exception:  # an unhashable or hostile name
        text = note(name, group)
    options = None
    if keywords and not is_plain(keywords):
        keywords, options = split(keywords)
        keywords = Converted(keywords)
    scoped = scope_values()
    if scoped:
        keywords = Converted({**scoped, **keywords})
    return build_span(text, keywords, tracer, options)


def name_text(group: str | None, name: object) -> str:
    """Return the exported text of `name`, noting the group the first time."""
    try:
        return known_text(name) or note(name, group)
    except Exception:  # an unhashable or hostile name
        return note(name, group)


def settled(
    keywords: dict[str, Any],
) -> tuple[dict[str, Any], SpanOptions | None]:
    """Return attributes (scope included) and options for a span that is built by hand."""
    attributes, options = split(keywords) if keywords else ({}, None)
    return {**scope_values(), **attributes}, options
