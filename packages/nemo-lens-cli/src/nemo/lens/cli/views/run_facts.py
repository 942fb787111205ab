# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The facts about a run in words, for the report on a screen and the one in a file."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from nemo.lens.runs.quantities import duration, plural
from nemo.lens.runs.rank_names import ranks_in_words

if TYPE_CHECKING:
    from nemo.lens.runs.answers import ProcessRow, RunSummary


def is_good(summary: RunSummary) -> bool:
    """Whether steps were recorded, everything ended in order, and nobody is slow."""
    return (
        not (summary.stragglers or summary.problems or losses(summary))
        and bool(summary.steps_done)
        and all(process.orderly for process in summary.processes)
        and not summary.failed_jobs
    )


def facts(summary: RunSummary) -> list[tuple[str, str]]:
    """What the run was, as name and value."""
    found = [("run", summary.run), ("recorded", _recorded(summary)), ("ranks", _ranks(summary))]
    if summary.steps_done:
        step = summary.step_s
        text = f"{summary.steps_done:,} done, typically in {duration(step.p50)}"
        if summary.steps_done > 1:
            text += f", 90% within {duration(step.p90)}"
        found.append(("steps", text))
    found.append(("spans", f"{summary.spans:,}"))
    found.append(("ended", _ended(summary)))
    return found


def _recorded(summary: RunSummary) -> str:
    if summary.started_unix_nano is None:
        return "nothing"
    start = datetime.fromtimestamp(summary.started_unix_nano // 10**9, timezone.utc)
    return f"{start:%Y-%m-%d %H:%M:%S} UTC, for {duration(summary.duration_s)}"


def _ranks(summary: RunSummary) -> str:
    present = len(summary.ranks_present)
    hosts = plural(len({process.host for process in summary.processes}), "host")
    if summary.ranks_expected is None:
        return f"{present:,} on {hosts}"
    text = f"{present:,} of {summary.ranks_expected:,} on {hosts}"
    if summary.ranks_missing:
        text += f"; no record of {ranks_in_words(summary.ranks_missing)}"
    return text


def _ended(summary: RunSummary) -> str:
    processes = summary.processes
    orderly = sum(process.orderly for process in processes)
    everybody = {1: "in order", 2: "both processes in order"}
    if orderly == len(processes):
        text = everybody.get(orderly, f"all {orderly:,} processes in order")
    else:
        text = f"{orderly:,} of {plural(len(processes), 'process', 'processes')} in order"
    failed = summary.failed_jobs
    return f"{text}, but the job failed on {failed:,}" if failed else text


def ending(process: ProcessRow) -> str:
    """How a process ended and how far it came."""
    who = f"rank {process.rank}" if process.rank is not None else process.role or "a process"
    where = process.host if process.pid is None else f"{process.host}, process {process.pid}"
    text = f"{who} ({where}): {process.ending}"
    if process.last_step is not None:
        text += f"; its last recorded step is {process.last_step}"
    if process.last_span is not None:
        text += f", its last recorded span {process.last_span}"
    return text


def losses(summary: RunSummary) -> list[str]:
    """What telemetry was lost, one line per reason."""
    return [
        f"telemetry was lost: {count:,} by {reason}"
        for reason, count in summary.lost.items()
        if count
    ]
