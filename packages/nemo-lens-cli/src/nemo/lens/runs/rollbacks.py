# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What was done in vain: work after the checkpoint to which a job went back.

Where a job went on is told by the first step that a later attempt did (or by a step number that a
process did before): all work of steps from there on is lost. A later attempt that did no step is
taken to have gone back to the last checkpoint that all ranks of a role had finished.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nemo.lens.runs.process_lives import Life, NumberedStep


class Attempt(NamedTuple):
    """The processes of one start of a job.

    Attributes:
        run: Run id.
        restart: The attempt as the processes name it.
        lives: The processes.
        start: The earliest start of a process.
        end: The latest end of a process.
        first_steps: The lowest step by role.
    """

    run: str
    restart: int
    lives: list[Life]
    start: int
    end: int
    first_steps: dict[str, int]


class Lost(NamedTuple):
    """What a process did in vain: windows of time, and the numbers of the steps."""

    windows: list[tuple[int, int]]
    steps: set[int]


def attempts_of(lives: Iterable[tuple[str, Life]]) -> list[Attempt]:
    """Group the processes of a job by run id and restart, in order of time."""
    groups: dict[tuple[str, int], list[Life]] = defaultdict(list)
    for run, life in lives:
        groups[run, life.process.restart].append(life)
    found = [
        Attempt(
            run,
            restart,
            group,
            min(life.start for life in group),
            max(life.end for life in group),
            _first_steps(group),
        )
        for (run, restart), group in groups.items()
    ]
    return sorted(found, key=lambda attempt: (attempt.start, attempt.restart))


def _first_steps(lives: Iterable[Life]) -> dict[str, int]:
    found: dict[str, int] = {}
    for life in lives:
        for step in life.steps:
            role = life.process.role
            found[role] = min(found.get(role, step.number), step.number)
    return found


def follows(later: Attempt, earlier: Attempt) -> bool:
    """Whether an attempt is a restart of another one, and does not run beside it."""
    if later.run == earlier.run:
        return later.restart > earlier.restart
    return later.start >= earlier.end


def resumed_with(attempt: Attempt, attempts: Sequence[Attempt]) -> dict[str, int]:
    """The lowest step with which a later attempt went on, by role; empty when none did."""
    later = [other for other in attempts if follows(other, attempt)]
    if not later:
        return {}
    found = {role: _last_durable_step(attempt, role) + 1 for role in attempt.first_steps}
    resumed: dict[str, int] = {}
    for other in later:
        for role, first in other.first_steps.items():
            resumed[role] = min(resumed.get(role, first), first)
    return found | resumed


def lost_work(life: Life, resumed: int | None) -> Lost:
    """What a process did that had to be done again.

    Args:
        life: The process.
        resumed: The step with which a later attempt went on, None when there was none.
    """
    windows = _redone_within(life.steps)
    if resumed is not None:
        kept = _kept_until(life, resumed)
        windows = [(start, min(end, kept)) for start, end in windows if start < kept]
        windows.append((kept, life.end))
    steps = {
        step.number
        for step in life.steps
        if step.done and any(start <= step.start < end for start, end in windows)
    }
    return Lost(windows, steps)


def _last_durable_step(attempt: Attempt, role: str) -> int:
    """The last step whose checkpoint every rank that writes any had finished."""
    lives = [life for life in attempt.lives if life.process.role == role and life.steps]
    saved = [
        max((step.number for step in life.steps if step.start < life.checkpoint_end), default=None)
        for life in lives
        if life.checkpoint_end is not None
    ]
    known = [number for number in saved if number is not None]
    return min(known, default=attempt.first_steps[role] - 1)


def _redone_within(steps: Sequence[NumberedStep]) -> list[tuple[int, int]]:
    """The windows of time in which a process did steps that it did again later."""
    found: list[tuple[int, int]] = []
    lowest: int | None = None
    following: NumberedStep | None = None
    # From the end: a step is lost when one of the same or a lower number comes later.
    for step in reversed(steps):
        if following is None or lowest is None or step.number < lowest:
            lowest = step.number
        elif found and found[-1][0] == following.start:
            found[-1] = (step.start, found[-1][1])
        else:
            found.append((step.start, following.start))
        following = step
    return found[::-1]


def _kept_until(life: Life, first: int) -> int:
    """The end of the last step before `first`; the start of the process when there is none."""
    return max((step.end for step in life.steps if step.number < first), default=life.start)
