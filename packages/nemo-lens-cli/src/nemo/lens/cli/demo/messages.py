# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a rank tells the launcher, and what the launcher tells a rank; plain picklable records."""

from __future__ import annotations

from typing import NamedTuple

_HANG_STEP = 21


class TrainingPlan(NamedTuple):
    """What to train, given to every rank.

    Attributes:
        directory: Where runs are kept.
        run_id: Name of this run.
        world_size: Number of ranks.
        steps: Training steps.
        slow_rank: The rank that does its forward and backward pass twice, or None.
        crash_after: The step after which the last rank of the first attempt is killed, or None.
        restart: Which attempt this is, 0 for the first.
        hang_rank: The rank that hangs in the forward and backward pass of `hang_step`, or None.
        first_step: The step with which it begins; those before it are in the loaded checkpoint.
    """

    directory: str
    run_id: str
    world_size: int
    steps: int
    slow_rank: int | None
    crash_after: int | None = None
    hang_rank: int | None = None
    restart: int = 0
    first_step: int = 1

    @property
    def hang_step(self) -> int:
        """The step in which a rank hangs: soon, and after a few to compare it with."""
        return min(_HANG_STEP, self.steps)


class Progress(NamedTuple):
    """Rank 0 finished a step; ``loss`` is the mean over the global batch."""

    step: int
    loss: float


class Evaluated(NamedTuple):
    """Rank 0 knows how many held-out examples the model got right after ``step``."""

    step: int
    correct: int
    total: int


class Stopped(NamedTuple):
    """A rank ends early.

    Attributes:
        reason: One line for a person.
        traceback: The whole story for a fault of the program; empty when another rank was lost.
    """

    reason: str
    traceback: str


Message = Progress | Evaluated | Stopped
