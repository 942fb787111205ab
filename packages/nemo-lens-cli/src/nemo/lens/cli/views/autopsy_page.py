# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""An autopsy as a page: verdict, who stood alike, every process, problems."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.page import Cell, Column
from nemo.lens.cli.views import rank_table
from nemo.lens.runs.quantities import signed_duration
from nemo.lens.runs.rank_names import ranks_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.page import Page
    from nemo.lens.runs import AutopsyReport, StandGroup, StandRow

_MOST_ROWS: Final = 16
_MOST_GROUPS: Final = 12
_NANO: Final = 10**9
_NOTABLE_OFFSET_S: Final = 1e-3
_GOOD: Final = frozenset({"ended", "running"})
_FINISHED: Final = "finished"


def render(answer: AutopsyReport, page: Page, *, everything: bool = False) -> Page:
    """Write ``answer`` on ``page`` and return it; ``everything`` lists every process."""
    good = answer.outcome in _GOOD and not (answer.problems or answer.missing)
    rank_table.verdict(page, answer.verdict, good=good and bool(answer.ranks))
    if answer.ranks:
        _groups(answer, page)
        _processes(answer, page, everything=everything)
    rank_table.problems(page, answer.problems)
    return page


def _groups(answer: AutopsyReport, page: Page) -> None:
    page.heading("Where the ranks stood")
    several_roles = len({group.role for group in answer.groups}) > 1
    columns = [
        Column("ranks"),
        *([Column("role")] if several_roles else []),
        Column("status"),
        Column("in"),
        Column("step", "right"),
        Column("since (UTC)"),
    ]
    suspected = {(one.role, one.rank) for one in answer.suspects}
    rows = [
        [
            Cell(_ranks(group), style),
            *([Cell(group.role)] if several_roles else []),
            Cell(group.status, style),
            Cell(_what(group), style),
            Cell("-" if group.step is None else str(group.step)),
            Cell(_span_of_time(group)),
        ]
        for group in answer.groups[:_MOST_GROUPS]
        for style in ["yellow" if {(group.role, r) for r in group.ranks} & suspected else ""]
    ]
    page.table(columns, rows)
    if len(answer.groups) > _MOST_GROUPS:
        page.paragraph(
            f"{len(answer.groups) - _MOST_GROUPS} smaller groups are in the answer of --json", "dim"
        )


def _processes(answer: AutopsyReport, page: Page, *, everything: bool) -> None:
    """Every process, the suspects first where there are too many."""
    suspected = {(one.role, one.rank, one.pid) for one in answer.suspects}
    rows: Sequence[StandRow] = answer.ranks
    if len(rows) > _MOST_ROWS and not everything:
        rows = sorted(rows, key=lambda row: (row.role, row.rank, row.pid) not in suspected)
        rows = rows[:_MOST_ROWS]
    page.heading("Processes")
    several_roles = len({row.role for row in answer.ranks}) > 1
    offsets = any(abs(row.clock_offset_s) >= _NOTABLE_OFFSET_S for row in rows)
    columns = [
        Column("rank", "right"),
        *([Column("role")] if several_roles else []),
        Column("host"),
        Column("pid", "right", optional=True),
        Column("status"),
        Column("open spans"),
        Column("last record (UTC)"),
        *([Column("clock", "right")] if offsets else []),
    ]
    page.table(
        columns,
        [
            [
                Cell("-" if row.rank is None else str(row.rank), style),
                *([Cell(row.role)] if several_roles else []),
                Cell(row.host),
                Cell("-" if row.pid is None else str(row.pid)),
                Cell(row.status if row.main else f"{row.status} (worker)", style),
                Cell(" > ".join(row.path) or "none"),
                Cell(_moment(row.last_unix_nano)),
                *([Cell(signed_duration(row.clock_offset_s))] if offsets else []),
            ]
            for row in rows
            for style in ["yellow" if (row.role, row.rank, row.pid) in suspected else ""]
        ],
    )
    if len(rows) < len(answer.ranks):
        more = len(answer.ranks) - len(rows)
        page.paragraph(f"{more:,} more processes (all: nemo-lens autopsy DIR --all)", "dim")


def _ranks(group: StandGroup) -> str:
    if not group.ranks:
        return f"{group.count:,} without a rank"
    words = ranks_in_words(group.ranks).split(maxsplit=1)[1]
    return f"{words} ({group.count:,})" if group.count > 1 else words


def _what(group: StandGroup) -> str:
    if group.waits:
        return f"waits in {group.span}"
    if group.phase:
        return group.phase
    return group.span or ("done" if group.status == _FINISHED else "no open span")


def _span_of_time(group: StandGroup) -> str:
    if group.since_unix_nano is None or group.latest_unix_nano is None:
        return "-"
    first, last = _moment(group.since_unix_nano), _moment(group.latest_unix_nano)
    return first if first == last else f"{first} to {last}"


def _moment(nano: int | None) -> str:
    if nano is None:
        return "-"
    return f"{datetime.fromtimestamp(nano // _NANO, timezone.utc):%H:%M:%S}"
