# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the analyses answer: plain data, each with `to_json()`.

Times are seconds as `float` (`*_s`) or nanoseconds since 1970 as `int` (`*_unix_nano`). Every
whole answer is `{"schema": 1, "run": ..., "verdict": "...", ..., "problems": [...]}`.

One module although it is long: the answers are one format, whose parts are read together.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, TypeGuard

SCHEMA: Final = 1
# What ranks were compared by.
OWN_WORK: Final = "own_work"
ARRIVAL: Final = "arrival"
DURATION: Final = "duration"


def _is_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if _is_tuple(value):
        return [_plain(item) for item in value]
    return value


@dataclass(frozen=True)
class Answer:
    """The head that every answer shares.

    Attributes:
        run: The run id.
        verdict: One plain sentence.
        problems: What could not be read or trusted, one line each.
    """

    run: str
    verdict: str
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON-ready values; the key order is stable."""
        body = {field.name: _plain(getattr(self, field.name)) for field in fields(self)}
        problems = body.pop("problems")
        return {"schema": SCHEMA, **body, "problems": problems}


@dataclass(frozen=True)
class Spread:
    """How a number is spread: `count` values with their percentiles, all 0 when there are none."""

    count: int
    min: float
    p50: float
    p90: float
    p99: float
    max: float
    total: float


@dataclass(frozen=True)
class Middle:
    """The typical and the high value of a duration in seconds."""

    p50: float
    p90: float


@dataclass(frozen=True)
class Straggler:
    """A rank that the others wait for.

    Attributes:
        rank: Its rank.
        host: Where it ran.
        phase: The group (or the name, for a span without a group) of the phase that takes longer;
            the name of the step span when the time is in no phase.
        kind: "chronic" (most steps) or "once" (single steps only).
        excess_s_per_step: Seconds per step beyond the median of the other ranks, of what
            `compared_by` says; for "once" the mean over `steps`.
        role: The role of the process.
        excess_ratio: The same, as a share of the other ranks' own work in a step (of their step
            time, where waiting is not marked).
        steps: For "once" the steps in question, else empty.
        compared_by: As in `RankRow`.
        others_wait_s: How long the other ranks typically wait in a step, or in `steps`; 0 where
            waiting is not marked.
    """

    rank: int
    host: str
    phase: str
    kind: str
    excess_s_per_step: float
    role: str
    excess_ratio: float
    steps: tuple[int, ...]
    compared_by: str
    others_wait_s: float


@dataclass(frozen=True)
class RankRow:
    """One rank: its own work and its waiting per step, and how far its clock is ahead.

    Attributes:
        rank: The rank.
        host: Where it ran.
        own_s: Own work per step; the whole step where waiting is not marked.
        wait_s: Waiting for others per step; where waiting is not marked, how much earlier than the
            last rank it ends its steps ("arrival") or 0 ("duration").
        clock_offset_s: How far the host's clock is ahead of the clock of the lowest rank, in the
            middle of the run.
        role: The role of the process.
        restart: The attempt, 0 for the first.
        steps: How many whole steps were compared.
        clock_drift_ppm: How much that offset grows, in microseconds per second.
        phases_s: Median seconds per step of each phase.
        compared_by: What this rank was compared by: "own_work" where waiting is marked; else
            "arrival" (how late it ends its steps) where the step times show that the ranks meet in
            each step; else "duration" (how long its steps take).
    """

    rank: int
    host: str
    own_s: Middle
    wait_s: Middle
    clock_offset_s: float
    role: str
    restart: int
    steps: int
    clock_drift_ppm: float
    phases_s: dict[str, float]
    compared_by: str


@dataclass(frozen=True)
class RanksReport(Answer):
    """Who is slow: the answer of `analyse_ranks`.

    Attributes:
        stragglers: Empty when no rank stands out.
        ranks: One row per role, restart and rank, sorted.
        waiting_marked: Whether waiting is marked in this run (group `communication` or attribute
            `nemo.wait=true`).
    """

    stragglers: tuple[Straggler, ...]
    ranks: tuple[RankRow, ...]
    waiting_marked: bool


@dataclass(frozen=True)
class PhaseRow:
    """One part of the steps of a run.

    Attributes:
        phase: Span group, or the span name where the group is unknown; the name of the step span
            for the time in no phase.
        names: The span names seen in it.
        waiting: Whether this is waiting for others.
        share: Part of all step time, 0 to 1.
        per_step_s: Seconds per step and rank.
        failed: How many spans of it ended with status error, or hold one that did.
        rest: Whether this is the time in no phase.
    """

    phase: str
    names: tuple[str, ...]
    waiting: bool
    share: float
    per_step_s: Spread
    failed: int
    rest: bool


@dataclass(frozen=True)
class StepRow:
    """One step over all ranks: the median and the longest duration, and the median of each phase."""

    step: int
    ranks: int
    duration_s: float
    longest_s: float
    slowest_rank: int | None
    phases_s: dict[str, float]


@dataclass(frozen=True)
class TruncatedRow:
    """Spans that were still open when telemetry shut down; in no percentile."""

    name: str
    group: str | None
    count: int
    ranks: tuple[int, ...]
    longest_s: float


@dataclass(frozen=True)
class StepsReport(Answer):
    """Where the time of a step goes: the answer of `analyse_steps`.

    Attributes:
        duration_s: Duration of a step, over all steps and ranks, truncated ones left out.
        phases: The parts, largest first; the shares sum to 1.
        steps: One row per step, in order.
        truncated: Truncated spans of any group.
    """

    duration_s: Spread
    phases: tuple[PhaseRow, ...]
    steps: tuple[StepRow, ...]
    truncated: tuple[TruncatedRow, ...]


@dataclass(frozen=True)
class ProcessRow:
    """One process of a run.

    Attributes:
        role: Its role, "" when unknown.
        rank: Its rank, None for an unranked process.
        host: Where it ran.
        pid: Its process id, None when unknown.
        restart: The attempt, 0 for the first.
        end: What the manifest says: "shutdown", "exit", "signal:SIGTERM", ... or None.
        ending: The same in words; for None whether no end was recorded ("killed or still running")
            or no manifest could be read.
        orderly: True for "shutdown" and "exit".
        started_unix_nano: Start of the process, None when unknown.
        ended_unix_nano: Orderly end, None when none is recorded.
        spans: Spans read.
        last_span: Name of the finished span that ended last, None without spans; one that was still
            open when telemetry shut down is not finished.
        last_span_unix_nano: When it ended.
        last_step: Number of the last recorded step, None when there is none.
        steps: Recorded steps.
        lost: Telemetry counted as lost, by reason.
        folder: The process folder relative to the run, "" for other files.
    """

    role: str
    rank: int | None
    host: str
    pid: int | None
    restart: int
    end: str | None
    ending: str
    orderly: bool
    started_unix_nano: int | None
    ended_unix_nano: int | None
    spans: int
    last_span: str | None
    last_span_unix_nano: int | None
    last_step: int | None
    steps: int
    lost: dict[str, int]
    folder: str


@dataclass(frozen=True)
class MetricRow:
    """One metric over the run.

    Attributes:
        name: Metric name.
        unit: Its unit, "" when none is given.
        kind: "gauge", "sum", "histogram", "exponentialHistogram" or "summary".
        points: Data points over all ranks: one per export. What a gauge was between two exports is not
            known, so the next four speak of exported values only.
        first: First value of the lowest rank that reports it (the mean, for histograms).
        last: Last value of the same rank.
        min: Smallest value of any rank.
        max: Largest value of any rank.
        ranks: How many processes report it.
        attributes: The attributes of the series.
    """

    name: str
    unit: str
    kind: str
    points: int
    first: float
    last: float
    min: float
    max: float
    ranks: int
    attributes: dict[str, Any]


@dataclass(frozen=True)
class EventRow:
    """Checkpoints, evaluations and other work outside the steps, by group.

    Attributes:
        group: Span group, or span name where the group is unknown.
        names: The span names seen in it.
        count: Finished spans, over all ranks.
        ranks: The ranks that did it.
        duration_s: Spread of their durations.
        last_unix_nano: When the last one ended.
        failed: How many ended with status error.
    """

    group: str
    names: tuple[str, ...]
    count: int
    ranks: tuple[int, ...]
    duration_s: Spread
    last_unix_nano: int
    failed: int


@dataclass(frozen=True)
class LogRow:
    """Log records of one severity and the last message."""

    severity: str
    count: int
    last: str


@dataclass(frozen=True)
class RunSummary(Answer):
    """A run at a glance: the answer of `summarise`.

    Attributes:
        path: Where the run was read.
        started_unix_nano: Earliest start of a process or span, None when there is nothing.
        duration_s: From there to the last thing recorded.
        ranks_expected: The largest world size that a process names, None when none does.
        ranks_present: The ranks that left a record.
        ranks_missing: Ranks below `ranks_expected` without a record (not exported, or never
            started), at most 1,000 of them.
        spans: Spans read.
        steps_done: Steps that at least one rank finished.
        last_step: Number of the last one.
        step_s: Duration of a step over all steps and ranks.
        phases: Where the time of a step goes.
        processes: One row per process.
        metrics: One row per metric and attribute set.
        events: Checkpoints, evaluations and other work outside the steps.
        failed_jobs: How many spans of the whole job (group `job`, or a root right above the steps)
            ended with status error.
        logs: One row per severity.
        truncated: Spans that were open when telemetry shut down.
        lost: Telemetry counted as lost, by reason, over all processes.
        stragglers: As in `RanksReport`.
        ranks: As in `RanksReport`.
        versions: Versions of the writers, by distribution.
        command: Command line of the lowest rank.
    """

    path: str
    started_unix_nano: int | None
    duration_s: float
    ranks_expected: int | None
    ranks_present: tuple[int, ...]
    ranks_missing: tuple[int, ...]
    spans: int
    steps_done: int
    last_step: int | None
    step_s: Spread
    phases: tuple[PhaseRow, ...]
    processes: tuple[ProcessRow, ...]
    metrics: tuple[MetricRow, ...]
    events: tuple[EventRow, ...]
    failed_jobs: int
    logs: tuple[LogRow, ...]
    truncated: tuple[TruncatedRow, ...]
    lost: dict[str, int]
    stragglers: tuple[Straggler, ...]
    ranks: tuple[RankRow, ...]
    versions: dict[str, str]
    command: tuple[str, ...]
