# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The straggler report on whole runs, from files."""

from __future__ import annotations

import random
import re
import shutil

import orjson
import pytest
from synthetic_runs import Scenario, process_folder, write_collector_file, write_run

from nemo.lens.runs import Run, analyse_ranks

SEEDS = 20


def heavy(rng):
    """Noise with a heavy tail: most near 1, some far above."""
    return 0.9 + 0.1 * rng.paretovariate(2)


def quiet(rng):
    """A dedicated machine: steps vary by a thousandth."""
    return rng.gauss(1, 0.001)


def report(tmp_path, scenario):
    return analyse_ranks(Run(write_run(tmp_path, scenario)))


def test_the_answer_has_the_documented_shape(tmp_path):
    """The keys that other tools rely on, in JSON-ready values."""
    answer = report(tmp_path, Scenario(slow={(2, "forward_backward"): 1.6})).to_json()
    assert list(answer)[:3] == ["schema", "run", "verdict"]
    assert (answer["schema"], answer["run"], answer["problems"]) == (1, "synthetic", [])
    [straggler] = answer["stragglers"]
    assert straggler["rank"] == 2
    assert straggler["host"] == "host0"
    assert straggler["phase"] == "forward_backward"
    assert straggler["kind"] == "chronic"
    assert straggler["excess_s_per_step"] == pytest.approx(0.024, rel=0.1)
    assert [row["rank"] for row in answer["ranks"]] == [0, 1, 2, 3]
    assert {"rank", "host", "own_s", "wait_s", "clock_offset_s"} <= answer["ranks"][0].keys()
    assert answer["ranks"][0]["own_s"].keys() == answer["ranks"][0]["wait_s"].keys()
    assert set(answer["ranks"][0]["own_s"]) == {"p50", "p90"}
    assert answer["verdict"].startswith("Rank 2 on host0 is slow in forward_backward: 2")


def test_the_slow_rank_waits_least_although_all_steps_take_the_same(tmp_path):
    """Own work and waiting are told apart in steps of equal length."""
    answer = report(tmp_path, Scenario(slow={(2, "forward_backward"): 1.6}))
    waits = {row.rank: row.wait_s.p50 for row in answer.ranks}
    own = {row.rank: row.own_s.p50 for row in answer.ranks}
    assert min(waits, key=waits.__getitem__) == 2
    assert max(own, key=own.__getitem__) == 2
    totals = [own[rank] + waits[rank] for rank in own]
    assert max(totals) < 1.1 * min(totals)


@pytest.mark.parametrize("noise", [Scenario().noise, heavy], ids=["normal", "heavy"])
def test_injected_ranks_and_phases_are_named_and_nobody_else(tmp_path, noise):
    """Rank, host, phase and clock are right in every seed."""
    for seed in range(SEEDS):
        rng = random.Random(seed)
        rank, phase = rng.randrange(8), rng.choice(["forward_backward", "data_loading"])
        offset = rng.uniform(-10, 10)
        scenario = Scenario(
            run=f"seed{seed}",
            ranks=8,
            ranks_per_host=2,
            steps=40,
            phases={"data_loading": 0.03, "forward_backward": 0.04},
            noise=noise,
            seed=seed,
            nested=seed % 2 == 0,
            clock_offset_s={1: offset, 3: -offset},
            slow={(rank, phase): 1.8},
        )
        answer = analyse_ranks(Run(write_run(tmp_path, scenario)))
        found = [(one.rank, one.host, one.phase, one.kind) for one in answer.stragglers]
        assert found == [(rank, f"host{rank // 2}", phase, "chronic")], seed
        offsets = {row.host: row.clock_offset_s for row in answer.ranks}
        expected = {"host0": 0, "host1": offset, "host2": 0, "host3": -offset}
        assert offsets == pytest.approx(expected, abs=1e-3), seed


@pytest.mark.parametrize("noise", [Scenario().noise, heavy], ids=["normal", "heavy"])
def test_runs_without_a_slow_rank_name_nobody(tmp_path, noise):
    """The list is empty in every seed, and the verdict says so."""
    for seed in range(SEEDS):
        scenario = Scenario(run=f"seed{seed}", noise=noise, seed=seed)
        answer = analyse_ranks(Run(write_run(tmp_path, scenario)))
        assert answer.stragglers == (), seed
        assert answer.verdict == "No rank stands out among 4 ranks in 59 compared steps."


