# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Numbers as text."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.runs.quantities import duration, number, plural, share, signed_duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (3.2e-7, "0.320 us"),
        (4.5e-5, "45.0 us"),
        (0.0314, "31.4 ms"),
        (0.9996, "1.00 s"),
        (1.5, "1.50 s"),
        (59.97, "1 min"),
        (125, "2 min 5 s"),
        (3600, "1 h"),
        (90_000, "1 d 1 h"),
        (-0.002, "-2.00 ms"),
        (-125, "-2 min 5 s"),
        (math.inf, "inf"),
    ],
)
def test_durations_choose_a_readable_unit(seconds, text):
    """Three digits and a unit; above a minute the two largest units."""
    assert duration(seconds) == text


@given(st.floats(1e-6, 50))
def test_short_durations_are_exact_to_three_digits(seconds):
    """Reading the text back is off by half of the third digit at most, in no more than 7 columns."""
    text = duration(seconds)

    value, unit = text.split()
    scale = {"s": 1, "ms": 1e-3, "us": 1e-6}[unit]
    assert math.isclose(float(value) * scale, seconds, rel_tol=0.0051)
    assert re.fullmatch(r"[\d.]{3,4} (s|ms|us)", text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (3.0, "3"),
        (1234567, "1,234,567"),
        (0.048712, "0.04871"),
        (12345.6, "12,346"),
        (2.5e-7, "2.5e-07"),
        (math.nan, "nan"),
    ],
)
def test_numbers_keep_four_digits(value, text):
    """Whole numbers are printed in full, others with four significant digits."""
    assert number(value) == text


@pytest.mark.parametrize(("value", "text"), [(0, "0%"), (0.001, "<1%"), (0.42, "42%"), (1, "100%")])
def test_small_shares_do_not_become_zero(value, text):
    """What is there is never shown as 0%."""
    assert share(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.002, "+2.00 ms"), (0, "0 s"), (-0.002, "-2.00 ms")]
)
def test_offsets_carry_their_sign(seconds, text):
    """Ahead is plus, behind is minus."""
    assert signed_duration(seconds) == text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((1, "rank"), "1 rank"),
        ((1200, "rank"), "1,200 ranks"),
        ((2, "process", "processes"), "2 processes"),
    ],
)
def test_nouns_follow_their_count(arguments, text):
    """One of something is singular."""
    assert plural(*arguments) == text
