# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A typical step and the slowest one are found and shown as they were."""

from __future__ import annotations

import pytest
from synthetic_runs import Scenario, quiet, write_collector_file, write_run

from nemo.lens.cli.html.step_excerpts import MOST_RANKS, SLOWEST, TYPICAL, step_excerpts
from nemo.lens.runs import Run, collect


def excerpts(path, slow=()):
    run = Run(path)
    return {one.kind: one for one in step_excerpts(run, collect(run), slow)}


STALLED = Scenario(ranks=3, steps=20, noise=quiet, stalls={(1, 10): 0.2})


@pytest.mark.parametrize("nested", [False, True])
def test_the_slowest_step_shows_who_worked_and_who_waited(tmp_path, nested):
    """One lane per rank, and what was waiting is marked."""
    scenario = Scenario(ranks=3, steps=20, noise=quiet, stalls={(1, 10): 0.2}, nested=nested)
    found = excerpts(write_run(tmp_path, scenario))
    slowest = found[SLOWEST]
    assert (slowest.step, slowest.ranks) == (10, 3)
    assert slowest.length_s == pytest.approx(0.245, rel=0.1)
    waits = {
        lane.rank: sum(block.end_s - block.start_s for block in lane.blocks if block.waiting)
        for lane in slowest.lanes
    }
    assert waits[1] < 0.01
    assert waits[0] == pytest.approx(0.2, rel=0.1)
    assert found[TYPICAL].length_s == pytest.approx(0.045, rel=0.2)


def test_blocks_lie_within_their_lane(tmp_path):
    """In order, phases by their group."""
    for one in excerpts(write_run(tmp_path, STALLED)).values():
        for lane in one.lanes:
            assert [block.phase for block in lane.blocks if not block.waiting] == [
                "data_loading",
                "forward_backward",
                "optimizer",
            ]
            for block in lane.blocks:
                assert lane.start_s <= block.start_s <= block.end_s <= lane.end_s


def test_clock_offsets_between_hosts_are_removed(tmp_path):
    """A host that is three seconds ahead starts its step with the others."""
    scenario = Scenario(ranks=8, steps=20, noise=quiet, clock_offset_s={1: 3.0})
    assert excerpts(write_run(tmp_path, scenario))[TYPICAL].length_s < 0.1


def test_of_many_ranks_those_that_tell_most_are_shown(tmp_path):
    """The straggler, the busiest, the least busy, the lowest."""
    scenario = Scenario(ranks=40, steps=12, noise=quiet, slow={(23, "forward_backward"): 1.5})
    shown = excerpts(write_run(tmp_path, scenario), slow={("trainer", 23)})[TYPICAL]
    ranks = [lane.rank for lane in shown.lanes]
    assert shown.ranks == 40
    assert len(ranks) <= MOST_RANKS
    assert ranks == sorted(ranks)
    assert {0, 23} <= set(ranks)
    assert [lane.rank for lane in shown.lanes if lane.slow] == [23]


def test_files_of_a_collector_are_read_too(tmp_path):
    """Where processes have no folder of their own."""
    found = excerpts(write_collector_file(tmp_path / "spans.jsonl.gz", STALLED))
    assert found[SLOWEST].step == 10
    assert all(lane.blocks for lane in found[SLOWEST].lanes)


def test_the_first_step_is_taken_only_where_there_is_no_other(tmp_path):
    """It warms up."""
    one = Scenario(ranks=2, steps=1, run="one")
    assert set(excerpts(write_run(tmp_path, one))) == {TYPICAL}
    warm = Scenario(ranks=2, steps=20, stalls={(0, 1): 0.5}, run="warm")
    assert excerpts(write_run(tmp_path, warm))[SLOWEST].step != 1


def test_without_a_step_there_is_nothing_to_show(tmp_path):
    """An empty answer."""
    assert excerpts(write_run(tmp_path, Scenario(ranks=2, steps=0))) == {}