def test_drifting_clocks_are_told(tmp_path):
    """Offset in the middle of the run, and how much it grows."""
    scenario = Scenario(
        ranks=4, ranks_per_host=2, steps=1000, clock_offset_s={1: 0.5}, clock_drift_ppm={1: 100.0}
    )
    row = report(tmp_path, scenario).ranks[3]
    assert row.clock_drift_ppm == pytest.approx(100, rel=0.05)
    assert row.clock_offset_s == pytest.approx(0.5 + 23 * 100e-6, abs=1e-3)


def test_a_single_stall_is_told_with_its_step(tmp_path):
    """One held-up step is not chronic."""
    answer = report(tmp_path, Scenario(stalls={(1, 30): 2.0}))
    [straggler] = answer.stragglers
    assert (straggler.rank, straggler.kind, straggler.steps) == (1, "once", (30,))
    assert straggler.phase == "forward_backward"
    assert straggler.excess_s_per_step == pytest.approx(2.0, rel=0.05)
    assert answer.verdict.startswith("Rank 1 on host0 held up step 30 in forward_backward: 2.0")


def test_a_checkpoint_that_rank_0_writes_for_all_is_not_held_against_it(tmp_path):
    """A phase that only one rank has is nobody's fault."""
    answer = report(tmp_path, Scenario(checkpoint_every=20, checkpoint_s=3.0))
    assert answer.stragglers == ()


def test_work_between_the_steps_counts_to_the_next(tmp_path):
    """Data loading outside of the step span makes a straggler, too."""
    answer = report(tmp_path, Scenario(between_s=0.02, slow={(3, "data_loading"): 3.0}))
    [straggler] = answer.stragglers
    assert (straggler.rank, straggler.phase) == (3, "data_loading")


def test_a_slow_host_is_named_whole(tmp_path):
    """All ranks of a host are slow: the verdict points at the host."""
    slow = {(rank, "forward_backward"): 1.6 for rank in (2, 3)}
    answer = report(tmp_path, Scenario(ranks=8, ranks_per_host=2, slow=slow))
    assert sorted(one.rank for one in answer.stragglers) == [2, 3]
    assert answer.verdict.endswith("All 2 ranks on host1 are slow: look at the host.")


def test_without_marks_the_order_of_arrival_counts(tmp_path):
    """A rank that comes to the end of each step late is named; the weaker rule is admitted."""
    slow = Scenario(marked=False, optimizer_s=0.03, slow={(1, "optimizer"): 1.8})
    answer = report(tmp_path, slow)
    assert not answer.waiting_marked
    [straggler] = answer.stragglers
    assert (straggler.rank, straggler.phase) == (1, "optimizer")
    assert straggler.compared_by == "arrival"
    assert "it ends its steps 24." in answer.verdict
    assert "own work" not in answer.verdict
    row = answer.ranks[1]
    assert row.wait_s.p50 == pytest.approx(0.0, abs=1e-6)
    even = report(tmp_path / "even", Scenario(marked=False))
    assert even.stragglers == ()
    assert "Waiting is not marked" in even.verdict


UNSYNCHRONISED = {
    "started together": {},
    "a start offset below a step": {"start_s": {1: 0.02}},
    "a start offset of many steps": {"start_s": {1: 0.3, 2: 7.0}},
    "one after the other": {"in_turn": True},
    "on hosts of their own": {"ranks_per_host": 1, "clock_offset_s": {1: 3.0, 2: -0.2}},
    "two ranks": {"ranks": 2, "start_s": {1: 0.3}},
    "few steps": {"ranks": 2, "steps": 12, "start_s": {1: 0.02}},
    "only the step is a span": {"phases": {}, "optimizer_s": 0.0, "between_s": 0.04},
}
unsynchronised = pytest.mark.parametrize("case", UNSYNCHRONISED.values(), ids=UNSYNCHRONISED.keys())


@unsynchronised
@pytest.mark.parametrize(
    "noise", [Scenario().noise, heavy, quiet], ids=["normal", "heavy", "quiet"]
)
def test_ranks_that_never_meet_are_not_slow_for_starting_late(tmp_path, case, noise):
    """Who started later or ran ahead is no straggler, and nobody waited longer than a step."""
    alarms = 0
    for seed in range(SEEDS):
        scenario = Scenario(
            **{"steps": 40, **case},
            run=f"seed{seed}",
            synchronised=False,
            marked=False,
            noise=noise,
            seed=seed,
        )
        answer = analyse_ranks(Run(write_run(tmp_path, scenario)))
        alarms += bool(answer.stragglers)
        assert all(row.wait_s.p90 <= row.own_s.p90 for row in answer.ranks), seed
        assert "wait for it" not in answer.verdict
    assert alarms == 0


