# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the page shows of a run: the answers of all analyses, from one reading of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nemo.lens.cli.html.heat_map import HeatMap, heat_maps
from nemo.lens.cli.html.step_excerpts import Excerpt, step_excerpts
from nemo.lens.runs import (
    GoodputReport,
    RunSummary,
    StepsReport,
    analyse_goodput,
    analyse_steps,
    collect,
    summarise,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from nemo.lens.runs import Run


@dataclass(frozen=True)
class Findings:
    """All that the page tells.

    Attributes:
        summary: The run at a glance.
        steps: Its steps one by one.
        goodput: Where the time of all its processes went.
        heat_maps: Who was slow when, one per role.
        excerpts: A typical step and the slowest one, span by span.
    """

    summary: RunSummary
    steps: StepsReport
    goodput: GoodputReport
    heat_maps: tuple[HeatMap, ...]
    excerpts: tuple[Excerpt, ...]


def find(run: Run, say: Callable[[str], object] = str) -> Findings:
    """Ask all analyses.

    Args:
        run: The run.
        say: Called with what is being done, for a large run takes long.
    """
    records = collect(run)
    say("comparing the ranks")
    summary = summarise(run, records)
    slow = {(one.role, one.rank) for one in summary.stragglers}
    steps = analyse_steps(run, records)
    maps = heat_maps(records)
    excerpts = step_excerpts(run, records, slow)
    say("dividing the time")
    return Findings(summary, steps, analyse_goodput(run), maps, excerpts)
