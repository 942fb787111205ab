# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Differences between series, and how sure they are."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemo.lens.runs.bootstrap import difference, typical

FINITE = st.floats(-1e9, 1e9)


def noisy(seed, mean, count=200):
    rng = random.Random(seed)
    return [rng.gauss(mean, 0.05 * mean) for _ in range(count)]


def test_the_typical_value_is_that_of_the_middle_half():
    """A few stalls do not move it."""
    assert typical([1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 1000.0, 0.0]) == pytest.approx(2.0)
    assert typical([7.0]) == 7.0


@settings(deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=300), st.lists(FINITE, min_size=1, max_size=300))
def test_bounds_are_ordered_and_the_same_each_time(before, after):
    """Any two series can be compared."""
    found = difference(before, after, confidence=0.9)
    assert found.low <= found.high
    assert found == difference(before, after, confidence=0.9)


def test_bounds_of_equal_series_hold_zero_about_as_often_as_they_promise():
    """Of 60 pairs at 90 %, about 6 are wrong; 15 would be a broken bootstrap."""
    wrong = sum(
        difference(noisy(seed, 1.0), noisy(seed + 1000, 1.0), confidence=0.9).is_sure
        for seed in range(60)
    )
    assert 1 <= wrong <= 15


def test_a_real_difference_is_sure():
    """Three percent among five percent of noise."""
    found = difference(noisy(1, 1.0), noisy(2, 1.03), confidence=0.99)
    assert found.is_sure
    assert found.low <= found.change <= found.high
    assert found.change == pytest.approx(0.03, abs=0.015)


def test_slow_drift_makes_bounds_wider():
    """Neighbours that resemble each other say less than as many independent values."""
    independent = noisy(3, 1.0, 100)
    drifting = sorted(independent)
    wide, narrow = (
        difference(independent, other, confidence=0.95) for other in (drifting, independent)
    )
    assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)


@pytest.mark.parametrize("counts", [(60, 1000), (99, 150), (300, 3000)])
def test_a_longer_run_of_the_same_is_no_other(counts):
    """Every third step takes twice as long, in a short run and in a long one."""
    wrong = 0
    for seed in range(20):
        rng = random.Random(seed)
        before, after = (
            [(1 + (step % 3 == 0)) * rng.gauss(1, 0.01) for step in range(count)]
            for count in counts
        )
        found = difference(before, after, confidence=0.99)
        wrong += found.is_sure and abs(found.change) > 0.02 * found.before
    assert wrong <= 1
