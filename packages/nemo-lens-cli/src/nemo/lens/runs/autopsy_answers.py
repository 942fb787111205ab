# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What `analyse_autopsy` answers: plain data, each with `to_json()`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nemo.lens.runs.answers import Answer

# How a job stands.
ENDED: Final = "ended"
RUNNING: Final = "running"
HUNG: Final = "hung"
DIED: Final = "died"


@dataclass(frozen=True)
class Stand:
    """Where a process stood, or several that stood alike.

    Attributes:
        status: "finished" (ended in order), "failed" (an error left its spans), "interrupted"
            (telemetry was shut down within a step), "signal:SIGTERM", "killed", "running",
            "stopped" (by SIGSTOP or a debugger), or "unknown" (no end is recorded, and only its
            host could tell).
        step: The step, None when unknown; for a process with no open span the last one.
        in_step: Whether a span of that step was open.
        phase: Group, or name without one, of the span below the step; "" for none.
        span: Name of the innermost open span, or of the wait it is in; "" for none.
        waits: Whether it waits for others there.
    """

    status: str
    step: int | None
    in_step: bool
    phase: str
    span: str
    waits: bool


@dataclass(frozen=True)
class Suspect(Stand):
    """A process that the others wait for, or that ended before them.

    Attributes:
        role: Its role.
        rank: Its rank, None for an unranked process.
        host: Where it ran.
        pid: Its process id, None when unknown.
        since_unix_nano: Since when it had been there, by the clock of the lowest rank's host.
    """

    role: str
    rank: int | None
    host: str
    pid: int | None
    since_unix_nano: int | None


@dataclass(frozen=True)
class StandGroup(Stand):
    """Processes that stood alike.

    Attributes:
        role: Their role.
        count: How many.
        ranks: Their ranks, sorted.
        hosts: Their hosts, sorted.
        since_unix_nano: Since when the first of them had been there, by the clock of the lowest
            rank's host.
        latest_unix_nano: Since when the last of them had been there.
    """

    role: str
    count: int
    ranks: tuple[int, ...]
    hosts: tuple[str, ...]
    since_unix_nano: int | None
    latest_unix_nano: int | None


@dataclass(frozen=True)
class StandRow(Stand):
    """One process. All moments are by the clock of the lowest rank's host.

    Attributes:
        role: Its role.
        rank: Its rank, None for an unranked process.
        host: Where it ran.
        pid: Its process id, None when unknown.
        main: Whether it is the process of its rank, and not a further one such as a worker.
        path: Names of its open spans, the outermost first.
        since_unix_nano: When the innermost of them, or the wait, began.
        last_unix_nano: When a span last began or ended, None without any.
        ended_unix_nano: Its end in order, None without one.
        clock_offset_s: How far its clock was ahead; taken out of the moments here.
        source: "black_box" or "files", where its place is known from; "" where nothing tells it.
    """

    role: str
    rank: int | None
    host: str
    pid: int | None
    main: bool
    path: tuple[str, ...]
    since_unix_nano: int | None
    last_unix_nano: int | None
    ended_unix_nano: int | None
    clock_offset_s: float
    source: str


@dataclass(frozen=True)
class AutopsyReport(Answer):
    """How a job stands or ended: the answer of `analyse_autopsy`.

    Attributes:
        outcome: "ended" (in order), "running" (nothing stands still), "hung" or "died".
        restart: The attempt that is told, 0 for the first.
        suspects: Those that the others wait for, or that ended first; empty when none stands out.
        missing: Ranks that left no record.
        groups: The processes of the ranks, those that stood alike together, the largest first.
        ranks: Every process.
        black_boxes: How many black boxes were read.
    """

    outcome: str
    restart: int
    suspects: tuple[Suspect, ...]
    missing: tuple[int, ...]
    groups: tuple[StandGroup, ...]
    ranks: tuple[StandRow, ...]
    black_boxes: int
