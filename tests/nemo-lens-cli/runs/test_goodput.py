# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Goodput of whole jobs whose answer is known to the nanosecond."""

from __future__ import annotations

import json
import random

import pytest
from synthetic_runs import (
    EPOCH,
    NANO,
    TROUBLES,
    Scenario,
    SpanRow,
    draw,
    make_run,
    process_folder,
    request,
    restarted,
    write_run,
)

from nemo.lens.runs import BucketTable, Run, analyse_goodput, runs_of_job

BUCKETS = ("productive", "overhead", "idle", "wasted", "unattributed")
JOB = "5f0f6d44-8d5e-5a0e-9a59-5d0a4f1f3d6b"
CRASH = Scenario(
    ranks=3,
    killed={2: 31},
    ended_by="SIGTERM",
    checkpoint_every=10,
    checkpoint_by="all",
    evaluate_every=15,
    init_s=1.0,
    job=True,
    job_uuid=JOB,
)


def found_buckets(answer):
    return {(row.restart, row.rank): row.buckets_nano for row in answer.processes}


def true_buckets(truth):
    return {who: dict.fromkeys(BUCKETS, 0) | buckets for who, buckets in truth.buckets.items()}


def check_sums(answer):
    for row in answer.processes:
        assert tuple(row.buckets_nano) == BUCKETS
        assert sum(row.buckets_nano.values()) == row.wall_nano
    assert [row.bucket for row in answer.buckets] == list(BUCKETS)
    assert sum(row.total_s for row in answer.buckets) == pytest.approx(answer.total_s)
    assert sum(row.total_s for row in answer.parts) == pytest.approx(answer.total_s)
    walls = sum(row.wall_nano for row in answer.processes) / 1e9
    assert walls + answer.between_attempts_s == pytest.approx(answer.total_s)


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_job_without_restarts_is_divided_as_it_was_made(tmp_path, trouble):
    """Nested spans, wrong clocks, checkpoints within and between steps."""
    for seed in range(10):
        changes = {"init_s": 0.5, "job": True, "evaluate_every": 20, "between_s": 0.01}
        path, truth = make_run(tmp_path, draw(seed, trouble, **changes))
        answer = analyse_goodput(Run(path))
        # Spans nested in a phase have a group that the table does not know: no difference.
        assert found_buckets(answer) == true_buckets(truth), seed
        check_sums(answer)


def test_restarts_take_back_what_they_do_again(tmp_path):
    """Crashes and hangs, killed and terminated, one to three restarts, in many jobs."""
    for seed in range(30):
        rng = random.Random(seed)
        changes = {
            "init_s": rng.choice([0.0, 1.0]),
            "job": rng.random() < 0.5,
            "checkpoint_every": 10,
            "run": f"restarted{seed}",
        }
        attempts = [draw(seed, "none", steps=60, **changes)]
        for _attempt in range(rng.choice([1, 1, 2, 3])):
            last = attempts[-1]
            broken = rng.randrange(last.first_step, last.first_step + last.steps)
            what = rng.choice([{"killed": {1: broken}}, {"hung": {1: broken}}])
            ended_by = rng.choice(["SIGTERM", "SIGKILL"])
            for name, value in {**what, "ended_by": ended_by}.items():
                setattr(last, name, value)
            saved = (broken - 1) // 10 * 10
            begins_s = 1000.0 * len(attempts)
            attempts.append(restarted(last, max(saved + 1, 1), begins_s, steps=40))
        path, truth = make_run(tmp_path, *attempts)
        answer = analyse_goodput(Run(path))
        assert found_buckets(answer) == true_buckets(truth), seed
        lost = {row.restart: row.lost_steps for row in answer.attempts}
        assert lost == {restart: len(steps) for restart, steps in truth.lost_steps.items()}, seed
        check_sums(answer)


def test_the_verdict_says_what_a_restart_cost(tmp_path):
    """Share, largest loss, steps that were done again, and how long nobody ran."""
    path, truth = make_run(tmp_path, CRASH, restarted(CRASH, 21, 20.0, steps=40))
    answer = analyse_goodput(Run(path))
    assert truth.lost_steps[0] == tuple(range(21, 31))
    assert "productive; the largest loss is the time between attempts with" in answer.verdict
    assert "10 steps of attempt 0 were done again, 1." in answer.verdict
    assert "Between the attempts the ranks were down for " in answer.verdict
    assert answer.job == JOB
    body = json.loads(json.dumps(answer.to_json(), allow_nan=False))
    assert list(body)[:4] == ["schema", "run", "verdict", "job"]
    assert body["goodput"] == pytest.approx(answer.buckets[0].share)


