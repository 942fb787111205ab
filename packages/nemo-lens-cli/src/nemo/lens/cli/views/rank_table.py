# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The verdict on stragglers, the table of ranks, and what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.cli.page import Cell, Column
from nemo.lens.runs.answers import ARRIVAL, DURATION, OWN_WORK
from nemo.lens.runs.quantities import duration, noun, plural, signed_duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.page import Page
    from nemo.lens.runs.answers import RankRow, Straggler

    _Key = tuple[str, int]

_MOST_ROWS = 16
_MOST_STEPS = 3
_BAR_LENGTH = 16
# Below this the clocks agree as well as can be told from step ends.
_NOTABLE_OFFSET_S = 1e-3


def verdict(page: Page, sentence: str, *, good: bool) -> None:
    """Begin the page with the answer in one sentence."""
    page.paragraph(sentence, "bold green" if good else "bold yellow")


def ranks(
    page: Page,
    rows: Sequence[RankRow],
    stragglers: Sequence[Straggler],
    *,
    everything: bool = False,
) -> None:
    """The ranks side by side: own work and waiting in a typical step.

    Where waiting is not marked, the length of the step, and how much earlier than the last rank it
    ended where that could be compared.

    Args:
        page: Where to write.
        rows: All ranks; those without a whole step are left out.
        stragglers: Those to point out.
        everything: List every rank; otherwise a large run is cut to those that work most.
    """
    rows = [row for row in rows if row.steps]
    if not rows:
        return
    page.heading("Ranks, in a typical step")
    shown = rows if everything else _most_telling(rows, stragglers)
    _table(page, shown, stragglers, longest=max(row.own_s.p50 for row in rows))
    if len(shown) < len(rows):
        hidden = [row.own_s.p50 for row in rows if row not in shown]
        page.paragraph(
            f"{plural(len(hidden), 'more rank')} with {duration(min(hidden))} to "
            f"{duration(max(hidden))} of {_measure(rows)} (all: nemo-lens ranks DIR --all)",
            "dim",
        )


def problems(page: Page, lines: Sequence[str]) -> None:
    """What could not be read or trusted."""
    if not lines:
        return
    page.heading("Problems")
    for line in lines:
        page.paragraph(line, "yellow", first="- ")


def _most_telling(rows: Sequence[RankRow], stragglers: Sequence[Straggler]) -> Sequence[RankRow]:
    if len(rows) <= _MOST_ROWS:
        return rows
    slow = {_key(straggler) for straggler in stragglers}
    by_work = sorted(rows, key=lambda row: (_key(row) not in slow, -row.own_s.p50))
    kept = {id(row) for row in by_work[:_MOST_ROWS]}
    return [row for row in rows if id(row) in kept]


def _table(
    page: Page, rows: Sequence[RankRow], stragglers: Sequence[Straggler], longest: float
) -> None:
    notes: dict[_Key, list[str]] = {}
    for straggler in stragglers:
        notes.setdefault(_key(straggler), []).append(_note(straggler))
    several_roles = len({row.role for row in rows}) > 1
    restarted = any(row.restart for row in rows)
    offsets = any(abs(row.clock_offset_s) >= _NOTABLE_OFFSET_S for row in rows)
    waiting = _waiting_title(rows)
    columns = [
        Column("rank", "right"),
        *([Column("role")] if several_roles else []),
        *([Column("restart", "right")] if restarted else []),
        Column("host", optional=True),
        Column(_measure(rows), "right"),
        *([Column(waiting, "right")] if waiting else []),
        *([Column("clock", "right")] if offsets else []),
        Column("", optional=True),
        Column(""),
    ]
    cells: list[list[Cell]] = []
    for row in rows:
        slow = notes.get(_key(row), [])
        style = "yellow" if slow else ""
        bar = page.bar(row.own_s.p50 / longest if longest else 0.0, _BAR_LENGTH)
        cells.append(
            [
                Cell(str(row.rank), style),
                *([Cell(row.role)] if several_roles else []),
                *([Cell(str(row.restart))] if restarted else []),
                Cell(row.host),
                Cell(duration(row.own_s.p50), style),
                *([Cell(_waited(row, waiting))] if waiting else []),
                *([Cell(signed_duration(row.clock_offset_s))] if offsets else []),
                Cell(bar, style or "cyan"),
                Cell("; ".join(slow), style),
            ]
        )
    page.table(columns, cells)


def _measure(rows: Sequence[RankRow]) -> str:
    """What the ranks of a table are compared by."""
    return "own work" if any(row.compared_by == OWN_WORK for row in rows) else "step time"


def _waiting_title(rows: Sequence[RankRow]) -> str:
    ways = {row.compared_by for row in rows}
    if OWN_WORK in ways:
        return "waiting"
    return "early by" if ARRIVAL in ways else ""


def _waited(row: RankRow, title: str) -> str:
    unknown = row.compared_by == DURATION or (row.compared_by == ARRIVAL and title == "waiting")
    return "unknown" if unknown else duration(row.wait_s.p50)


def _note(straggler: Straggler) -> str:
    if straggler.kind != "once":
        return f"slow in {straggler.phase}"
    steps = ", ".join(map(str, straggler.steps[:_MOST_STEPS]))
    more = ", ..." if len(straggler.steps) > _MOST_STEPS else ""
    return f"slow in {straggler.phase} in {noun(len(straggler.steps), 'step')} {steps}{more}"


def _key(item: RankRow | Straggler) -> _Key:
    return item.role, item.rank
