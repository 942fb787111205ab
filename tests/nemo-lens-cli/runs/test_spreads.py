# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Percentiles, medians and the median of all others."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemo.lens.runs.spreads import deviation, medians_of_others, percentile, spread

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12)


@settings(deadline=None)
@given(values=NUMBERS, share=st.floats(0, 1))
def test_percentiles_are_those_of_numpy(values, share):
    """Linear interpolation, as everybody expects."""
    expected = float(np.percentile(values, share * 100))
    assert percentile(sorted(values), share) == pytest.approx(expected, rel=1e-9, abs=1e-6)


@settings(deadline=None)
@given(NUMBERS)
def test_the_median_of_all_others_is_that_without_the_value(values):
    """Computed for all values at once, equal to leaving one out."""
    for place, found in enumerate(medians_of_others(values)):
        others = values[:place] + values[place + 1 :]
        assert found == pytest.approx(statistics.median(others), rel=1e-12, abs=1e-9)


def test_a_lone_value_has_no_others():
    """There is nothing to compare it with."""
    assert medians_of_others([3.0]) == [0.0]


def test_one_outlier_does_not_move_the_deviation():
    """That is what a robust measure is for."""
    values = [float(value) for value in range(100)]
    assert deviation([*values, 1e9]) == pytest.approx(deviation(values), rel=0.2)


def test_no_values_are_all_zero():
    """An empty spread is a spread of nothing, not an error."""
    assert spread([]).count == 0
    assert spread([]).p99 == 0.0
