# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Exclusive time: parts of a step sum to it, waiting is told from work, nothing counts twice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from nemo.lens.runs.phases import Covered, Kind, Node, Phase, split


def node(start, end, label, *, waiting=False, span_id=None):
    kind = Kind(Phase(label, waiting), f"demo.{label}")
    return Node(start, end, span_id or f"{label}{start}", kind)


STEP = node(0, 100, "demo.step")


def parts(*inside, **children):
    found, _released = split(STEP, inside, children)
    return {(phase.label, phase.waiting): length for phase, length in found.items()}


def test_phases_and_the_rest_sum_to_the_step():
    """What no phase covers is the step's own."""
    found = parts(node(10, 40, "work"), node(50, 60, "work"))
    assert found == {("work", False): 40, ("demo.step", False): 60}


def test_nested_phases_are_not_counted_twice():
    """A span within a phase belongs to that phase."""
    inner = node(15, 25, "layer")
    found = parts(node(10, 40, "work", span_id="w"), w=[inner])
    assert found == {("work", False): 30, ("demo.step", False): 70}


def test_waiting_within_a_phase_is_taken_out_of_it():
    """However deep it lies, and only once when waits are nested."""
    children = {
        "w": [node(15, 35, "layer", span_id="l")],
        "l": [node(20, 30, "communication", waiting=True, span_id="c")],
        "c": [node(22, 28, "communication", waiting=True)],
    }
    found, released = split(STEP, [node(10, 40, "work", span_id="w")], children)
    assert found == {
        Phase("communication", waiting=True): 10,
        Phase("work", waiting=False): 20,
        Phase("demo.step", waiting=False): 70,
    }
    assert released == 30
    assert children == {}


def test_a_rank_that_computes_while_a_transfer_runs_does_not_wait():
    """Where waiting and work overlap, it is work."""
    found = parts(node(0, 80, "communication", waiting=True), node(20, 70, "work"))
    assert found == {
        ("work", False): 50,
        ("communication", True): 30,
        ("demo.step", False): 20,
    }


def test_a_child_that_outlives_the_step_counts_to_its_end():
    """Asynchronous work is cut at the step."""
    assert parts(node(90, 300, "work")) == {("work", False): 10, ("demo.step", False): 90}


NODES = st.lists(
    st.builds(
        lambda start, length, label, waiting: node(start, start + length, label, waiting=waiting),
        st.integers(-20, 110),
        st.integers(0, 130),
        st.sampled_from("abc"),
        st.booleans(),
    ),
    max_size=6,
)


@settings(deadline=None)
@given(inside=NODES, below=NODES)
def test_whatever_the_spans_the_parts_sum_to_the_duration(inside, below):
    """To the nanosecond, with no negative part, for overlapping and nested spans."""
    children = {found.span_id: list(below) for found in inside[:2]}
    found, released = split(STEP, inside, children)
    assert sum(found.values()) == 100
    assert all(length > 0 for length in found.values())
    assert 0 <= released <= 100


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: tuple(sorted(pair)))
    )
)
def test_covered_time_is_the_union(intervals):
    """Adding intervals in any order covers each instant once."""
    covered = Covered()
    total = sum(covered.add(start, end) for start, end in intervals)
    assert total == len({instant for start, end in intervals for instant in range(start, end)})
