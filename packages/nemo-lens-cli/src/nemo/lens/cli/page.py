# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A page of text: headings, paragraphs, tables and bars that fit a given width."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    Segment = tuple[str, str]
    Line = list[Segment]

_GAP = 2


class Cell(NamedTuple):
    """One entry of a table, with the style in which a terminal shows it."""

    text: str
    style: str = ""


class Column(NamedTuple):
    """A column of a table; numbers go right.

    Attributes:
        title: What stands above it.
        align: On which side.
        optional: Whether the table may do without it on a narrow screen; the last one goes first.
    """

    title: str
    align: Literal["left", "right"] = "left"
    optional: bool = False


class Page:
    """Collects styled lines; no word is ever cut, long ones stand out of the margin instead.

    Args:
        width: Columns to fill.
        blocks: Whether block elements and dashes can be printed; ASCII is used otherwise.
    """

    def __init__(self, width: int, *, blocks: bool) -> None:
        self.width = width
        self.lines: list[Line] = []
        self._blocks = blocks

    def plain_text(self) -> str:
        """The page without styles."""
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self.lines)

    def blank(self) -> None:
        """Leave one line empty."""
        self.lines.append([])

    def heading(self, title: str) -> None:
        """Begin a part of the page."""
        if self.lines:
            self.blank()
        self.lines.append([(title, "bold")])

    def paragraph(self, text: str, style: str = "", *, first: str = "", indent: int = 0) -> None:
        """Running text.

        Args:
            text: What to say.
            style: How a terminal shows it.
            first: What the first line begins with, such as a bullet.
            indent: Columns to leave free on the left of all lines; at least the width of ``first``.
        """
        margin = " " * max(indent, len(first))
        wrapped = _wrap(text, max(20, self.width - len(margin)))
        for number, line in enumerate(wrapped):
            prefix = first.ljust(len(margin)) if number == 0 else margin
            self.lines.append([(prefix, ""), (line, style)])

    def pairs(self, rows: Sequence[tuple[str, str]]) -> None:
        """Facts as name and value, the values aligned."""
        margin = max(len(name) for name, _ in rows) + _GAP
        for name, value in rows:
            for number, line in enumerate(_wrap(value, max(20, self.width - margin))):
                label = name if number == 0 else ""
                self.lines.append([(label.ljust(margin), "dim"), (line, "")])

    def commands(self, rows: Sequence[tuple[str, str]]) -> None:
        """Commands to copy, each after what it is for; never folded."""
        margin = max(len(purpose) for purpose, _ in rows) + _GAP
        for purpose, command in rows:
            self.lines.append([(purpose.ljust(margin), "dim"), (command, "bold")])

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
        """A table with a line of titles, if any.

        When it is too wide, left-aligned columns fold, then optional ones are left out.
        """
        widths = self._fit(columns, rows)
        while _total(widths) > self.width and any(column.optional for column in columns):
            last = max(index for index, column in enumerate(columns) if column.optional)
            columns = [*columns[:last], *columns[last + 1 :]]
            rows = [[*row[:last], *row[last + 1 :]] for row in rows]
            widths = self._fit(columns, rows)
        if any(column.title for column in columns):
            self._row(columns, widths, [Cell(column.title, "dim") for column in columns])
        for row in rows:
            self._row(columns, widths, row)

    def bar(self, share: float, length: int) -> str:
        """A horizontal bar, filled to ``share`` (0 to 1) of ``length`` columns."""
        filled = round(max(0.0, min(1.0, share)) * length)
        if filled == 0 and share > 0:
            return "▏" if self._blocks else "."
        return ("█" if self._blocks else "#") * filled

    def _row(self, columns: Sequence[Column], widths: list[int], cells: Sequence[Cell]) -> None:
        folded = [_wrap(cell.text, width) for cell, width in zip(cells, widths, strict=True)]
        for number in range(max(len(lines) for lines in folded)):
            line: Line = []
            for column, width, cell, lines in zip(columns, widths, cells, folded, strict=True):
                text = lines[number] if number < len(lines) else ""
                padded = text.rjust(width) if column.align == "right" else text.ljust(width)
                line += [(padded, cell.style), (" " * _GAP, "")]
            self.lines.append(_without_trailing_blanks(line))

    def _fit(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[int]:
        """Column widths; the widest foldable column gives way first, down to its longest word."""
        texts = [
            [column.title, *(row[index].text for row in rows)]
            for index, column in enumerate(columns)
        ]
        widths = [max(map(len, column)) for column in texts]
        least = [
            max(len(word) for text in column for word in text.split() or [""]) for column in texts
        ]
        foldable = [index for index, column in enumerate(columns) if column.align == "left"]
        while _total(widths) > self.width:
            candidates = [index for index in foldable if widths[index] > least[index]]
            if not candidates:
                break
            widths[max(candidates, key=lambda index: widths[index])] -= 1
        return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _without_trailing_blanks(line: Line) -> Line:
    line = list(line)
    while line:
        text, style = line.pop()
        if text := text.rstrip():
            return [*line, (text, style)]
    return line


def _wrap(text: str, width: int) -> list[str]:
    if len(text) <= width:  # keeps runs of spaces, such as the inside of a bar
        return [text]
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
