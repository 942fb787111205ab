# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Own work and waiting of one rank, step by step, in columns; seconds."""

from __future__ import annotations

from array import array
from operator import add
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.step_table import StepTable

NANO: Final = 1e9


class WorkColumns:
    """What each step of a rank consists of, by place in its table of steps.

    Named work since the step before counts to the step.

    Args:
        steps: The steps of the rank.

    Attributes:
        phases: Own work by phase, 0 where a step has none of it.
        own: Their sum; where waiting is not marked, all of the step.
        wait: Waiting for others.
    """

    __slots__ = ("own", "phases", "wait")

    def __init__(self, steps: StepTable) -> None:
        nothing: array[int] = array("q", bytes(8 * len(steps)))
        own = waited = nothing
        self.phases: dict[str, array[float]] = {}
        for phase, column in steps.parts().items():
            if phase.waiting:
                waited = _sum(waited, column)
            else:
                own = _sum(own, column)
                self.phases[phase.label] = _seconds(column)
        self.own = _seconds(own)
        self.wait = _seconds(waited)

    def absent(self, label: str) -> bool:
        """Whether any step lacks a phase."""
        column = self.phases.get(label)
        return column is None or 0.0 in column


def _sum(one: array[int], other: array[int]) -> array[int]:
    return array("q", map(add, one, other))


def _seconds(nanoseconds: Iterable[int]) -> array[float]:
    return array("d", [value / NANO for value in nanoseconds])
