# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How sure a difference between two series is: a block bootstrap on their typical values.

Values of neighbouring steps resemble each other, so blocks of neighbours are drawn, not single
values. For the bounds long series are condensed to a hundred values, each typical of its
neighbours, which keeps the cost of a comparison the same for a hundred steps and for a million.
What was found comes from all values: condensed ones lie elsewhere where every third step takes
twice as long, and runs of unequal lengths would seem to differ.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.spreads import percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

RESAMPLES: Final = 2000
_MOST_VALUES: Final = 100
_SEED: Final = 20_260


class Difference(NamedTuple):
    """How much a series lies above another, and between which bounds that is to be believed.

    Attributes:
        before: Typical value of the first series.
        after: Typical value of the second.
        low: Lower bound of `after - before`.
        high: Upper bound.
    """

    before: float
    after: float
    low: float
    high: float

    @property
    def change(self) -> float:
        """What was found: `after - before`."""
        return self.after - self.before

    @property
    def is_sure(self) -> bool:
        """Whether the bounds leave out that there is no difference."""
        return self.low > 0 or self.high < 0


def difference(before: Sequence[float], after: Sequence[float], *, confidence: float) -> Difference:
    """Compare the typical values of two series.

    Args:
        before: Values in order of time, at least one.
        after: The same of the other run.
        confidence: The share of resamples that the bounds hold, e.g. 0.95.

    Returns:
        The same for the same values each time: the resampling is seeded.
    """
    found = Difference(typical(before), typical(after), 0.0, 0.0)
    first, second = _condensed(before), _condensed(after)
    moved = found.change - (typical(second) - typical(first))
    rng = random.Random(_SEED)  # noqa: S311 - nothing secret
    drawn = sorted(
        typical(_resample(second, rng)) - typical(_resample(first, rng)) for _ in range(RESAMPLES)
    )
    tail = (1 - confidence) / 2
    return found._replace(
        low=percentile(drawn, tail) + moved, high=percentile(drawn, 1 - tail) + moved
    )


def typical(values: Sequence[float]) -> float:
    """The mean of the middle half: as robust as is needed, and steadier than the median."""
    ordered = sorted(values)
    cut = len(ordered) // 4
    middle = ordered[cut : len(ordered) - cut]
    return math.fsum(middle) / len(middle)


def _condensed(values: Sequence[float]) -> Sequence[float]:
    count = len(values)
    if count <= _MOST_VALUES:
        return values
    edges = [place * count // _MOST_VALUES for place in range(_MOST_VALUES + 1)]
    return [typical(values[edges[place] : edges[place + 1]]) for place in range(_MOST_VALUES)]


def _resample(values: Sequence[float], rng: random.Random) -> list[float]:
    """As many values, drawn in blocks of neighbours."""
    count = len(values)
    block = max(1, round(count ** (1 / 3)))
    drawn: list[float] = []
    while len(drawn) < count:
        start = rng.randrange(count - block + 1)
        drawn += values[start : start + block]
    return drawn[:count]
