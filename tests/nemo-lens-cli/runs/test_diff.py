# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What changed between two runs: what was injected is found, and nothing else."""

from __future__ import annotations

import shutil
from dataclasses import replace

import orjson
import pytest
from synthetic_runs import Scenario, draw, make_run, normal, quiet, write_collector_file

from nemo.lens.runs import Run, collect, compare_runs
from nemo.lens.runs.step_series import Part, step_series

FEW = range(2)
ALL = range(20)


def compare(directory, baseline, run, **options):
    """Two scenarios, written, compared and removed."""
    paths = [
        make_run(directory / name, scenario)[0]
        for name, scenario in (
            ("before", baseline),
            ("after", replace(run, seed=run.seed + 10_000)),
        )
    ]
    answer = compare_runs(*map(Run, paths), **options)
    for path in paths:
        shutil.rmtree(path)
    return answer


def changed(answer):
    """The parts that changed, without the whole step and what only follows."""
    return [
        (part.phase, part.kind, part.judged)
        for part in (*answer.slower, *answer.faster)
        if part.kind not in ("step", "imbalance")
    ]


def scaled(scenario, factor, phase="forward_backward"):
    return replace(scenario, phases={**scenario.phases, phase: scenario.phases[phase] * factor})


@pytest.mark.parametrize(
    "seeds", [FEW, pytest.param(ALL, marks=pytest.mark.integration)], ids=["few", "all"]
)
@pytest.mark.parametrize("noise", [normal, quiet])
def test_three_percent_are_found_and_nothing_in_equal_runs(tmp_path, noise, seeds):
    """In each of 20 jobs of other sizes, phases and clocks, both ways."""
    for seed in seeds:
        baseline = draw(seed, "none", noise=noise, steps=100)
        assert changed(compare(tmp_path, baseline, baseline)) == [], seed
        for factor, judged in ((1.03, "slower"), (0.97, "faster")):
            answer = compare(tmp_path, baseline, scaled(baseline, factor))
            assert changed(answer) == [("forward_backward", "own_work", judged)], seed


def test_the_verdict_names_part_amount_and_what_it_does_to_a_step(tmp_path):
    """One sentence that can stand alone."""
    baseline = Scenario(noise=quiet, run="main")
    answer = compare(tmp_path, baseline, replace(scaled(baseline, 1.25), run="branch"))
    assert answer.verdict.startswith("branch is slower in forward_backward (+10.")
    assert "a step takes 10." in answer.verdict
    assert answer.verdict.endswith("longer.")
    assert (answer.baseline, answer.run, answer.threshold) == ("main", "branch", 0.02)


def test_a_single_slow_rank_is_named(tmp_path):
    """With its own change; the others only wait for it, which is no change of theirs."""
    baseline = Scenario(noise=quiet)
    slow = replace(baseline, slow={(2, "forward_backward"): 1.5}, run="slow")
    answer = compare(tmp_path, baseline, slow)
    slower = {part.kind: part for part in answer.slower}
    assert slower.keys() == {"step", "own_work", "imbalance"}
    part = slower["own_work"]
    assert (part.phase, part.rank) == ("forward_backward", 2)
    assert part.rank_change_s == pytest.approx(0.02, rel=0.05)
    assert "forward_backward of rank 2 (+20." in answer.verdict


def test_the_parts_of_a_step_make_up_the_whole(tmp_path):
    """Own work, waiting and imbalance: no time is left unexplained."""
    scenario = Scenario(noise=quiet, steps=20, slow={(1, "data_loading"): 3.0})
    path, _truth = make_run(tmp_path, scenario)
    series = step_series(collect(Run(path)))
    whole = series.pop(Part("trainer", "", "step")).values
    parts = [sum(values) for values in zip(*(one.values for one in series.values()), strict=True)]
    assert parts == pytest.approx(whole)


def test_an_imbalance_that_no_own_work_explains_is_named(tmp_path):
    """Another rank is late in each step: the mean is the same, and yet all wait."""
    even = Scenario(noise=lambda _rng: 1.0, run="even", ranks=2)
    swings = replace(even, noise=lambda rng: rng.choice([0.5, 1.5]), run="swings", steps=200)
    answer = compare(tmp_path, even, swings, threshold=0.1)
    assert "slower in the imbalance between the ranks" in answer.verdict


