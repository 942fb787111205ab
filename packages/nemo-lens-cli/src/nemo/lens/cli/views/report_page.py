# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The report of a run as one page: verdict, facts, ranks, phases, metrics, problems, next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.cli.invocation import command_for
from nemo.lens.cli.page import Cell, Column
from nemo.lens.cli.views import rank_table, run_facts
from nemo.lens.runs.quantities import duration, number, plural, share
from nemo.lens.runs.rank_names import ranks_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.page import Page
    from nemo.lens.runs.answers import MetricRow, RunSummary

_BAR_LENGTH = 24
_MOST_METRICS = 20
_REST = "rest of the step"
_MOST_LISTED = 8
# How OpenTelemetry spells a number without a unit.
_NO_UNIT = "1"


def render(summary: RunSummary, page: Page) -> Page:
    """Write ``summary`` on ``page`` and return it."""
    rank_table.verdict(page, summary.verdict, good=run_facts.is_good(summary))
    page.heading("Run")
    page.pairs(run_facts.facts(summary))
    rank_table.ranks(page, summary.ranks, summary.stragglers)
    _phases(summary, page)
    _events(summary, page)
    _metrics(summary.metrics, page)
    _logs(summary, page)
    _unfinished(summary, page)
    rank_table.problems(page, [*summary.problems, *run_facts.losses(summary)])
    _next(summary, page)
    return page


def _phases(summary: RunSummary, page: Page) -> None:
    if not summary.phases:
        return
    page.heading("Where the time of a step goes")
    failures = any(phase.failed for phase in summary.phases)
    columns = [
        Column("phase"),
        Column("per step", "right"),
        Column("share", "right"),
        *([Column("failed", "right")] if failures else []),
        Column("", optional=True),
        Column("", optional=True),
    ]
    page.table(
        columns,
        [
            [
                Cell(_REST if phase.rest else phase.phase),
                Cell(duration(phase.per_step_s.p50)),
                Cell(share(phase.share)),
                *([_failed(phase.failed)] if failures else []),
                Cell(page.bar(phase.share, _BAR_LENGTH), "dim" if phase.waiting else "cyan"),
                Cell("waiting for others" if phase.waiting else "", "dim"),
            ]
            for phase in summary.phases
        ],
    )


def _failed(count: int) -> Cell:
    return Cell(f"{count:,}", "red" if count else "")


def _events(summary: RunSummary, page: Page) -> None:
    if not summary.events:
        return
    page.heading("Outside of the steps")
    columns = [
        Column("what"),
        Column("times", "right"),
        Column("ranks", "right"),
        Column("typical", "right", optional=True),
        Column("longest", "right", optional=True),
        Column("failed", "right"),
    ]
    page.table(
        columns,
        [
            [
                Cell(event.group),
                Cell(f"{event.count:,}"),
                Cell(f"{len(event.ranks):,}"),
                Cell(duration(event.duration_s.p50)),
                Cell(duration(event.duration_s.max)),
                _failed(event.failed),
            ]
            for event in summary.events
        ],
    )


def _metrics(metrics: Sequence[MetricRow], page: Page) -> None:
    if not metrics:
        return
    page.heading("Metrics, as exported")
    columns = [
        Column("metric"),
        Column("exports", "right", optional=True),
        Column("first", "right"),
        Column("last", "right"),
        Column("lowest", "right", optional=True),
        Column("highest", "right", optional=True),
        Column("unit", optional=True),
        Column("ranks", "right", optional=True),
    ]
    shown = metrics[:_MOST_METRICS]
    page.table(columns, [_metric(row) for row in shown])
    if any(row.kind == "gauge" for row in shown):
        page.paragraph(
            "A gauge is exported with its value at that moment (by default every 10 s, and at the "
            "end); what it was in between is not recorded.",
            "dim",
        )
    if len(metrics) > _MOST_METRICS:
        page.paragraph(f"{len(metrics) - _MOST_METRICS:,} more are in the answer of --json", "dim")


def _metric(row: MetricRow) -> list[Cell]:
    labels = " ".join(f"{key}={value}" for key, value in row.attributes.items())
    values = [row.first, row.last, row.min, row.max]
    return [
        Cell(f"{row.name} {labels}".rstrip()),
        Cell(f"{row.points:,}"),
        *(Cell(number(value)) for value in values),
        Cell("" if row.unit == _NO_UNIT else row.unit),
        Cell(f"{row.ranks:,}"),
    ]


def _logs(summary: RunSummary, page: Page) -> None:
    if not summary.logs:
        return
    page.heading("Logs")
    for row in summary.logs:
        page.paragraph(
            f"{plural(row.count, 'record')} of severity {row.severity}, the last one: {row.last}",
            first="- ",
        )


def _unfinished(summary: RunSummary, page: Page) -> None:
    """How processes ended that did not end in order, and what they were doing."""
    disorderly = [process for process in summary.processes if not process.orderly]
    if not disorderly and not summary.truncated:
        return
    page.heading("Not ended in order")
    for process in disorderly[:_MOST_LISTED]:
        page.paragraph(run_facts.ending(process), "yellow", first="- ")
    if len(disorderly) > _MOST_LISTED:
        page.paragraph(f"and {len(disorderly) - _MOST_LISTED:,} more", first="- ")
    for row in summary.truncated[:_MOST_LISTED]:
        page.paragraph(
            f"{row.name} was still open on {ranks_in_words(row.ranks)} when telemetry shut down "
            f"(for {duration(row.longest_s)} at most)",
            first="- ",
        )


def _next(summary: RunSummary, page: Page) -> None:
    page.heading("Where to look next")
    page.commands(
        [
            ("the ranks in detail", command_for("ranks", summary.path)),
            ("this report again", command_for("report", summary.path)),
            ("as JSON", command_for("report", summary.path) + " --json"),
        ]
    )
