# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""HTML elements from plain values; text can only get in escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    Content: TypeAlias = "str | Iterable[Content] | None"

_EMPTY: Final = frozenset({"meta", "link", "path"})
# Control characters are not allowed in HTML, and the bidirectional ones could turn a line around.
_INVISIBLE: Final = {
    code: f"\\x{code:02x}"
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    if chr(code) not in "\t\n"
}


class Markup(str):
    """Text that is HTML already; whatever is not is escaped on the way in."""

    __slots__ = ()


def element(tag: str, *content: Content, **attributes: object) -> Markup:
    """An element.

    Args:
        tag: Its name.
        *content: Text, which is escaped, or elements, in any nesting; None is left out.
        **attributes: Its attributes: `class_` is `class`, `aria_label` is `aria-label`; None and
            False leave the attribute out, True writes it without a value.
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _EMPTY:
        # Within a drawing the slash is needed, elsewhere it does no harm.
        return Markup(f"<{tag}{written}/>")
    return Markup(f"<{tag}{written}>{join(content)}</{tag}>")


def join(content: Content) -> Markup:
    """Content one after the other, text escaped."""
    if content is None:
        return Markup()
    if isinstance(content, Markup):
        return content
    if isinstance(content, str):
        return Markup(text(content))
    return Markup("".join(map(join, content)))


def text(value: str) -> str:
    """Text as HTML shows it, safe inside of elements and of quoted attributes."""
    return escape(value.translate(_INVISIBLE))


def percent(share: float) -> str:
    """A share of the width for a style, short."""
    return f"{100 * share:.3f}".rstrip("0").rstrip(".") + "%"


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(str(value))}"'
