# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which group each span name belongs to, and the text under which it is exported.

The group of a span is not put on the span: exporters look it up here by the span's name. A name
is looked at once; from then on it costs one dictionary look-up on the enabled path.
"""

from __future__ import annotations

from nemo.lens.spans.text import as_text

MAX_NAMES = 10_000
"""Names remembered per process. Span names are few by convention; data in names must not leak."""

_texts: dict[object, str] = {}
_groups: dict[str, str] = {}

known_text = _texts.get
"""`known_text(name)` is the exported text of a noted name, or None. `name` must be hashable."""


def note(name: object, group: str | None) -> str:
    """Remember that spans called `name` belong to `group`; return the text to export as the name.

    Args:
        name: The name the caller gave. Anything but text is written out: an Enum's value, `str()`.
        group: The span group, or None when the caller has none (`span_cm`).

    Returns:
        An ordinary `str` that encodes as UTF-8.
    """
    text = as_text(name)
    if group is not None and len(_texts) < MAX_NAMES:
        _groups.setdefault(text, group)
        if type(name) is str:
            _texts[name] = text
    return text


def group_of(name: str) -> str | None:
    """Return the group of spans called `name`; None for names no helper opened under a group.

    A name used in two groups belongs to the first.
    """
    return _groups.get(name)


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction]
    _texts.clear()
    _groups.clear()
