# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The ranks as a table that a terminal shows in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from nemo.lens.cli.watch.lines import facts
from nemo.lens.runs.quantities import duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from nemo.lens.runs.tailing_answers import LiveRank, LiveRun

_MOST_ROWS: Final = 16
_BAR_LENGTH: Final = 20
_STYLES: Final = {"running": "green", "ended": "dim", "silent": "yellow", "gone": "red"}
_QUIET_S: Final = 15.0


def table(live: LiveRun) -> RenderableType:
    """Verdict, facts and ranks."""
    shown = _most_telling(live.ranks)
    longest = max((row.own_s or 0.0 for row in live.ranks), default=0.0)
    slow = live.slowest.rank if live.slowest is not None else None
    rows = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("rank", "step", "own work"):
        rows.add_column(title, justify="right")
    for title in ("", "host", "state"):
        rows.add_column(title)
    for row in shown:
        bar = "█" * round((row.own_s or 0.0) / longest * _BAR_LENGTH) if longest else ""
        rows.add_row(
            "-" if row.rank is None else str(row.rank),
            "-" if row.step is None else f"{row.step:,}",
            "-" if row.own_s is None else duration(row.own_s),
            Text(bar, "yellow" if row.rank == slow else "cyan"),
            Text(row.host),
            Text(_state(row), _STYLES.get(row.state, "")),
        )
    more = len(live.ranks) - len(shown)
    return Group(
        Text(f"{live.run}: {live.verdict}", "bold" if live.orderly else "bold yellow"),
        Text(" · ".join(facts(live)), "dim"),
        rows,
        *([Text(f"and {more:,} more", "dim")] if more else []),
    )


def _state(row: LiveRank) -> str:
    if row.state == "ended":
        return f"ended ({row.end})"
    if row.state == "running" and row.quiet_s < _QUIET_S:
        return row.state
    return f"{row.state}, nothing new for {duration(row.quiet_s)}"


def _most_telling(rows: Sequence[LiveRank]) -> Sequence[LiveRank]:
    """All, or of many those that do not run and those that work most, in their order."""
    if len(rows) <= _MOST_ROWS:
        return rows
    telling = sorted(rows, key=lambda row: (row.state in {"running", "ended"}, -(row.own_s or 0.0)))
    kept = {id(row) for row in telling[:_MOST_ROWS]}
    return [row for row in rows if id(row) in kept]
