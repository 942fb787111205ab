# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The generator itself: what it writes is what it says."""

from __future__ import annotations

import pytest
from synthetic_runs import TROUBLES, Scenario, draw, make_run, play, restarted

from nemo.lens.runs import Run

CRASH = Scenario(
    killed={2: 31},
    ended_by="SIGTERM",
    checkpoint_every=10,
    checkpoint_by="all",
    evaluate_every=15,
    init_s=1.0,
    job=True,
    job_uuid="5f0f6d44-8d5e-5a0e-9a59-5d0a4f1f3d6b",
)


def test_activities_tell_the_life_of_a_rank_without_a_gap():
    """From the start of the process to its end, whatever goes wrong."""
    for scenario in (
        Scenario(steps=5),
        CRASH,
        Scenario(hung={1: 7}, ended_by="SIGKILL", clock_offset_s={0: 3.0}, between_s=0.01),
        Scenario(synchronised=False, in_turn=True, init_s=0.1),
    ):
        for rank in play(scenario):
            ends = [scenario.clock(rank.number, scenario.begins_s)]
            for activity in rank.activities:
                assert activity.start == ends[-1] < activity.end
                ends.append(activity.end)
            assert ends[-1] == rank.reached


def test_the_same_seed_gives_the_same_run():
    """Runs can be made again."""
    for trouble in TROUBLES:
        assert draw(7, trouble) == draw(7, trouble)
    first, again = ([rank.spans for rank in play(draw(7, "chronic"))] for _time in range(2))
    assert first == again


def test_a_killed_rank_leaves_no_end_and_the_others_what_was_open(tmp_path):
    """SIGKILL loses the open spans, SIGTERM truncates them; the answer lists both."""
    path, truth = make_run(tmp_path, CRASH)
    run = Run(path)
    ends = {process.rank: process.end for process in run.processes}
    assert ends == {0: "signal:SIGTERM", 1: "signal:SIGTERM", 2: None, 3: "signal:SIGTERM"}
    names = [span.name for span in truth.open_spans[0, 2]]
    assert names == ["demo.job", "demo.step", "demo.forward_backward"]
    assert [span.name for span in truth.open_spans[0, 1]][-1] == "demo.all_reduce"
    recorded = {span.span_id for span in run.spans()}
    assert {span.span_id for span in truth.open_spans[0, 1]} <= recorded
    assert not {span.span_id for span in truth.open_spans[0, 2]} & recorded
    assert truth.killed == ((0, 2),)


@pytest.mark.parametrize("compress", [False, True])
def test_files_may_be_many_packed_and_torn(tmp_path, compress):
    """Nothing is lost by the form."""
    scenario = Scenario(ranks=2, steps=80)
    whole = make_run(tmp_path / "whole", scenario)
    parts = make_run(
        tmp_path / "parts", scenario, compress=compress, torn=frozenset({1}), lines_per_file=2
    )
    assert [span.raw for span in Run(parts.path).spans()] == [
        span.raw for span in Run(whole.path).spans()
    ]
    names = sorted(file.name for file in parts.path.rglob("trainer-1-*/traces-*"))
    suffix = ".gz" if compress else ""
    assert names[0] == f"traces-00000.jsonl{suffix}"
    assert names[-1] == "traces-00003.jsonl"
    parts_run = Run(parts.path)
    assert sum(1 for _span in parts_run.spans()) == 2 * 80 * 5
    assert len(parts_run.problems) == 1


def test_a_restart_does_the_lost_steps_again(tmp_path):
    """Steps 31 and later of the first attempt; the buckets fill each life to the nanosecond."""
    second = restarted(CRASH, first_step=21, begins_s=60.0, steps=40)
    path, truth = make_run(tmp_path, CRASH, second)
    assert truth.lost_steps == {0: tuple(range(21, 31)), 1: ()}
    assert truth.buckets[0, 0]["wasted"] > 0
    assert "wasted" not in truth.buckets[1, 0]
    for process in Run(path).processes:
        if process.ended_unix_nano is not None:
            life = process.ended_unix_nano - process.started_unix_nano
            assert sum(truth.buckets[process.restart, process.rank].values()) == life
    assert [process.restart for process in Run(path).processes] == [0, 1] * 4
