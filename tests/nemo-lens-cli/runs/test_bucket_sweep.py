# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Every instant in exactly one bucket: by example, and against an oracle that looks at each."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from nemo.lens.runs.bucket_sweep import Classified, sweep

BUCKETS = ("productive", "overhead", "idle", "wasted")
LIFE = 24


def span(name, start, end, bucket, parent=""):
    return Classified(start, end, name, parent, bucket, name)


def parents_of(spans):
    return {each.span_id: each.parent for each in spans}


def test_the_innermost_span_wins():
    """A wait within a phase within a step."""
    spans = [
        span("step", 0, 100, "productive"),
        span("checkpoint", 10, 60, "overhead", "step"),
        span("barrier", 20, 30, "idle", "checkpoint"),
    ]
    assert sweep(spans, parents_of(spans)).sums() == {
        ("productive", "step"): 50,
        ("overhead", "checkpoint"): 40,
        ("idle", "barrier"): 10,
    }


def test_a_span_without_a_bucket_does_not_break_the_nesting():
    """The spans around it are found through it."""
    spans = [span("step", 0, 10, "productive"), span("wait", 2, 5, "idle", "detail")]
    assert sweep(spans, {"step": "", "detail": "step", "wait": "detail"}).sums() == {
        ("productive", "step"): 7,
        ("idle", "wait"): 3,
    }


def test_work_beside_a_background_checkpoint_is_productive():
    """Another thread's span does not hide what is no parent of it, whenever it started."""
    spans = [span("forward", 10, 20, "productive"), span("save", 5, 25, "overhead")]
    assert sweep(spans, parents_of(spans)).sums() == {
        ("productive", "forward"): 10,
        ("overhead", "save"): 10,
    }


def test_work_in_a_lost_window_is_wasted_and_the_rest_stays():
    """Cut to the nanosecond."""
    spans = [span("step", 0, 10, "productive"), span("save", 10, 20, "overhead")]
    assert sweep(spans, parents_of(spans)).sums([(7, 15)]) == {
        ("productive", "step"): 7,
        ("wasted", "step"): 3,
        ("overhead", "save"): 10,
    }


@st.composite
def spans_of_a_process(draw):
    """Spans with any parents, those that outlive them and those in a circle included."""
    names = [f"s{number}" for number in range(draw(st.integers(0, 8)))]
    found = []
    for name in names:
        start, end = sorted(draw(st.tuples(*[st.integers(0, LIFE)] * 2)))
        bucket = draw(st.sampled_from(BUCKETS))
        parent = draw(st.sampled_from(["", "elsewhere", *names]))
        found.append(Classified(start, end, name, parent, bucket, name))
    return found


def ancestors(each, by_id, *, limit=20):
    found = []
    while (each := by_id.get(each.parent)) is not None and len(found) < limit:
        found.append(each.span_id)
    return found


@settings(deadline=None)
@given(spans=spans_of_a_process(), edges=st.lists(st.integers(0, LIFE), max_size=4, unique=True))
def test_all_covered_time_is_divided_and_none_twice(spans, edges):
    """Whatever overlaps whatever: the sum is the time in which at least one span runs."""
    edges = sorted(edges)
    windows = list(zip(edges[::2], edges[1::2], strict=False))
    found = sweep(spans, parents_of(spans)).sums(windows)
    covered = {moment for each in spans for moment in range(each.start, each.end)}
    assert sum(found.values()) == len(covered)
    assert all(length > 0 for length in found.values())


@settings(deadline=None)
@given(spans=spans_of_a_process(), edges=st.lists(st.integers(0, LIFE), max_size=4, unique=True))
def test_each_instant_goes_to_the_innermost_and_then_the_best(spans, edges):
    """Compared with looking at each instant by itself, where nobody is its own ancestor."""
    by_id = {each.span_id: each for each in spans}
    if any(each.span_id in ancestors(each, by_id) for each in spans):
        return
    edges = sorted(edges)
    windows = list(zip(edges[::2], edges[1::2], strict=False))
    expected = Counter()
    for moment in range(LIFE):
        running = [each for each in spans if each.start <= moment < each.end]
        around = {above for each in running for above in ancestors(each, by_id)}
        visible = [each for each in running if each.span_id not in around]
        if visible:
            best = min(BUCKETS.index(each.bucket) for each in visible)
            lost = any(start <= moment < end for start, end in windows)
            expected["wasted" if lost and best == 0 else BUCKETS[best]] += 1
    found = Counter()
    for (bucket, _part), length in sweep(spans, parents_of(spans)).sums(windows).items():
        found[bucket] += length
    assert found == expected
