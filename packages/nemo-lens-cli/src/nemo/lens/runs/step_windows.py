# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""When chosen steps ran, over all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.runs.problems import RunError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.host_clocks import HostClocks
    from nemo.lens.runs.number_ranges import NumberRanges
    from nemo.lens.runs.step_records import ProcessRecord


class Windows:
    """Periods of time; without any, all of time.

    Args:
        periods: Start and end of each, in order and apart; None for all of time.
    """

    def __init__(self, periods: list[tuple[int, int]] | None) -> None:
        self._periods = periods

    def cut(self, start: int, end: int) -> tuple[int, int] | None:
        """The part of a span from the first to the last period that it touches, None for none."""
        if self._periods is None:
            return start, end
        touched = [
            (max(start, first), min(end, last))
            for first, last in self._periods
            if start <= last and end >= first
        ]
        return (touched[0][0], touched[-1][1]) if touched else None

    def __contains__(self, moment: int) -> bool:
        return self.cut(moment, moment) is not None


def step_windows(
    records: Iterable[ProcessRecord], clocks: HostClocks, steps: NumberRanges | None
) -> Windows:
    """When steps ran, from the first rank that began one to the last that ended it.

    Raises:
        RunError: There are no such steps.
    """
    if steps is None:
        return Windows(None)
    periods: list[tuple[int, int]] = []
    numbers: set[int] = set()
    for record in records:
        for step in record.steps:
            numbers.add(step.step)
            if step.step in steps:
                start, end = (clocks.aligned(record.process, at) for at in (step.start, step.end))
                periods.append((start, end))
    if not periods:
        there = f"{min(numbers):,} to {max(numbers):,}" if numbers else "none"
        raise RunError(f"no step {steps} in this run; its steps: {there}")
    return Windows(_joined(periods))


def _joined(periods: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(periods):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
