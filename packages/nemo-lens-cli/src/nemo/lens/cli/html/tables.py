# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Tables, which stay readable where the page is narrow: they scroll by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.cli.html.markup import Markup, element, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_LONGEST_NAME: Final = 100


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        title: What stands above it.
        numeric: Whether it holds numbers, which go right.
        bar: Whether it holds bars, which take the room that is left.
        wraps: Whether it holds text that may fold.
    """

    title: str
    numeric: bool = False
    bar: bool = False
    wraps: bool = False

    @property
    def classes(self) -> str | None:
        """The classes of its cells."""
        kinds = {"num": self.numeric, "wide": self.bar, "text": self.wraps}
        return next((kind for kind, applies in kinds.items() if applies), None)


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]], caption: str = "") -> Markup:
    """A table whose first column names the rows.

    Args:
        columns: The columns.
        rows: Text, which is escaped, or elements.
        caption: What the table is, where no heading above says so.
    """
    titles = [element("th", column.title, scope="col", class_=column.classes) for column in columns]
    whole = element(
        "table",
        element("caption", caption) if caption else None,
        element("thead", element("tr", titles)),
        element("tbody", (_row(columns, row) for row in rows)),
    )
    label = caption or f"table by {columns[0].title}"
    return element("div", whole, class_="scroll", tabindex=0, role="region", aria_label=label)


def bar(part: float, kind: str) -> Markup:
    """A horizontal bar for a cell, filled to a part of its width."""
    filled = element("span", class_=kind, style=f"width:{percent(min(max(part, 0.0), 1.0))}")
    return element("span", filled, class_="track", aria_hidden="true")


def named(kind: str, name: str, more: Markup | None = None) -> Markup:
    """A name with its colour before it and perhaps more after it; one that is too long is cut.

    Args:
        kind: The class of the colour.
        name: The name, whole in the tooltip.
        more: What follows it.
    """
    shown = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    swatch = element("span", class_=f"swatch {kind}")
    return element("span", swatch, element("span", shown, more, title=name), class_="name")


def _row(columns: Sequence[Column], cells: Sequence[str]) -> Markup:
    first, *others = zip(columns, cells, strict=True)
    return element(
        "tr",
        element("th", first[1], scope="row", class_=first[0].classes),
        [element("td", cell, class_=column.classes) for column, cell in others],
    )