def test_a_restart_that_has_done_no_step_goes_back_to_the_last_whole_checkpoint(tmp_path):
    """What ranks had not all finished is not durable."""
    second = restarted(CRASH, 31, 20.0, steps=0)
    path, _truth = make_run(tmp_path, CRASH, second)
    assert analyse_goodput(Run(path)).attempts[0].lost_steps == 0  # steps 1 to 30, saved at 30
    late = Scenario(**{**vars(CRASH), "killed": {2: 36}, "run": "late"})
    path, _truth = make_run(tmp_path, late, restarted(late, 31, 20.0, steps=0))
    assert analyse_goodput(Run(path)).attempts[0].lost_steps == 5


def test_steps_that_one_process_does_again_are_lost_the_first_time(tmp_path):
    """A rollback without a new process."""
    scenario = Scenario(ranks=1, steps=0)
    rows = []
    for place, number in enumerate([1, 2, 3, 4, 3, 4, 5]):
        start = EPOCH + place * NANO
        attributes = {"dl.iteration": {"intValue": str(number)}}
        rows.append(SpanRow("t.step", "step", f"{place:016x}", "", start, start + NANO, attributes))
    path = write_run(tmp_path, scenario)
    traces = process_folder(tmp_path, scenario, 0) / "traces-00000.jsonl"
    traces.write_bytes(request(scenario, 0, rows))
    answer = analyse_goodput(Run(path))
    assert answer.processes[0].buckets_nano["wasted"] == 2 * NANO
    assert answer.processes[0].buckets_nano["productive"] == 5 * NANO
    assert answer.attempts[0].lost_steps == 2


def test_runs_of_one_job_are_joined_by_its_uuid(tmp_path):
    """Restarts under other run ids; runs of other jobs in the same folder are left out."""
    first = Scenario(**{**vars(CRASH), "run": "4711"})
    second = restarted(first, 21, 20.0, steps=40, run="4712", restart=0)
    path, _truth = make_run(tmp_path, first, second)
    write_run(tmp_path, Scenario(run="other", steps=5, job_uuid="another"))
    write_run(tmp_path, Scenario(run="plain", steps=5))
    answer = analyse_goodput(runs_of_job(Run(path)))
    assert answer.run == "4711, 4712"
    assert [(row.run, row.lost_steps) for row in answer.attempts] == [("4711", 10), ("4712", 0)]
    assert "10 steps of attempt 0 of 4711 were done again" in answer.verdict
    assert answer.between_attempts_s > 0
    assert analyse_goodput(runs_of_job(Run(tmp_path / "plain"))).run == "plain"


def test_runs_side_by_side_take_nothing_back(tmp_path):
    """The elements of a job array share the job, and do the same steps."""
    first = Scenario(run="a", steps=20, job_uuid=JOB)
    second = Scenario(run="b", steps=20, job_uuid=JOB)
    make_run(tmp_path, first, second)
    answer = analyse_goodput(runs_of_job(Run(tmp_path / "a")))
    assert [row.lost_steps for row in answer.attempts] == [0, 0]
    assert answer.between_attempts_s == 0


def test_a_table_of_the_consumer_decides(tmp_path):
    """Its groups, its buckets."""
    path, truth = make_run(tmp_path, Scenario(steps=10, checkpoint_every=5))
    table = BucketTable.default().with_overrides({"groups": {"checkpoint": "productive"}})
    answer = analyse_goodput(Run(path), table)
    moved = truth.buckets[0, 0]["productive"] + 2 * NANO
    assert answer.processes[0].buckets_nano["productive"] == pytest.approx(moved, abs=5)


@pytest.mark.parametrize("steps", [0, 1])
def test_runs_with_little_or_nothing_in_them_are_divided_too(tmp_path, steps):
    """No step, no span, one process: a plain sentence."""
    path = write_run(tmp_path, Scenario(ranks=1, steps=steps))
    answer = analyse_goodput(Run(path))
    check_sums(answer)
    if steps:
        assert answer.verdict.startswith("9")
    else:
        assert answer.goodput == 0
        assert "nothing to divide" in answer.verdict


def test_without_steps_it_is_said_how_to_record_them(tmp_path):
    """The default preset has no productive group."""
    path = write_run(tmp_path, Scenario(ranks=1, steps=0, init_s=1.0, job=True))
    verdict = analyse_goodput(Run(path)).verdict
    assert verdict.startswith(
        "0% of the 1.00 s that 1 process took was productive; the largest loss"
    )
    assert "overhead (model_init) with 100%" in verdict
    assert "NEMO_LENS_SPAN_GROUPS=per_step" in verdict
