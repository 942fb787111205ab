# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Percentiles and medians on plain lists."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.answers import Middle, Spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The median absolute deviation times this is the standard deviation of a normal distribution.
_NORMAL_MAD: Final = 1.4826


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of a sorted sequence lies, interpolated; 0.0 when empty."""
    if not ordered:
        return 0.0
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def median(values: Iterable[float]) -> float:
    """The median; 0.0 when empty."""
    return percentile(sorted(values), 0.5)


def deviation(values: Sequence[float]) -> float:
    """A standard deviation that single outliers do not move (from the median deviation)."""
    middle = median(values)
    return _NORMAL_MAD * median(abs(value - middle) for value in values)


def spread(values: Iterable[float]) -> Spread:
    """All percentiles that the answers show."""
    ordered = sorted(values)
    if not ordered:
        return Spread(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Spread(
        count=len(ordered),
        min=ordered[0],
        p50=percentile(ordered, 0.5),
        p90=percentile(ordered, 0.9),
        p99=percentile(ordered, 0.99),
        max=ordered[-1],
        total=math.fsum(ordered),
    )


def middle(values: Iterable[float]) -> Middle:
    """The typical and the high value."""
    ordered = sorted(values)
    return Middle(p50=percentile(ordered, 0.5), p90=percentile(ordered, 0.9))


def median_of_others(ordered: Sequence[float], value: float) -> float:
    """The median of a sorted sequence without one occurrence of a value that is in it."""
    others = len(ordered) - 1
    if others < 1:
        return 0.0
    place = bisect_left(ordered, value)
    low, high = (others - 1) // 2, others // 2
    # Taking out one value moves everything behind it one place to the front.
    lower = ordered[low if low < place else low + 1]
    upper = ordered[high if high < place else high + 1]
    return (lower + upper) / 2


def medians_of_others(values: Sequence[float]) -> list[float]:
    """For each value the median of all the others, in O(n log n) for all of them."""
    ordered = sorted(values)
    return [median_of_others(ordered, value) for value in values]
