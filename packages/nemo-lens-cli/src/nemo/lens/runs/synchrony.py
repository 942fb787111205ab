# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whether ranks step together, where no span says that they wait for each other.

Ranks that meet in each step share a moment in it, so their steps overlap in time, and the order in
which they end is drawn anew each time: what a rank was late at one step end it makes up by the
next. Ranks that do not meet keep their lead and add to it; their distance is a random walk, or it
grows.

The second is tested as in a Dickey-Fuller test: the change of the distance from step to step is
regressed on the distance before. The slope is -1 where ranks meet and 0 where they do not; by
chance it gets below -`_CHANCE` / steps in less than one of a hundred runs that do not meet, a line
taken out for drifting clocks included. In doubt the answer is no: a wrong yes would hold the lead
of one rank against another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.spreads import medians_of_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.runs.clocks import ClockOffset

_MIN_OVERLAPPING: Final = 0.9
_CHANCE: Final = 25.0
_MIN_SLOPE: Final = 0.3
# Clocks drift by tens of millionths; what drifts more is a rank that is slower.
_MAX_DRIFT: Final = 1e-3


class Stretch(NamedTuple):
    """When a rank did a step: its place, start and end in nanoseconds by its clock."""

    place: int
    start: int
    end: int


def are_synchronous(rows: Sequence[Sequence[Stretch]], offsets: Sequence[ClockOffset]) -> bool:
    """Whether the step times show that ranks meet in each step.

    Args:
        rows: Per step when each rank did it.
        offsets: How far the clock of each rank is ahead, by place.
    """
    if not rows or any(abs(offset.drift) > _MAX_DRIFT for offset in offsets):
        return False
    overlapping = sum(_overlap(row, offsets) for row in rows)
    if overlapping < _MIN_OVERLAPPING * len(rows):
        return False
    slope, steps = _slope(_distances(rows, offsets))
    return steps > 0 and slope <= -max(_MIN_SLOPE, _CHANCE / steps)


def _overlap(row: Sequence[Stretch], offsets: Sequence[ClockOffset]) -> bool:
    last_start = max(start - round(offsets[place].at(start)) for place, start, _end in row)
    first_end = min(end - round(offsets[place].at(end)) for place, _start, end in row)
    return last_start <= first_end


def _distances(
    rows: Sequence[Sequence[Stretch]], offsets: Sequence[ClockOffset]
) -> list[list[float]]:
    """By place, how much later than the other ranks it ended each step, in nanoseconds."""
    found: list[list[float]] = [[] for _offset in offsets]
    for row in rows:
        base = row[0].end
        ends = [each.end - base - offsets[each.place].at(each.end) for each in row]
        for each, end, others in zip(row, ends, medians_of_others(ends), strict=True):
            found[each.place].append(end - others)
    return found


def _slope(series: Sequence[Sequence[float]]) -> tuple[float, int]:
    """The slope of the change on the value before, over all series, and how long the longest is."""
    product = square = 0.0
    for values in series:
        before, after = values[:-1], values[1:]
        if not before:
            continue
        middle = sum(before) / len(before)
        product += sum((a - b) * (b - middle) for b, a in zip(before, after, strict=True))
        square += sum((b - middle) ** 2 for b in before)
    steps = max((len(values) - 1 for values in series), default=0)
    return (product / square if square else 0.0), steps
