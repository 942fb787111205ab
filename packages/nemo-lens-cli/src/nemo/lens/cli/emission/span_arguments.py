# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`NAME,START,END[,PARENT]`: what is said about spans on a command line, read and checked."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

FORM: Final = "NAME,START,END[,PARENT]"
_WITHOUT_PARENT: Final = 3
_WITH_PARENT: Final = 4


class GivenSpan(NamedTuple):
    """One span as it was given.

    Attributes:
        name: Its name, by which children refer to it.
        start: Seconds since the epoch.
        end: Likewise.
        parent: Name of its parent, "" for a root.
    """

    name: str
    start: Decimal
    end: Decimal
    parent: str

    @property
    def duration_s(self) -> float:
        """Its length; spans that end before they start are exported with none."""
        return max(0.0, float(self.end - self.start))


class Reading(NamedTuple):
    """What became of the arguments.

    Attributes:
        spans: In the order in which they were given, parents first.
        problems: One line for each that cannot be used; no span counts then.
    """

    spans: list[GivenSpan]
    problems: list[str]


def read(texts: Sequence[str]) -> Reading:
    """Read and check all spans of a command line."""
    parsed = [_parse_or_explain(text) for text in texts]
    spans = [each for each in parsed if isinstance(each, GivenSpan)]
    problems = [each for each in parsed if isinstance(each, str)]
    problems += _contradictions(spans)
    if problems:
        return Reading([], problems)
    ordered, cycle = _parents_first(spans)
    if cycle:
        circle = " -> ".join([*cycle, cycle[0]])
        return Reading([], [f"error: invalid span graph: parent cycle {circle}"])
    return Reading(ordered, [])


def _parse_or_explain(text: str) -> GivenSpan | str:
    try:
        return _parse(text)
    except ValueError as error:
        return f"error: skipping {text!r}: {error}"


def _parse(text: str) -> GivenSpan:
    parts = [part.strip() for part in text.split(",")]
    if not _WITHOUT_PARENT <= len(parts) <= _WITH_PARENT:
        raise ValueError(f"wrong part count {len(parts)}, expected {FORM}")
    name, start, end, parent = parts if len(parts) == _WITH_PARENT else [*parts, ""]
    if not name:
        raise ValueError(f"missing span name, expected {FORM}")
    return GivenSpan(name, _seconds("START", start), _seconds("END", end), parent)


def _seconds(part: str, text: str) -> Decimal:
    if not text:
        raise ValueError(f"missing timestamp {part}, expected seconds since the epoch")
    try:
        seconds = Decimal(text)
    except InvalidOperation as error:
        raise ValueError(
            f"unparseable timestamp {part} {text!r}, expected seconds since the epoch"
        ) from error
    if not seconds.is_finite():
        raise ValueError(f"timestamp must be finite, got {part} {text!r}")
    return seconds


def _contradictions(spans: Sequence[GivenSpan]) -> list[str]:
    times = Counter(span.name for span in spans)
    problems = [
        f"error: invalid span {name!r}: duplicate span name, given {number} times"
        for name, number in times.items()
        if number > 1
    ]
    for span in spans:
        if span.parent and times[span.parent] > 1:
            problems.append(
                f"error: invalid span {span.name!r}: parent {span.parent!r} is duplicated"
            )
        elif span.parent and not times[span.parent]:
            problems.append(
                f"error: invalid span {span.name!r}: missing parent {span.parent!r}; "
                "give it as a --span too"
            )
    return problems


def _parents_first(spans: Sequence[GivenSpan]) -> tuple[list[GivenSpan], list[str]]:
    """Sort stably; gives the order, or the names of a circle of parents."""
    by_name = {span.name: span for span in spans}
    placed: dict[str, GivenSpan] = {}
    for span in spans:
        line: dict[str, GivenSpan] = {}
        ancestor: GivenSpan | None = span
        while ancestor is not None and ancestor.name not in placed:
            if ancestor.name in line:
                names = list(line)
                return [], names[names.index(ancestor.name) :]
            line[ancestor.name] = ancestor
            ancestor = by_name.get(ancestor.parent)
        for name in reversed(line):
            placed[name] = line[name]
    return list(placed.values()), []
