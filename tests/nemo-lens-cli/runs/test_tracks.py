# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans on tracks: nested or one after another, and never under a stranger."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.runs.tracks import pack


@st.composite
def forests(draw):
    """Any spans, with any earlier one as parent, whether it encloses them or not."""
    count = draw(st.integers(0, 40))
    spans = []
    for number in range(count):
        parent = draw(st.integers(-1, number - 1)) if number else -1
        start = draw(st.integers(0, 50))
        spans.append((str(number), str(parent), start, start + draw(st.integers(0, 30))))
    return draw(st.permutations(spans))


@given(forests())
def test_on_each_track_spans_are_nested_in_their_parents_or_apart(spans):
    """Whatever overlaps whatever."""
    placed = pack(spans)
    assert sorted(one.place for one in placed) == list(range(len(spans)))
    for track in {one.track for one in placed}:
        open_spans = []
        for one in (one for one in placed if one.track == track):
            while open_spans and open_spans[-1].end <= one.start:
                open_spans.pop()
            if open_spans:
                assert one.parent == open_spans[-1].span_id
                assert one.end <= open_spans[-1].end
            open_spans.append(one)


def test_a_thread_of_nested_spans_needs_one_track():
    """The usual case, exported inside out, all of one length."""
    placed = pack([("c", "b", 0, 9), ("b", "a", 0, 9), ("a", "", 0, 9), ("d", "a", 9, 9)])
    assert [(one.span_id, one.track) for one in placed] == [
        ("a", 0),
        ("b", 0),
        ("c", 0),
        ("d", 0),
    ]


def test_concurrent_tasks_get_tracks_of_their_own():
    """Their children stay under them."""
    spans = [
        ("root", "", 0, 100),
        ("left", "root", 10, 60),
        ("right", "root", 20, 70),
        ("below", "right", 30, 40),
        ("next", "root", 75, 80),
    ]
    assert {one.span_id: one.track for one in pack(spans)} == {
        "root": 0,
        "left": 0,
        "right": 1,
        "below": 1,
        "next": 0,
    }
