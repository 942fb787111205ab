# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The rule that tells a straggler from noise.

The measure. In a synchronous step every rank's wall time is that of the slowest; what differs is
the rank's own work, its step time less its waiting. In each step, the *excess* of a rank is its
own work less the median of the own work of all the other ranks. The first step is left out: it
warms up.

A rank is a **chronic** straggler when, over at least `MIN_STEPS` compared steps, all of this
holds:

- the median excess is at least a tenth of the others' own work (less is nothing to act on);
- it is large against the step-to-step noise of the other ranks: at least 0.75 of its standard
  deviation, and beyond what the median over that many steps would reach by chance in one of a
  thousand runs with that many ranks. Steps count less where noise lasts (a rank that is starved
  in one step is likely starved in the next): the correlation of neighbouring steps says how many
  independent steps there are;
- the excess is positive in at least 70 % of the steps: being scheduled badly hits a different
  rank each time, being slow hits the same one;
- it holds throughout: in at least three quarters of the run, each with at least a quarter of the
  excess. A machine that starves one process for a while does not do so all the time.

A rank is a straggler **once** when, over at least `ONCE_MIN_STEPS` steps, single steps of it stand
out, although it is not chronic. The excess of such a step must last at least a second and twice
the own work of a step (below that, a busy machine explains it: a full run queue, a slow disk), be
three times as large as any excess of another rank, and be larger than the run's own noise brings
about once in two thousand such runs. The last is extrapolated from the other large excesses of the
run by their tail index (Hill's estimator), so that heavy-tailed noise, which has rare large values
by nature, raises the bar by itself. Where half of the ranks or more are chronic, nobody is judged:
the others are no measure then. Phases that only a few ranks have in that step, such as a
checkpoint written by rank 0 for all, are nobody's fault and not counted here.
"""

from __future__ import annotations

import heapq
import math
from array import array
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.spreads import deviation, median

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_STEPS: Final = 8
MIN_SHARE: Final = 0.10
MIN_NOISE: Final = 0.75
CHANCE: Final = 0.001
# The standard error of a median over n steps is this times sigma / sqrt(n).
_MEDIAN_ERROR: Final = 1.2533
_MAX_CORRELATION: Final = 0.98
MIN_POSITIVE: Final = 0.70
QUARTERS: Final = 4
MIN_QUARTERS: Final = 3
ONCE_MIN_SHARE: Final = 2.0
ONCE_MIN_S: Final = 1.0
ONCE_CHANCE: Final = 0.0005
ONCE_MIN_STEPS: Final = 20
ONCE_AHEAD: Final = 3.0
_TAIL: Final = 10
_MIN_TAIL: Final = 3
_TAIL_SHARE: Final = 20
_LARGEST: Final = 1000
# Of two ranks, the excess of one is the lack of the other: a tail needs the steps of both.
_ENOUGH_RANKS: Final = 3


def _seconds() -> array[float]:
    return array("d")


@dataclass(frozen=True)
class Excess:
    """The excess of one rank over the median of the others.

    Attributes:
        all_s: Seconds per compared step, in order, every phase counted.
        shared_s: The same, phases that only a few ranks had left out.
        others_s: Own work of the others in the same steps (their median).
        steps: The numbers of these steps.
    """

    all_s: array[float] = field(default_factory=_seconds)
    shared_s: array[float] = field(default_factory=_seconds)
    others_s: array[float] = field(default_factory=_seconds)
    steps: array[int] = field(default_factory=lambda: array("q"))

    def add(self, all_s: float, shared_s: float, others_s: float, step: int) -> None:
        """Take in the next step."""
        self.all_s.append(all_s)
        self.shared_s.append(shared_s)
        self.others_s.append(others_s)
        self.steps.append(step)


def chronic(members: Sequence[Excess]) -> dict[int, float]:
    """The ranks that are slow all along.

    Args:
        members: One entry per rank.

    Returns:
        The median excess in seconds per step by place in `members`.
    """
    certainty = _MEDIAN_ERROR * math.sqrt(2 * math.log(len(members) / CHANCE)) if members else 0.0
    judged = {
        place: _Noise.of(member.all_s)
        for place, member in enumerate(members)
        if len(member.all_s) >= MIN_STEPS
    }
    found: dict[int, float] = {}
    for place in judged:
        member = members[place]
        excess = median(member.all_s)
        # Looked at first: it rules out almost everybody and costs nothing.
        if excess <= 0 or excess < MIN_SHARE * median(member.others_s):
            continue
        others = [noise for other, noise in judged.items() if other != place]
        needed = max(MIN_NOISE, certainty / math.sqrt(_independent(len(member.all_s), others)))
        noise = median(noise.deviation for noise in others)
        if excess >= needed * noise and _steady(member.all_s, excess):
            found[place] = excess
    return found


@dataclass(frozen=True)
class _Noise:
    """How a rank's excess varies from step to step.

    Attributes:
        deviation: Its standard deviation in seconds.
        agreement: Mean of +1 for neighbouring steps on the same side of the median, -1 otherwise.
    """

    deviation: float
    agreement: float

    @classmethod
    def of(cls, values: Sequence[float]) -> _Noise:
        middle = median(values)
        above = [value > middle for value in values]
        same = sum(sooner == later for sooner, later in pairwise(above))
        return cls(deviation(values), 2 * same / (len(values) - 1) - 1)


def _independent(steps: int, noises: list[_Noise]) -> float:
    """How many independent steps hold as much as `steps` correlated ones."""
    if not noises:
        return float(steps)
    agreement = sum(noise.agreement for noise in noises) / len(noises)
    # For a normal distribution, agreement in sign tells the correlation.
    correlation = max(math.sin(math.pi / 2 * agreement), 0.0)
    # A short series shows less of its correlation than there is, by about this much.
    correlation = min(correlation + (1 + 3 * correlation) / steps, _MAX_CORRELATION)
    return max(1.0, steps * (1 - correlation) / (1 + correlation))


def _steady(values: Sequence[float], excess: float) -> bool:
    positive = sum(value > 0 for value in values)
    if positive < MIN_POSITIVE * len(values):
        return False
    bounds = [len(values) * quarter // QUARTERS for quarter in range(QUARTERS + 1)]
    holding = sum(median(values[start:end]) >= excess / QUARTERS for start, end in pairwise(bounds))
    return holding >= MIN_QUARTERS


def once(members: Sequence[Excess], leave_out: frozenset[int]) -> dict[int, list[int]]:
    """The ranks that held up single steps.

    Args:
        members: One entry per rank.
        leave_out: Places that are chronic already; they are not judged, and their excess is no
            noise.

    Returns:
        Indices into `shared_s` by place in `members`.
    """
    if 2 * len(leave_out) >= len(members):
        return {}
    # Found in each rank first: one list of all steps of all ranks would be large.
    largest = heapq.nlargest(
        _LARGEST,
        (
            (value, place, index)
            for place, member in enumerate(members)
            if place not in leave_out
            for value, index in _largest(member.shared_s)
        ),
    )
    count = sum(
        sum(value > 0 for value in member.shared_s)
        for place, member in enumerate(members)
        if place not in leave_out
    )
    typical = [median(member.others_s) for member in members]
    found: dict[int, list[int]] = {}
    for value, place, index in largest:
        if value < max(ONCE_MIN_S, ONCE_MIN_SHARE * typical[place]):
            continue
        if len(members[place].shared_s) < ONCE_MIN_STEPS:
            continue
        others = [other for other, owner, _index in largest if owner != place and other > 0]
        tail = others
        if len(members) < _ENOUGH_RANKS:
            tail = [other for other, *where in largest if other > 0 and where != [place, index]]
        if value >= max(_rare(tail, count), ONCE_AHEAD * next(iter(others), 0.0)):
            found.setdefault(place, []).append(index)
    return {place: sorted(indices) for place, indices in found.items()}


def _largest(values: Sequence[float]) -> list[tuple[float, int]]:
    return heapq.nlargest(_LARGEST, zip(values, range(len(values)), strict=True))


def _rare(tail: list[float], count: int) -> float:
    """The value that noise with this tail exceeds once in 1 / `ONCE_CHANCE` runs."""
    length = min(_TAIL, max(_MIN_TAIL, count // _TAIL_SHARE), len(tail) - 1)
    if length < 1:
        return 0.0
    edge = tail[length]
    index = sum(math.log(value / edge) for value in tail[:length]) / length
    # One standard error more: a tail known from few values may be heavier than it looks.
    index *= 1 + 1 / math.sqrt(length)
    return edge * math.pow(length / ONCE_CHANCE, index)
