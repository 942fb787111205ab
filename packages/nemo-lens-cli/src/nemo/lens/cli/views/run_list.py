# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The list of runs as a page."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

from nemo.lens.cli.page import Cell, Column
from nemo.lens.cli.views import rank_table
from nemo.lens.runs.inventory import ENDED, NO_END
from nemo.lens.runs.quantities import byte_size, duration

if TYPE_CHECKING:
    from nemo.lens.cli.page import Page
    from nemo.lens.runs.inventory import Inventory, RunEntry

_NO_END_NOTE = (
    "No end: a process runs still or was killed. The files cannot tell; the last write hints at it."
)
_STYLES = {ENDED: "green", NO_END: "yellow"}


def render(inventory: Inventory, page: Page, *, most: int | None) -> Page:
    """Write the newest `most` runs, all of them for None."""
    page.paragraph(inventory.verdict, "bold")
    shown = inventory.runs[:most]
    if shown:
        page.blank()
        columns = [
            Column("run"),
            Column("started", "right"),
            Column("ranks", "right"),
            Column("size", "right", optional=True),
            Column("last write", "right", optional=True),
            Column("state"),
        ]
        now = time.time_ns()
        page.table(columns, [_row(run, now) for run in shown])
    if len(shown) < len(inventory.runs):
        hidden = len(inventory.runs) - len(shown)
        page.paragraph(f"and {hidden:,} older ones (all: nemo-lens runs DIR --all)", "dim")
    if any(run.state == NO_END for run in shown):
        page.blank()
        page.paragraph(_NO_END_NOTE, "dim")
    rank_table.problems(page, inventory.problems)
    return page


def _row(run: RunEntry, now: int) -> list[Cell]:
    return [
        Cell(run.id, "bold"),
        Cell(_moment(run.started_unix_nano)),
        Cell(_ranks(run)),
        Cell(byte_size(run.bytes)),
        Cell(_ago(run.written_unix_nano, now)),
        Cell(run.state, _STYLES.get(run.state, "dim")),
    ]


def _moment(unix_nano: int | None) -> str:
    if unix_nano is None:
        return "unknown"
    try:
        return datetime.fromtimestamp(unix_nano / 1e9).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):  # a manifest may say anything
        return "unknown"


def _ago(unix_nano: int | None, now: int) -> str:
    if unix_nano is None:
        return "unknown"
    largest_unit = duration(max(0, now - unix_nano) / 1e9).split()[:2]
    return f"{' '.join(largest_unit)} ago"


def _ranks(run: RunEntry) -> str:
    if not run.ranks:
        return str(run.processes) if run.processes else "unknown"
    if run.world_size is None or run.world_size == run.ranks:
        return f"{run.ranks:,}"
    return f"{run.ranks:,} of {run.world_size:,}"