def test_a_change_below_the_threshold_does_not_count(tmp_path):
    """A sure change of 3 % is the same to who asks for 5 %."""
    baseline = Scenario(noise=quiet)
    answer = compare(tmp_path, baseline, scaled(baseline, 1.03), threshold=0.05)
    assert changed(answer) == []
    assert {part.judged for part in answer.parts} == {"same"}


def test_new_and_gone_parts_are_listed(tmp_path):
    """They are no regression: nothing is there to compare."""
    baseline = Scenario(noise=quiet)
    other = replace(
        baseline, phases={"forward_backward": 0.040, "augment": 0.001}, checkpoint_every=10
    )
    answer = compare(tmp_path, baseline, replace(other, checkpoint_by="all"))
    judged = {part.phase: part.judged for part in answer.parts}
    assert judged["augment"] == judged["checkpoint"] == "new"
    assert judged["data_loading"] == "gone"
    assert changed(answer) == []


def test_slower_checkpoints_are_found_outside_of_the_steps(tmp_path):
    """The n-th checkpoints of all ranks are one occurrence."""
    baseline = Scenario(noise=quiet, checkpoint_every=10, checkpoint_by="all", steps=80)
    answer = compare(tmp_path, baseline, replace(baseline, checkpoint_s=1.5))
    assert changed(answer) == [("checkpoint", "outside", "slower")]


def test_what_a_killed_rank_left_of_a_step_is_no_work_of_its_own(tmp_path):
    """Its phases are not new outside of the steps."""
    baseline = Scenario(noise=quiet, steps=30)
    answer = compare(tmp_path, baseline, replace(baseline, killed={2: 17}))
    assert [part for part in answer.parts if part.kind == "outside"] == []


def test_too_few_steps_are_said(tmp_path):
    """Nothing is called the same that could not be seen."""
    baseline = Scenario(noise=quiet, steps=4)
    answer = compare(tmp_path, baseline, scaled(baseline, 2.0))
    assert {part.judged for part in answer.parts} == {"unclear"}
    assert "too few or vary too much" in answer.verdict
    assert answer.resolution is None


def test_runs_without_steps_are_said(tmp_path):
    """Which of them, and what to do."""
    baseline = Scenario(noise=quiet, run="main")
    answer = compare(tmp_path, baseline, Scenario(steps=0, run="empty"))
    assert answer.verdict.startswith("empty: No finished step was recorded.")
    assert answer.parts == ()


def test_roles_in_common_are_needed(tmp_path):
    """A trainer is not compared with an actor."""
    before, _truth = make_run(tmp_path / "before", Scenario(noise=quiet))
    after, _truth = make_run(tmp_path / "after", Scenario(noise=quiet))
    for manifest in after.rglob("manifest.json"):
        content = orjson.loads(manifest.read_bytes())
        content["role"] = "actor"
        manifest.write_bytes(orjson.dumps(content))
    answer = compare_runs(Run(before), Run(after))
    assert answer.verdict == "The runs have no role in common whose steps could be compared."


def test_a_run_folder_can_be_compared_with_a_collector_file(tmp_path):
    """Where a run was recorded does not change the answer."""
    scenario = Scenario(noise=quiet)
    folder, _truth = make_run(tmp_path / "folder", scenario)
    answer = compare_runs(Run(folder), Run(write_collector_file(tmp_path / "c.jsonl", scenario)))
    assert changed(answer) == []


def test_the_answer_is_json(tmp_path):
    """With the head that all answers have."""
    baseline = Scenario(noise=quiet)
    answer = compare(tmp_path, baseline, scaled(baseline, 1.1)).to_json()
    assert orjson.loads(orjson.dumps(answer)) == answer
    assert list(answer)[:3] == ["schema", "run", "verdict"]
    assert answer["slower"][0]["kind"] == "step"


def test_a_threshold_that_is_no_share_is_refused(tmp_path):
    """The message says what was got and what is accepted."""
    run = Run(make_run(tmp_path, Scenario(steps=3))[0])
    with pytest.raises(ValueError, match=r"threshold=2: a share from 0 to 1"):
        compare_runs(run, run, threshold=2)