@unsynchronised
def test_a_slower_rank_without_synchronisation_is_named_by_its_step_times(tmp_path, case):
    """Its steps take longer; that anybody waits for it is not claimed."""
    if not case.get("phases", True):
        slow = {(1, "data_loading"): 2.0}
    else:
        slow = {(1, "forward_backward"): 2.0}
    for seed in range(SEEDS):
        scenario = Scenario(
            **{"steps": 40, **case},
            run=f"seed{seed}",
            synchronised=False,
            marked=False,
            seed=seed,
            slow=slow,
        )
        answer = analyse_ranks(Run(write_run(tmp_path, scenario)))
        found = [(one.rank, one.phase, one.compared_by) for one in answer.stragglers]
        assert found == [(1, next(iter(slow))[1], "duration")], seed
        assert "its steps take " in answer.verdict
        assert "wait for it" not in answer.verdict
        assert all(row.wait_s.p50 == 0 for row in answer.ranks)


@pytest.mark.parametrize("synchronised", [True, False])
def test_that_others_wait_is_said_only_where_they_do(tmp_path, synchronised):
    """Marks say how long each rank waits: without synchronisation nobody does."""
    for name, change, claim in (
        ("chronic", {"slow": {(2, "forward_backward"): 1.6}}, ", which wait for it."),
        ("once", {"stalls": {(1, 30): 2.0}}, "Rank 1 on host0 held up step 30"),
    ):
        scenario = Scenario(run=name, synchronised=synchronised, **change)
        answer = analyse_ranks(Run(write_run(tmp_path, scenario)))
        assert answer.stragglers[0].compared_by == "own_work"
        assert (claim in answer.verdict) == synchronised
        assert ("Rank 1 on host0 took long for step 30" in answer.verdict) == (
            name == "once" and not synchronised
        )


def test_a_lasting_start_offset_within_synchronised_steps_is_no_straggler(tmp_path):
    """A rank that is late without a phase that takes longer only began late."""
    path = write_run(tmp_path, Scenario(marked=False))
    for file in path.glob("0/trainer-1-*/traces-*.jsonl"):
        file.write_text(
            re.sub(
                r'(TimeUnixNano":")(\d+)',
                lambda m: m[1] + str(int(m[2]) + 20_000_000),
                file.read_text(),
            )
        )
    answer = analyse_ranks(Run(path))
    assert {row.compared_by for row in answer.ranks} == {"arrival"}
    assert answer.stragglers == ()


def test_the_attribute_marks_waiting_like_the_group(tmp_path):
    """`nemo.wait=true` on a span of any group."""
    path = write_run(tmp_path, Scenario(marked=False, slow={(2, "forward_backward"): 1.6}))
    for file in path.rglob("traces-*.jsonl"):
        text = file.read_text().replace(
            '"name":"demo.all_reduce",',
            '"name":"demo.all_reduce","attributes":'
            '[{"key":"nemo.wait","value":{"boolValue":true}}],"x":',
        )
        file.write_text(text.replace('"x":"kind":1,', '"kind":1,').replace('"attributes":[],', ""))
    answer = analyse_ranks(Run(path))
    assert answer.waiting_marked
    assert [one.rank for one in answer.stragglers] == [2]


def test_spans_without_groups_are_compared_by_name(tmp_path):
    """What came through a collector has no groups: names of steps and collectives tell."""
    scenario = Scenario(groups=False, slow={(2, "forward_backward"): 1.6})
    answer = analyse_ranks(Run(write_collector_file(tmp_path / "otlp.jsonl", scenario)))
    [straggler] = answer.stragglers
    assert (straggler.rank, straggler.phase) == (2, "demo.forward_backward")


def test_attempts_are_compared_by_themselves(tmp_path):
    """Steps that a restart did again do not mix with those of the first attempt."""
    first = Scenario(ranks=2, steps=20)
    path = write_run(tmp_path, first)
    for rank in (0, 1):
        process_folder(tmp_path, first, rank).rename(path / "0" / f"trainer-{rank}-host0-{rank}")
    write_run(tmp_path, Scenario(ranks=2, steps=20, restart=1, slow={(1, "forward_backward"): 3}))
    answer = analyse_ranks(Run(path))
    assert [(row.restart, row.rank) for row in answer.ranks] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [one.rank for one in answer.stragglers] == [1]


