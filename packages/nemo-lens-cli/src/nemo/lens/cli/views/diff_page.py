# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The comparison of two runs as a page: verdict, what changed, what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.cli.page import Cell, Column
from nemo.lens.cli.views import rank_table
from nemo.lens.runs.diff_answers import FASTER, GONE, NEW, SAME, SLOWER, UNCLEAR
from nemo.lens.runs.quantities import duration, share, signed_duration
from nemo.lens.runs.step_series import IMBALANCE, OUTSIDE, STEP, WAITING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.page import Page
    from nemo.lens.runs.diff_answers import DiffReport, PartChange

_STYLES = {SLOWER: "yellow", FASTER: "green", NEW: "cyan", GONE: "cyan", UNCLEAR: "dim"}
_OF_STEPS = 0.995


def render(answer: DiffReport, page: Page) -> Page:
    """Write ``answer`` on ``page`` and return it."""
    good = not (answer.slower or answer.problems) and answer.resolution is not None
    rank_table.verdict(page, answer.verdict, good=good)
    inside = [part for part in answer.parts if part.kind != OUTSIDE]
    outside = [part for part in answer.parts if part.kind == OUTSIDE]
    if inside:
        page.heading("In a typical step")
        _table(page, inside)
    if outside:
        page.heading("Outside of the steps")
        _table(page, outside)
    if answer.parts:
        _explain(answer, page)
    rank_table.problems(page, answer.problems)
    return page


def _table(page: Page, parts: Sequence[PartChange]) -> None:
    several_roles = len({part.role for part in parts}) > 1
    page.table(
        [
            *([Column("role")] if several_roles else []),
            Column("part"),
            Column("baseline", "right"),
            Column("run", "right"),
            Column("change", "right"),
            Column("", "right"),
            Column("between", "right", optional=True),
            Column(""),
        ],
        [
            [
                *([Cell(part.role)] if several_roles else []),
                Cell(_name(part), "bold" if part.kind == STEP else ""),
                Cell(_length(part.before_s)),
                Cell(_length(part.after_s)),
                *_change(part),
                Cell(_note(part), _STYLES.get(part.judged, "")),
            ]
            for part in parts
        ],
    )


def _change(part: PartChange) -> list[Cell]:
    if part.before_s is None or part.after_s is None:
        return [Cell(""), Cell(""), Cell("")]
    style = _STYLES.get(part.judged, "")
    relative = "" if part.change is None else f"{part.change:+.1%}"
    bounds = "too few"
    if part.low_s is not None and part.high_s is not None:
        bounds = f"{signed_duration(part.low_s)} and {signed_duration(part.high_s)}"
    return [Cell(signed_duration(part.change_s), style), Cell(relative, style), Cell(bounds, "dim")]


def _name(part: PartChange) -> str:
    if part.kind == STEP:
        return "whole step"
    if part.kind == IMBALANCE:
        return "imbalance (waiting)"
    return f"{part.phase} (waiting)" if part.kind == WAITING else part.phase


def _length(seconds: float | None) -> str:
    return "-" if seconds is None else duration(seconds)


def _note(part: PartChange) -> str:
    notes = [] if part.judged == SAME else [part.judged]
    if part.rank is not None:
        notes.append(f"on rank {part.rank} by {duration(abs(part.rank_change_s))}")
    occurs = min(part.share_before or 1.0, part.share_after or 1.0)
    if part.kind != OUTSIDE and occurs < _OF_STEPS:
        notes.append(f"in {share(occurs)} of the steps")
    return ", ".join(notes)


def _explain(answer: DiffReport, page: Page) -> None:
    page.blank()
    text = f"A change counts from {100 * answer.threshold:.3g}% of a part on."
    if answer.resolution is not None:
        text += f" The steps vary so that {100 * answer.resolution:.2g}% of a step can be told."
    page.paragraph(text, "dim")
