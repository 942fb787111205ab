# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A running job at one moment: the answer of `RunTail.look`."""

from __future__ import annotations

from dataclasses import dataclass

from nemo.lens.runs.answers import Answer


@dataclass(frozen=True)
class LiveRank:
    """One process, in its latest attempt.

    Attributes:
        role: Its role.
        rank: Its rank, None for an unranked process.
        host: Where it runs.
        pid: Its process id, None when unknown.
        restart: The attempt, 0 for the first.
        state: "running", "ended" (its end is recorded), "gone" (no end is recorded and its process
            id is gone, told on its own host alone) or "silent" (it appended nothing for a minute).
        end: "shutdown", "exit", "signal:SIGTERM", ... or None when none is recorded.
        step: The number of its latest step, None when there is none.
        own_s: Own work of a typical recent step, None without a step.
        quiet_s: Seconds since it last appended anything.
    """

    role: str
    rank: int | None
    host: str
    pid: int | None
    restart: int
    state: str
    end: str | None
    step: int | None
    own_s: float | None
    quiet_s: float


@dataclass(frozen=True)
class SlowestRank:
    """The running rank that works most in a step.

    Attributes:
        rank: Its rank.
        role: Its role.
        host: Where it runs.
        own_s: Its own work in a typical recent step.
        excess_ratio: How much more that is than the median of the others, as a share of it.
    """

    rank: int
    role: str
    host: str
    own_s: float
    excess_ratio: float


@dataclass(frozen=True)
class LiveRun(Answer):
    """A running job at one moment.

    Attributes:
        at_unix_nano: When.
        ended: Whether nothing more is to be expected.
        orderly: Whether nobody is gone, silent, or was ended by a signal.
        step: The highest number of a latest step, None before the first.
        steps_per_s: Recent rate by the clocks of the ranks, None before the second step, and when
            no step came for long.
        step_quiet_s: Seconds since the last step of a running rank was recorded, None when none runs.
        ranks_alive: How many processes run.
        ranks_expected: The largest world size that a process names, None when none does.
        slowest: Among at least two running ranks that did steps lately.
        lost: Telemetry counted as lost, by reason.
        ranks: One row per role and rank.
    """

    at_unix_nano: int
    ended: bool
    orderly: bool
    step: int | None
    steps_per_s: float | None
    step_quiet_s: float | None
    ranks_alive: int
    ranks_expected: int | None
    slowest: SlowestRank | None
    lost: dict[str, int]
    ranks: tuple[LiveRank, ...]