@pytest.mark.parametrize(
    ("scenario", "verdict"),
    [
        (Scenario(ranks=1), "Only one rank recorded steps"),
        (Scenario(steps=5), "Too few steps to tell a slow rank from noise: 4 after the first"),
        (Scenario(steps=0), "No finished step was recorded. A step is a span of group step; NEMO_"),
    ],
)
def test_what_cannot_be_compared_is_said_plainly(tmp_path, scenario, verdict):
    """One rank, few steps or none: a sentence, no error, no straggler."""
    answer = report(tmp_path, scenario)
    assert answer.stragglers == ()
    assert answer.verdict.startswith(verdict)


def change_manifests(path, **fields):
    for file in path.rglob("manifest.json"):
        file.write_bytes(orjson.dumps(orjson.loads(file.read_bytes()) | fields))


def test_a_rank_whose_spans_are_gone_is_named(tmp_path):
    """It does not drop out of the comparison silently."""
    path = write_run(tmp_path, Scenario())
    (process_folder(tmp_path, Scenario(), 2) / "traces-00000.jsonl").write_bytes(b"")
    answer = analyse_ranks(Run(path))
    assert answer.verdict == (
        "No rank stands out among 3 ranks in 59 compared steps. "
        "Rank 2 left no span and is not compared."
    )
    assert answer.problems == (
        "0/trainer-2-host0-1002: no span, although other ranks recorded steps",
    )


def test_ranks_without_a_finished_step_are_named(tmp_path):
    """Killed before the end of their first step, they have spans but nothing to compare."""
    path = write_run(tmp_path, Scenario())
    for rank in (1, 3):
        file = process_folder(tmp_path, Scenario(), rank) / "traces-00000.jsonl"
        file.write_bytes(
            file.read_bytes().replace(
                b'"nemo.span.group","value":{"stringValue":"step"',
                b'"nemo.span.group","value":{"stringValue":"other"',
            )
        )
    answer = analyse_ranks(Run(path))
    assert "Ranks 1, 3 left no finished step and are not compared." in answer.verdict
    assert len(answer.problems) == 2


def test_a_rank_without_a_folder_is_named(tmp_path):
    """The world size says that it should be there."""
    path = write_run(tmp_path, Scenario())
    shutil.rmtree(process_folder(tmp_path, Scenario(), 2))
    answer = analyse_ranks(Run(path))
    assert answer.verdict.endswith("compared steps. There is no record of rank 2 of 4.")
    assert answer.problems == ("no record of rank 2 was found",)


def test_a_run_of_one_rank_by_choice_says_how_to_record_all(tmp_path):
    """The default strategy exports one rank: the answer is a hint, not a problem."""
    path = write_run(tmp_path, Scenario())
    for rank in (0, 1, 2):
        shutil.rmtree(process_folder(tmp_path, Scenario(), rank))
    change_manifests(path, config={"export_strategy": "single_rank"})
    answer = analyse_ranks(Run(path))
    assert answer.verdict == (
        "Only one rank recorded steps, so there is nothing to compare it with. Of 4 ranks 1 exported "
        "(strategy single_rank); NEMO_LENS_EXPORT_STRATEGY=all_ranks records every rank."
    )
    assert answer.problems == ()


def test_ranks_that_came_less_far_are_counted_honestly(tmp_path):
    """Not every rank was compared in every step."""
    path = write_run(tmp_path, Scenario())
    file = process_folder(tmp_path, Scenario(), 2) / "traces-00000.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    assert "among 4 ranks in 24 to 59 compared steps" in analyse_ranks(Run(path)).verdict


def test_steps_of_processes_without_a_rank_are_not_denied(tmp_path):
    """What is missing is the rank, and that is said."""
    path = write_run(tmp_path, Scenario(ranks=1))
    change_manifests(path, rank=None)
    folder = process_folder(tmp_path, Scenario(), 0)
    folder.rename(folder.with_name("trainer-x-host0-1000"))
    answer = analyse_ranks(Run(path))
    assert "give setup_telemetry rank and world_size" in answer.verdict


def test_steps_that_never_ended_are_told_from_steps_that_were_off(tmp_path):
    """No advice to switch on what is on."""
    path = write_run(tmp_path, Scenario(steps=1))
    for file in path.rglob("traces-*.jsonl"):
        text = file.read_text()
        truncated = '{"key":"nemo.span.truncated","value":{"boolValue":true}},{"key":"dl.iteration"'
        file.write_text(text.replace('{"key":"dl.iteration"', truncated))
    verdict = analyse_ranks(Run(path)).verdict
    assert verdict.startswith("No finished step was recorded: the steps were still open")
    assert "NEMO_LENS_SPAN_GROUPS" not in verdict
