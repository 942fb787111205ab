# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The whole page."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.html.excerpt_figure import excerpt_figures
from nemo.lens.cli.html.goodput_figure import goodput_figure
from nemo.lens.cli.html.heat_figure import heat_figure
from nemo.lens.cli.html.markup import Markup, element
from nemo.lens.cli.html.overview import foot, head, troubles
from nemo.lens.cli.html.run_tables import (
    MOST_METRICS,
    event_table,
    metric_table,
    phase_table,
    rank_details,
)
from nemo.lens.cli.html.step_figure import step_figure
from nemo.lens.cli.versions import version_line
from nemo.lens.runs.answers import ARRIVAL, OWN_WORK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.html.findings import Findings
    from nemo.lens.cli.html.heat_map import HeatMap
    from nemo.lens.runs import PhaseRow

# No script runs and nothing is fetched, whatever a name in the run tries.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_COLOURS: Final = 5
_MEASURES: Final = {
    OWN_WORK: "How much more own work a rank did than the others, its waiting left out.",
    ARRIVAL: "How much later a rank came to the end of a step than the others, as a part of the "
    "step; waiting is not marked in this run.",
}
_MEASURE: Final = "How much longer a rank took for a step than the others."


def render(findings: Findings) -> str:
    """The page as HTML, complete and self-contained."""
    style = resources.files("nemo.lens.cli.html").joinpath("style.css").read_text("utf-8")
    title = f"{findings.summary.run}: {findings.summary.verdict}"
    return "<!doctype html>\n" + element(
        "html",
        element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("title", title),
            element("link", rel="icon", href="data:,"),
            element("style", Markup(style)),
        ),
        element(
            "body",
            head(findings),
            element("main", _sections(findings)),
            foot(findings.summary, version_line()),
        ),
        lang="en",
    )


def _sections(findings: Findings) -> list[Markup | None]:
    summary = findings.summary
    colours = _colours(summary.phases)
    lines = troubles(summary)
    return [
        _troubles(lines) if lines else None,
        _steps(findings),
        _goodput(findings),
        *[_heat(heat, findings) for heat in findings.heat_maps],
        _ranks_alone(findings),
        _excerpts(findings, colours),
        _section(
            "Where the time of a step goes",
            "Medians over all steps and ranks; the shares are of all step time.",
            phase_table(summary.phases, colours),
        )
        if summary.phases
        else None,
        _section(
            "Outside of the steps",
            "Start-up, checkpoints, evaluations and other work around the steps.",
            event_table(summary.events),
        )
        if summary.events
        else None,
        _metrics(findings),
        None if lines else _troubles(lines),
    ]


def _section(title: str, lead: str, *content: Markup | Sequence[Markup] | None) -> Markup:
    return element("section", element("h2", title), element("p", lead, class_="lead"), *content)


def _troubles(lines: list[str]) -> Markup:
    if lines:
        content = element("ul", (element("li", line) for line in lines), class_="troubles")
    else:
        words = "Nothing was lost, every process ended in order, and everything could be read."
        content = element("p", words, class_="fine")
    lead = "What was lost, what did not end in order, what could not be read."
    return _section("Drops and problems", lead, content)


def _colours(phases: Sequence[PhaseRow]) -> dict[str, str]:
    """A class for each of the largest phases; the rest share one."""
    named = [phase.phase for phase in phases if not (phase.waiting or phase.rest)]
    return {
        phase: f"p{place}" for place, phase in enumerate(dict.fromkeys(named)) if place < _COLOURS
    }


def _steps(findings: Findings) -> Markup | None:
    if not findings.steps.steps:
        return None
    return _section(
        "Duration of the steps",
        findings.steps.verdict,
        step_figure(findings.steps.steps, findings.excerpts),
    )


def _goodput(findings: Findings) -> Markup | None:
    report = findings.goodput
    if not report.total_s:
        return None
    return _section("Goodput", report.verdict, goodput_figure(report))


def _heat(heat: HeatMap, findings: Findings) -> Markup:
    summary = findings.summary
    slow = {one.rank for one in summary.stragglers if one.role == heat.role}
    several = len(findings.heat_maps) > 1
    rows = [row for row in summary.ranks if row.role == heat.role and row.steps]
    grouped = max(len(band.ranks) for band in heat.bands)
    lead = _MEASURES.get(heat.compared, _MEASURE) + (
        f" A row holds {grouped} ranks and shows the slowest of them." if grouped > 1 else ""
    )
    return _section(
        f"Ranks of role {heat.role}, step by step" if several else "Ranks, step by step",
        lead,
        heat_figure(heat, slow),
        rank_details(rows, [one for one in summary.stragglers if one.role == heat.role])
        if rows
        else None,
    )


def _ranks_alone(findings: Findings) -> Markup | None:
    """The numbers of ranks that could not be compared, e.g. a single one."""
    drawn = {heat.role for heat in findings.heat_maps}
    rows = [row for row in findings.summary.ranks if row.role not in drawn and row.steps]
    if not rows:
        return None
    return _section(
        "Ranks",
        "No two ranks did the same step, so there is nothing to compare.",
        rank_details(rows, ()),
    )


def _excerpts(findings: Findings, colours: dict[str, str]) -> Markup | None:
    if not findings.excerpts:
        return None
    return _section(
        "Steps in detail",
        "What each rank did, on one clock. Hatched is waiting for others; grey is in no phase.",
        excerpt_figures(findings.excerpts, colours),
    )


def _metrics(findings: Findings) -> Markup | None:
    metrics = findings.summary.metrics
    if not metrics:
        return None
    more = len(metrics) - MOST_METRICS
    lead = "As exported; what a gauge was between two exports is not recorded."
    if more > 0:
        lead += f" {more:,} more are in the answer of --json."
    return _section("Metrics", lead, metric_table(metrics))
