# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Autopsies of drawn jobs of many shapes whose answer is known; more of them with NEMO_LENS_TEST_SEEDS."""

from __future__ import annotations

import os
import random

import pytest
from synthetic_runs import EPOCH, NANO, add_black_boxes, draw, make_run, process_folder

from nemo.lens.runs import Run, analyse_autopsy

SEEDS = range(int(os.environ.get("NEMO_LENS_TEST_SEEDS", "12")))
ENDINGS = ("SIGTERM", "SIGKILL")


def injected(seed, trouble, **changes):
    """A job in which one rank is killed or hangs in some step."""
    scenario = draw(seed, "none", patience_s=120.0, **changes)
    rng = random.Random(f"{seed} {trouble}")
    rank, step = rng.randrange(scenario.ranks), rng.randrange(5, scenario.steps)
    setattr(scenario, trouble, {rank: step})
    scenario.job = rng.random() < 0.5
    return scenario, rank, step


def by_first_clock(scenario, rank, span):
    """When a span began, by the clock of the host of rank 0."""
    moment_s = (span.start - EPOCH) / NANO - scenario.clock_offset_s.get(scenario.host(rank), 0.0)
    return span.start - (scenario.clock(rank, moment_s) - scenario.clock(0, moment_s))


@pytest.mark.parametrize("ended_by", ENDINGS)
@pytest.mark.parametrize("trouble", ["killed", "hung"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_rank_that_never_arrived_is_named(tmp_path, seed, trouble, ended_by):
    """Which one, on which host, in which phase of which step; the others wait, and since when."""
    scenario, rank, step = injected(seed, trouble, ended_by=ended_by)
    path, truth = make_run(tmp_path, scenario)
    add_black_boxes(tmp_path, scenario)
    answer = analyse_autopsy(Run(path))
    (suspect,) = answer.suspects
    assert (suspect.rank, suspect.host) == (rank, scenario.host_name(rank))
    assert (suspect.phase, suspect.step) == ("forward_backward", step)
    was = "killed" if trouble == "killed" or ended_by == "SIGKILL" else "signal:SIGTERM"
    assert suspect.status == was
    assert f"ank {rank} on {scenario.host_name(rank)}" in answer.verdict
    assert f"forward_backward of step {step}" in answer.verdict
    assert f"demo.all_reduce of step {step}" in answer.verdict
    assert answer.outcome == "died"
    assert answer.black_boxes == scenario.ranks
    for row in answer.ranks:
        opened = truth.open_spans[0, row.rank]
        assert row.path == tuple(span.name for span in opened)
        assert row.waits is (row.rank != rank)
        assert abs(row.since_unix_nano - by_first_clock(scenario, row.rank, opened[-1])) < 3e6


@pytest.mark.parametrize("trouble", ["killed", "hung"])
@pytest.mark.parametrize("seed", SEEDS)
def test_truncated_spans_of_run_files_tell_it_too(tmp_path, seed, trouble):
    """Without black boxes, after SIGTERM: the same rank, and that there are none is said."""
    scenario, rank, step = injected(seed, trouble, ended_by="SIGTERM")
    answer = analyse_autopsy(Run(make_run(tmp_path, scenario).path))
    (suspect,) = answer.suspects
    assert suspect.rank == rank
    if trouble == "hung":
        assert (suspect.phase, suspect.step) == ("forward_backward", step)
        assert suspect.status == "signal:SIGTERM"
    else:
        assert suspect.status == "unknown"
        assert "There is no black box" in answer.verdict
    waiting = [row for row in answer.ranks if row.rank != rank]
    assert all(row.waits and row.step == step for row in waiting)
    assert answer.black_boxes == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_only_its_host_could_tell_who_lives(tmp_path, seed):
    """Read elsewhere, nobody is said to be killed; who is missing is known nevertheless."""
    scenario, rank, step = injected(seed, "hung", ended_by="SIGKILL")
    path, _truth = make_run(tmp_path, scenario)
    add_black_boxes(tmp_path, scenario, elsewhere=True)
    answer = analyse_autopsy(Run(path))
    assert [(one.rank, one.step, one.status) for one in answer.suspects] == [
        (rank, step, "unknown")
    ]
    assert answer.outcome == "hung"
    assert "was killed" not in answer.verdict


@pytest.mark.parametrize("seed", SEEDS)
def test_unmarked_waiting_hides_nobody(tmp_path, seed):
    """Where no wait is marked, those who stand together for long tell who is missing."""
    scenario, rank, step = injected(seed, "hung", ended_by="SIGTERM", marked=False)
    path, _truth = make_run(tmp_path, scenario)
    add_black_boxes(tmp_path, scenario)
    answer = analyse_autopsy(Run(path))
    assert [(one.rank, one.phase, one.step) for one in answer.suspects] == [
        (rank, "forward_backward", step)
    ]


@pytest.mark.parametrize("trouble", ["none", "chronic", "once", "host"])
@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_is_suspected_of_a_run_that_ended_well(tmp_path, seed, trouble):
    """Slow ranks are no finding of an autopsy."""
    scenario = draw(seed, trouble, job=seed % 2 == 0)
    answer = analyse_autopsy(Run(make_run(tmp_path, scenario).path))
    assert (answer.outcome, answer.suspects, answer.missing) == ("ended", (), ())
    assert answer.verdict == (
        f"All {scenario.ranks} ranks ended in order, the last after step {scenario.steps}."
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rank_that_stopped_recording_before_the_others_is_named_from_files_alone(tmp_path, seed):
    """All were killed, and there is no black box."""
    scenario, rank, step = injected(seed, "killed", ended_by="SIGKILL")
    path, _truth = make_run(tmp_path, scenario)
    assert not list(process_folder(tmp_path, scenario, rank).glob("blackbox*"))
    answer = analyse_autopsy(Run(path))
    assert [one.rank for one in answer.suspects] == [rank]
    assert answer.suspects[0].step == step - 1
    assert "the last thing recorded is" in answer.verdict
    assert "There is no black box" in answer.verdict
