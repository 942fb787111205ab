# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The right answer about a synthetic run, known from what was injected and played."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from synthetic_runs.scenario import Scenario
    from synthetic_runs.simulation import OpenSpan, Rank

BUCKETS = {
    "startup": "unattributed",
    "model_init": "overhead",
    "data_loading": "overhead",
    "forward_backward": "productive",
    "optimizer": "productive",
    "waiting": "idle",
    "checkpoint": "overhead",
    "evaluate": "overhead",
}
"""Where the time of an activity goes, unless a rollback takes it back."""


class Slow(NamedTuple):
    """An injected straggler."""

    rank: int
    host: str
    phase: str
    kind: str
    steps: tuple[int, ...]


@dataclass(frozen=True)
class Truth:
    """What the analyses have to find out.

    Attributes:
        stragglers: Injected ones, sorted; those of the last attempt.
        clock_offset_s: How far each host is ahead of the host of rank 0 in the middle of the run.
        clock_drift_ppm: How much that grows.
        buckets: Nanoseconds by bucket, for each (restart, rank). They sum to the observed life.
        lost_steps: Steps of each attempt that a later one did again.
        open_spans: What was open when a process ended, for each (restart, rank).
        killed: (restart, rank) of the ranks that were killed first.
        hung: The same of ranks that hung.
    """

    stragglers: tuple[Slow, ...]
    clock_offset_s: dict[str, float]
    clock_drift_ppm: dict[str, float]
    buckets: dict[tuple[int, int], dict[str, int]]
    lost_steps: dict[int, tuple[int, ...]]
    open_spans: dict[tuple[int, int], tuple[OpenSpan, ...]]
    killed: tuple[tuple[int, int], ...]
    hung: tuple[tuple[int, int], ...]


def truth_of(attempts: Sequence[Scenario], played: Sequence[Sequence[Rank]]) -> Truth:
    """The answer, from scenarios and how they were played."""
    firsts = [scenario.first_step for scenario in attempts]
    again = [min(firsts[place + 1 :], default=None) for place in range(len(attempts))]
    last, ranks = attempts[-1], played[-1]
    return Truth(
        stragglers=_stragglers(last),
        clock_offset_s=_offsets(last, ranks),
        clock_drift_ppm={
            name: last.clock_drift_ppm.get(host, 0.0) - last.clock_drift_ppm.get(0, 0.0)
            for host, name in _hosts(last)
        },
        buckets={
            (scenario.restart, rank.number): _buckets(scenario, rank, rollback)
            for scenario, ranks, rollback in zip(attempts, played, again, strict=True)
            for rank in ranks
        },
        lost_steps={
            scenario.restart: _lost_steps(ranks, rollback)
            for scenario, ranks, rollback in zip(attempts, played, again, strict=True)
        },
        open_spans={
            (scenario.restart, rank.number): tuple(rank.open)
            for scenario, ranks in zip(attempts, played, strict=True)
            for rank in ranks
        },
        killed=tuple((one.restart, rank) for one in attempts for rank in sorted(one.killed)),
        hung=tuple((one.restart, rank) for one in attempts for rank in sorted(one.hung)),
    )


def _hosts(scenario: Scenario) -> list[tuple[int, str]]:
    return sorted(
        {(scenario.host(rank), scenario.host_name(rank)) for rank in range(scenario.ranks)}
    )


def _stragglers(scenario: Scenario) -> tuple[Slow, ...]:
    found = [
        Slow(rank, scenario.host_name(rank), phase, "chronic", ()) for rank, phase in scenario.slow
    ]
    stalled = {rank for rank, _step in scenario.stalls}
    for rank in stalled:
        steps = tuple(sorted(step for who, step in scenario.stalls if who == rank))
        found.append(Slow(rank, scenario.host_name(rank), "forward_backward", "once", steps))
    return tuple(sorted(found))


def _offsets(scenario: Scenario, ranks: Sequence[Rank]) -> dict[str, float]:
    middle_s = (scenario.begins_s + max(rank.now for rank in ranks)) / 2
    first = {scenario.host(rank): rank for rank in reversed(range(scenario.ranks))}
    zero = scenario.clock(0, middle_s)
    return {
        name: (scenario.clock(first[host], middle_s) - zero) / 1e9
        for host, name in _hosts(scenario)
    }


def _buckets(scenario: Scenario, rank: Rank, rollback: int | None) -> dict[str, int]:
    """Cut off where the record ends: what a killed process had open is not known."""
    end = rank.ended or max((span.end for span in rank.spans), default=0)
    found: Counter[str] = Counter()
    for activity in rank.activities:
        length = min(activity.end, end) - activity.start
        if length <= 0:
            continue
        bucket = BUCKETS.get(activity.label, "unattributed")
        if activity.label == "waiting" and not scenario.marked:
            bucket = "productive"
        lost = rollback is not None and activity.step is not None and activity.step >= rollback
        found["wasted" if lost and bucket == "productive" else bucket] += length
    return dict(found)


def _lost_steps(ranks: Sequence[Rank], rollback: int | None) -> tuple[int, ...]:
    if rollback is None:
        return ()
    steps = {
        int(span.attributes["dl.iteration"]["intValue"])
        for rank in ranks
        for span in rank.spans
        if span.name == "demo.step" and "nemo.span.truncated" not in span.attributes
    }
    return tuple(sorted(step for step in steps if step >= rollback))
