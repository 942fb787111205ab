# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Goodput as a page: verdict, buckets, what they consist of, attempts, ranks, problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.cli.page import Cell, Column
from nemo.lens.cli.views import rank_table
from nemo.lens.runs.bucket_table import IDLE, OVERHEAD, PRODUCTIVE, UNATTRIBUTED, WASTED
from nemo.lens.runs.quantities import duration, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.page import Page
    from nemo.lens.runs import AttemptRow, GoodputProcessRow, GoodputReport, PartRow

_BAR_LENGTH: Final = 24
_MOST_PARTS: Final = 10
_MOST_RANKS: Final = 16
_STYLES: Final = {
    PRODUCTIVE: "green",
    OVERHEAD: "yellow",
    IDLE: "cyan",
    WASTED: "red",
    UNATTRIBUTED: "dim",
}


def render(answer: GoodputReport, page: Page) -> Page:
    """Write ``answer`` on ``page`` and return it."""
    lost = any(row.lost_steps for row in answer.attempts)
    rank_table.verdict(page, answer.verdict, good=not (lost or answer.problems))
    if answer.total_s:
        _buckets(answer, page)
        _parts(answer.parts, page)
        if len(answer.attempts) > 1 or lost:
            _attempts(answer.attempts, page)
        _processes(answer.processes, page)
    rank_table.problems(page, answer.problems)
    return page


def _buckets(answer: GoodputReport, page: Page) -> None:
    page.heading("Where the time of all ranks went")
    columns = [
        Column("bucket"),
        Column("time", "right"),
        Column("share", "right"),
        Column("", optional=True),
    ]
    rows = [
        [
            Cell(row.bucket, _STYLES[row.bucket]),
            Cell(duration(row.total_s)),
            Cell(share(row.share)),
            Cell(page.bar(row.share, _BAR_LENGTH), _STYLES[row.bucket]),
        ]
        for row in answer.buckets
    ]
    page.table(columns, rows)


def _parts(parts: Sequence[PartRow], page: Page) -> None:
    page.heading("What that consists of")
    columns = [
        Column("bucket"),
        Column("part"),
        Column("time", "right"),
        Column("share", "right"),
    ]
    rows = [
        [
            Cell(row.bucket, _STYLES[row.bucket]),
            Cell(row.part or "in no known span"),
            Cell(duration(row.total_s)),
            Cell(share(row.share)),
        ]
        for row in parts[:_MOST_PARTS]
    ]
    page.table(columns, rows)
    if len(parts) > _MOST_PARTS:
        page.paragraph(
            f"{len(parts) - _MOST_PARTS} smaller ones are in the answer of --json", "dim"
        )


def _attempts(attempts: Sequence[AttemptRow], page: Page) -> None:
    page.heading("Attempts")
    several_runs = len({row.run for row in attempts}) > 1
    columns = [
        *([Column("run")] if several_runs else []),
        Column("attempt", "right"),
        Column("processes", "right", optional=True),
        Column("lasted", "right"),
        Column("steps", "right"),
        Column("done again", "right"),
        Column("lost work", "right"),
    ]
    rows = [
        [
            *([Cell(row.run)] if several_runs else []),
            Cell(str(row.restart)),
            Cell(f"{row.processes:,}"),
            Cell(duration((row.ended_unix_nano - row.started_unix_nano) / 1e9)),
            Cell("none" if row.first_step is None else f"{row.first_step} to {row.last_step}"),
            Cell(f"{row.lost_steps:,}", "red" if row.lost_steps else ""),
            Cell(duration(row.total_s[WASTED]), "red" if row.lost_steps else ""),
        ]
        for row in attempts
    ]
    page.table(columns, rows)


def _processes(processes: Sequence[GoodputProcessRow], page: Page) -> None:
    """The processes of which least was productive, in their order."""
    least = sorted(processes, key=_productive)[:_MOST_RANKS]
    shown = [row for row in processes if row in least]
    page.heading("Processes")
    several_roles = len({row.role for row in processes}) > 1
    restarted = len({(row.run, row.restart) for row in processes}) > 1
    columns = [
        Column("rank", "right"),
        *([Column("role")] if several_roles else []),
        *([Column("attempt", "right")] if restarted else []),
        Column("host", optional=True),
        Column("time", "right"),
        *(Column(bucket, "right") for bucket in _STYLES),
    ]
    page.table(columns, [_process(row, columns) for row in shown])
    if len(shown) < len(processes):
        page.paragraph(
            f"{len(processes) - len(shown):,} more, of which a larger share was productive, are in "
            "the answer of --json",
            "dim",
        )


def _process(row: GoodputProcessRow, columns: Sequence[Column]) -> list[Cell]:
    titles = {column.title for column in columns}
    wall = row.wall_nano or 1
    return [
        Cell("-" if row.rank is None else str(row.rank)),
        *([Cell(row.role)] if "role" in titles else []),
        *([Cell(str(row.restart))] if "attempt" in titles else []),
        Cell(row.host),
        Cell(duration(row.wall_nano / 1e9)),
        *(Cell(share(row.buckets_nano[bucket] / wall)) for bucket in _STYLES),
    ]


def _productive(row: GoodputProcessRow) -> float:
    return row.buckets_nano[PRODUCTIVE] / row.wall_nano if row.wall_nano else 0.0
