# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The head of the page: what the run is, the verdict, and six figures; and what went wrong."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.html.markup import Markup, element
from nemo.lens.cli.views import run_facts
from nemo.lens.runs.quantities import duration, plural, share
from nemo.lens.runs.rank_names import ranks_in_words

if TYPE_CHECKING:
    from nemo.lens.cli.html.findings import Findings
    from nemo.lens.runs import RunSummary

_MOST_LISTED: Final = 12


def head(findings: Findings) -> Markup:
    """Name, verdict and figures."""
    summary = findings.summary
    first, _, more = summary.verdict.partition(". ")
    return element(
        "header",
        element(
            "div",
            element("h1", "Run ", element("bdi", summary.run)),
            element("span", "recorded with NeMo Lens"),
            class_="kicker",
        ),
        element(
            "p",
            f"{first}." if more else first,
            element("span", more, class_="more") if more else None,
            class_="verdict good" if run_facts.is_good(summary) else "verdict",
        ),
        element("dl", _tiles(findings), class_="tiles"),
    )


def _tiles(findings: Findings) -> list[Markup]:
    summary, goodput = findings.summary, findings.goodput
    lost = sum(summary.lost.values())
    hosts = len({process.host for process in summary.processes})
    orderly = sum(process.orderly for process in summary.processes)
    expected = f"of {summary.ranks_expected:,}, " if summary.ranks_expected else ""
    steps = "no step recorded"
    if summary.steps_done:
        steps = f"90% within {duration(summary.step_s.p90)}"
    typical = duration(summary.step_s.p50) if summary.steps_done else "-"
    disorderly = orderly < len(summary.processes) or bool(summary.failed_jobs)
    return [
        _tile("Typical step", typical, steps),
        _tile("Steps", f"{summary.steps_done:,}", f"in {duration(summary.duration_s)}"),
        _tile(
            "Goodput",
            share(goodput.goodput) if goodput.total_s else "-",
            "productive time",
        ),
        _tile(
            "Ranks",
            f"{len(summary.ranks_present):,}",
            f"{expected}on {plural(hosts, 'host')}",
            bad=bool(summary.ranks_missing),
        ),
        _tile(
            "Ended in order",
            f"{orderly:,}",
            f"of {plural(len(summary.processes), 'process', 'processes')}"
            + (", but the job failed" if summary.failed_jobs else ""),
            bad=disorderly,
        ),
        _tile("Telemetry lost", f"{lost:,}", "spans, points, records", bad=bool(lost)),
    ]


def _tile(name: str, value: str, more: str, *, bad: bool = False) -> Markup:
    return element(
        "div",
        element("dt", name),
        element("dd", element("span", value, class_="big"), element("span", more, class_="small")),
        class_="bad" if bad else None,
    )


def troubles(summary: RunSummary) -> list[str]:
    """What was lost, what ended badly, what could not be read; one line each."""
    disorderly = [process for process in summary.processes if not process.orderly]
    endings = [run_facts.ending(process) for process in disorderly[:_MOST_LISTED]]
    if len(disorderly) > _MOST_LISTED:
        endings.append(
            f"and {plural(len(disorderly) - _MOST_LISTED, 'more process', 'more processes')}"
        )
    still_open = [
        f"{row.name} was still open on {ranks_in_words(row.ranks)} when telemetry shut down "
        f"(for {duration(row.longest_s)} at most)"
        for row in summary.truncated[:_MOST_LISTED]
    ]
    missing: list[str] = []
    if summary.ranks_missing:
        missing = [f"no record of {ranks_in_words(summary.ranks_missing)}"]
    return [*run_facts.losses(summary), *missing, *endings, *still_open, *summary.problems]


def foot(summary: RunSummary, version: str) -> Markup:
    """When, by which command, written by what."""
    started = "-"
    if summary.started_unix_nano is not None:
        moment = datetime.fromtimestamp(summary.started_unix_nano // 10**9, timezone.utc)
        started = f"{moment:%Y-%m-%d %H:%M:%S} UTC, for {duration(summary.duration_s)}"
    command = element("code", " ".join(summary.command)) if summary.command else "not recorded"
    writers = ", ".join(f"{name} {number}" for name, number in summary.versions.items())
    return element(
        "footer",
        element("p", f"Recorded {started}. {summary.spans:,} spans."),
        element("p", "Command: ", command),
        element("p", f"Written with {writers}.") if writers else None,
        element("p", f"Read with {version}."),
    )
