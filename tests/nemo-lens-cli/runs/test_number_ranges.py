# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Ranges of ranks and steps."""

from __future__ import annotations

import pytest

from nemo.lens.runs.number_ranges import NumberRanges


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [("7", {7}, {6, 8}), ("0,3-5", {0, 3, 4, 5}, {1, 2, 6}), (" 1 - 2 , 9 ", {1, 2, 9}, {3})],
)
def test_both_ends_are_inside(text, inside, outside):
    """As a person means it."""
    ranges = NumberRanges(text)
    assert all(number in ranges for number in inside)
    assert not any(number in ranges for number in outside)
    assert str(ranges) == text


@pytest.mark.parametrize("text", ["", "x", "1-", "-1", "1,,2", "1.5", "1-2-3", "٣", "9" * 30])
def test_what_is_no_number_is_refused(text):
    """In one line that shows how to write it."""
    with pytest.raises(ValueError, match=r"write e\.g\. 7 or 0,3-5"):
        NumberRanges(text)


def test_a_range_that_is_turned_is_refused():
    """It would silently be empty."""
    with pytest.raises(ValueError, match="'5-3' ends before it begins; write 3-5"):
        NumberRanges("1,5-3")
