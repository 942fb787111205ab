# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Autopsies of real jobs: four processes, real signals, real black boxes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nemo.lens.runs import Run, RunError, analyse_autopsy

pytestmark = pytest.mark.integration

JOB = Path(__file__).with_name("autopsy_job.py")
TIMEOUT_S = 90
RANK, STEP = 2, 6
WAIT = "train.grad_all_reduce"


def plain_environment():
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NEMO_LENS", "OTEL_", "SLURM_"))
    }


@pytest.fixture
def start():
    """Start something in a session of its own; all of it is killed after the test."""
    started = []

    def run(*arguments):
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=plain_environment(),
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        kill_all(process)


def kill_all(process):
    """Kill a job as a scheduler does that has lost its patience."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(path, is_right, what):
    """Ask again until the answer is right."""
    deadline = time.monotonic() + TIMEOUT_S
    answer = None
    while time.monotonic() < deadline:
        try:
            answer = analyse_autopsy(Run(path))
        except RunError:
            answer = None
        if answer is not None and len(answer.ranks) == 4 and is_right(answer):
            return answer
        time.sleep(0.3)
    raise AssertionError(f"no {what} in {TIMEOUT_S} s: {answer}")


def others_wait_for_long(answer):
    waiting = [row for row in answer.ranks if row.waits and row.rank != RANK]
    return len(waiting) == 3 and answer.outcome in {"hung", "died"} and answer.suspects


@pytest.mark.parametrize(
    ("trouble", "expected", "words"),
    [
        ("killed", ("killed", "forward_backward", STEP), "was killed in forward_backward"),
        ("stopped", ("stopped", "forward_backward", STEP), "is stopped (SIGSTOP or a debugger) in"),
        ("hung", ("running", "forward_backward", STEP), "has been in forward_backward"),
        ("data", ("running", "data_loading", STEP), "has been in data_loading"),
        ("raised", ("failed", "forward_backward", STEP), "failed in forward_backward"),
        ("left", ("finished", "", STEP - 1), "ended in order after step 5"),
        ("behind", ("running", None, STEP - 1), "of step 5"),
    ],
)
def test_one_of_four_processes_does_not_arrive_and_three_wait(
    tmp_path, start, trouble, expected, words
):
    """While the job hangs, and after all of it was killed: which, where, and since when."""
    status, phase, step = expected
    began = time.time_ns()
    job = start(JOB, tmp_path / "runs", "--trouble", trouble, "--rank", RANK, "--step", STEP)
    path = tmp_path / "runs" / "job"
    answer = wait_for(path, others_wait_for_long, "hang")

    (suspect,) = answer.suspects
    assert (suspect.rank, suspect.status, suspect.step) == (RANK, status, step)
    assert suspect.host == os.uname().nodename
    assert phase is None or suspect.phase == phase
    assert words in answer.verdict
    assert f"ranks 0, 1, 3 have waited for it in {WAIT} of step {STEP} since" in answer.verdict
    for row in answer.ranks:
        if row.rank != RANK:
            assert (row.status, row.step, row.span) == ("running", STEP, WAIT)
            assert row.path == ("train.job", "train.step", WAIT)
            assert began < row.since_unix_nano < time.time_ns()
    assert answer.black_boxes == 4

    kill_all(job)
    dead = wait_for(
        path, lambda one: all(row.status != "running" for row in one.ranks), "end of the job"
    )
    (suspect,) = dead.suspects
    assert (suspect.rank, suspect.step) == (RANK, step)
    assert f"killed too, waiting for it in {WAIT} of step {STEP}" in dead.verdict
    before = {row.rank: row.since_unix_nano for row in answer.ranks if row.rank != RANK}
    after = {row.rank: row.since_unix_nano for row in dead.ranks if row.rank != RANK}
    assert before == after


def test_four_processes_in_the_same_barrier_suspect_nobody(tmp_path, start):
    """A collective that nobody leaves."""
    start(JOB, tmp_path / "runs", "--trouble", "barrier", "--step", STEP)
    answer = wait_for(
        tmp_path / "runs" / "job", lambda one: one.outcome == "hung", "hang in the barrier"
    )
    assert answer.suspects == ()
    assert answer.verdict.startswith(f"All 4 ranks have waited in {WAIT} of step {STEP} since ")
    assert "suspect the collective itself or the network" in answer.verdict


def test_a_job_that_runs_and_one_that_ended_well_have_no_suspect(tmp_path, start):
    """Asked while it trains and afterwards."""
    job = start(JOB, tmp_path / "runs", "--steps", 200)
    path = tmp_path / "runs" / "job"
    answer = wait_for(path, lambda one: one.outcome == "running", "running job")
    assert answer.suspects == ()
    assert "running and nothing stands still" in answer.verdict
    job.wait(TIMEOUT_S)
    answer = analyse_autopsy(Run(path))
    assert (answer.outcome, answer.suspects) == ("ended", ())
    assert answer.verdict == "All 4 ranks ended in order, the last after step 200."


def test_without_black_boxes_files_tell_what_they_can(tmp_path, start):
    """All killed while they waited: the last spans that ended, and that there is no more."""
    job = start(JOB, tmp_path / "runs", "--trouble", "hung", "--step", STEP, "--no-box")
    path = tmp_path / "runs" / "job"
    wait_for(path, lambda one: [each.rank for each in one.suspects] == [RANK], "silence")
    kill_all(job)
    answer = analyse_autopsy(Run(path))
    assert answer.black_boxes == 0
    assert [row.status for row in answer.ranks] == ["unknown"] * 4
    assert "There is no black box" in answer.verdict
    assert [one.rank for one in answer.suspects] == [RANK]
    assert "the last thing recorded is train.load_batch after step 5" in answer.verdict


def demo_of(start, folder, *options):
    """A long demo that trains; gives the process ids by rank."""
    job = start("-m", "nemo.lens.cli", "demo", "--steps", 100000, "--dir", folder, *options)
    answer = wait_for(folder, lambda one: all((row.step or 0) > 1 for row in one.ranks), "training")
    return job, {row.rank: row.pid for row in answer.ranks}


def test_a_stopped_rank_of_the_demo_is_named_and_so_is_a_killed_one(tmp_path, start):
    """SIGSTOP: three wait. Then SIGKILL: they notice, and fail."""
    _job, pids = demo_of(start, tmp_path)
    os.kill(pids[RANK], signal.SIGSTOP)
    answer = wait_for(tmp_path, others_wait_for_long, "hang")
    (suspect,) = answer.suspects
    assert (suspect.rank, suspect.status) == (RANK, "stopped")
    assert "ranks 0, 1, 3 have waited for it in demo.train_step.all_reduce" in answer.verdict

    os.kill(pids[RANK], signal.SIGKILL)
    answer = wait_for(
        tmp_path, lambda one: not any(row.status == "running" for row in one.ranks), "end"
    )
    statuses = {row.rank: row.status for row in answer.ranks}
    assert statuses == {0: "failed", 1: "failed", 2: "killed", 3: "failed"}
    assert [one.rank for one in answer.suspects] == [RANK]
    assert f"Rank {RANK} on {os.uname().nodename} was killed in" in answer.verdict
    assert "ranks 0, 1, 3 had waited" in answer.verdict
    assert "and failed at" in answer.verdict


def test_the_demo_can_hang_to_show_it(tmp_path, start):
    """Asked while it hangs, and after Ctrl-C."""
    job, _pids = demo_of(start, tmp_path, "--hang-rank", RANK)
    answer = wait_for(tmp_path, others_wait_for_long, "hang")
    assert f"Rank {RANK} on {os.uname().nodename} has been in forward_backward of step 21" in (
        answer.verdict
    )
    os.killpg(job.pid, signal.SIGINT)
    job.wait(TIMEOUT_S)
    answer = analyse_autopsy(Run(tmp_path))
    assert [(one.rank, one.phase, one.step) for one in answer.suspects] == [
        (RANK, "forward_backward", 21)
    ]
    assert {row.status for row in answer.ranks} == {"signal:SIGTERM"}
    assert "when SIGTERM ended it" in answer.verdict
