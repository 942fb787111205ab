# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Single cases of the autopsy: what a person has to be told, and what must not be guessed."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from synthetic_runs import (
    EPOCH,
    NANO,
    BoxedSpan,
    Scenario,
    add_black_boxes,
    box_bytes,
    make_run,
    manifest,
    process_folder,
    restarted,
)

from nemo.lens.runs import Run, analyse_autopsy
from nemo.lens.runs.layout import BLACK_BOX

KILLED = Scenario(ranks=4, steps=20, killed={2: 9}, ended_by="SIGTERM", patience_s=60.0, job=True)


def with_boxes(directory, scenario):
    path, _truth = make_run(directory, scenario)
    add_black_boxes(directory, scenario)
    return analyse_autopsy(Run(path))


def boxed_run(directory, *ranks, world_size=None):
    """A run of processes that were killed, and of which only black boxes are left."""
    scenario = Scenario(ranks=world_size or len(ranks), killed=dict.fromkeys(range(len(ranks)), 1))
    for rank, spans in enumerate(ranks):
        folder = process_folder(directory, scenario, rank)
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_bytes(orjson.dumps(manifest(scenario, rank, [])))
        (folder / BLACK_BOX).write_bytes(box_bytes(spans))
    return analyse_autopsy(Run(directory / scenario.run))


def spans(*rows):
    """Open spans below one another: (name, group) or (name, group, options)."""
    return [
        BoxedSpan(row[0], row[1], at, at - 1, EPOCH + at * NANO, **{"step": 5, **dict(*row[2:])})
        for at, row in enumerate(rows, 1)
    ]


STEP = ("train.step", "step")
WAIT = ("train.all_reduce", "communication")
WORK = ("train.forward_backward", "forward_backward")


def test_the_verdict_is_one_sentence_with_rank_host_phase_step_and_since_when(tmp_path):
    """One killed, three wait."""
    answer = with_boxes(tmp_path, KILLED)
    assert answer.verdict == (
        "Rank 2 on host0 was killed in forward_backward of step 9, which began at 2025-10-09 "
        "08:53:20 UTC; ranks 0, 1, 3 had waited for it in demo.all_reduce of step 9 since "
        "2025-10-09 08:53:20 UTC when SIGTERM ended them at 2025-10-09 08:54:20 UTC."
    )
    (waiting, killed) = answer.groups
    assert (waiting.count, waiting.ranks, waiting.status) == (3, (0, 1, 3), "signal:SIGTERM")
    assert (killed.count, killed.ranks, killed.phase) == (1, (2,), "forward_backward")


def test_a_thousand_ranks_are_told_in_a_few_words(tmp_path):
    """Equal states are one group; the verdict names the one rank and counts the others."""
    scenario = Scenario(
        ranks=1024,
        ranks_per_host=8,
        steps=3,
        killed={700: 2},
        ended_by="SIGTERM",
        clock_offset_s={host: host * 0.01 for host in range(128)},
    )
    answer = with_boxes(tmp_path, scenario)
    assert [(one.rank, one.host) for one in answer.suspects] == [(700, "host87")]
    assert "1,023 ranks had waited for it in demo.all_reduce of step 2" in answer.verdict
    assert len(answer.verdict) < 400
    assert [group.count for group in answer.groups] == [1023, 1]


def test_a_lost_host_is_named_as_one(tmp_path):
    """All of its ranks, once each."""
    scenario = Scenario(
        ranks=12, steps=9, killed=dict.fromkeys(range(4, 8), 5), ended_by="SIGTERM", patience_s=60.0
    )
    answer = with_boxes(tmp_path, scenario)
    assert [one.rank for one in answer.suspects] == [4, 5, 6, 7]
    assert answer.verdict.startswith("Ranks 4 to 7 on host1 were killed in forward_backward")
    assert "That is every rank on host1: look at the host." in answer.verdict


def test_several_dead_on_several_hosts_are_listed_together(tmp_path):
    """No host is blamed for one of its four ranks."""
    scenario = Scenario(ranks=8, steps=9, killed={1: 5, 6: 5}, ended_by="SIGTERM", patience_s=60.0)
    answer = with_boxes(tmp_path, scenario)
    assert [one.rank for one in answer.suspects] == [1, 6]
    assert answer.verdict.startswith("Ranks 1, 6 were killed in forward_backward of step 5")
    assert "waited for them in" in answer.verdict
    assert "look at the host" not in answer.verdict


def test_when_all_wait_in_the_same_place_nobody_is_suspected(tmp_path):
    """It is the collective then, or the network."""
    answer = boxed_run(tmp_path, *[spans(STEP, WAIT)] * 4)
    assert answer.suspects == ()
    assert "suspect the collective itself or the network" in answer.verdict
    assert answer.verdict.startswith("All 4 ranks were killed in train.all_reduce of step 5")


def test_when_all_were_killed_at_work_nobody_is_suspected(tmp_path):
    """A job that was cancelled: one rank was done first and waited, as in every step."""
    answer = boxed_run(tmp_path, spans(STEP, WAIT), *[spans(STEP, WORK)] * 3)
    assert answer.suspects == ()
    assert "ranks 1 to 3 on host0 were killed in forward_backward" in answer.verdict.lower()
    assert "rank 0 on host0 was killed in train.all_reduce" in answer.verdict


def test_ranks_in_an_earlier_collective_are_behind(tmp_path):
    """Of two reductions in a step the second is the front."""
    reduced = BoxedSpan(*WAIT, 77, 1, EPOCH + NANO + 1, EPOCH + NANO + 9, step=5)
    before = BoxedSpan("train.step", "step", 66, 0, EPOCH, EPOCH + 5, step=4)
    ahead = [before, reduced, *spans(STEP, WAIT)]
    answer = boxed_run(tmp_path, ahead, ahead, [before, *spans(STEP, WAIT)], ahead)
    assert [one.rank for one in answer.suspects] == [2]


def test_waits_in_different_places_are_all_told(tmp_path):
    """A pipeline that is stuck: nobody works, and they do not wait for the same."""
    other = ("train.recv_forward", "communication")
    answer = boxed_run(tmp_path, *[spans(STEP, WAIT)] * 2, *[spans(STEP, other)] * 2)
    assert answer.suspects == ()
    assert "all of them wait, but not in the same place" in answer.verdict


def test_a_rank_that_never_began_is_told(tmp_path):
    """Four are expected, three left a record and wait."""
    answer = boxed_run(tmp_path, *[spans(STEP, WAIT)] * 3, world_size=4)
    assert answer.missing == (3,)
    assert "There is no record of rank 3; 3 ranks left one." in answer.verdict
    assert "suspect the collective" not in answer.verdict


@pytest.mark.parametrize("beside", [2, 1])
def test_the_thread_that_trains_tells_where_a_rank_stood(tmp_path, beside):
    """Not a later span of a thread beside it, nor one of the same thread outside of the step."""
    writer = BoxedSpan("ckpt.write", "checkpoint", 50, 0, EPOCH + 9 * NANO, step=5, thread=beside)
    answer = boxed_run(tmp_path, [*spans(STEP, WORK), writer])
    (row,) = answer.ranks
    assert row.path == ("train.step", "train.forward_backward")


def test_a_span_inside_of_a_wait_or_a_phase_belongs_to_it(tmp_path):
    """The wait is told by its own name, the phase with what was open in it."""
    poll, layer = ("nccl.poll", None), ("model.layer", None)
    answer = boxed_run(tmp_path, *[spans(STEP, WAIT, poll)] * 2, spans(STEP, WORK, layer))
    assert [one.rank for one in answer.suspects] == [2]
    assert "in forward_backward (model.layer) of step 5" in answer.verdict
    assert "in train.all_reduce of step 5" in answer.verdict
    assert answer.ranks[0].since_unix_nano == EPOCH + 2 * NANO


def test_nemo_wait_marks_a_wait_in_any_group(tmp_path):
    """As in the other analyses."""
    sync = ("train.sync", "optimizer", {"waits": True})
    answer = boxed_run(tmp_path, *[spans(STEP, sync)] * 2, spans(STEP, WORK))
    assert [one.rank for one in answer.suspects] == [2]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([STEP], "in step 5 (in none of its phases)"),
        ([("train.job", "job")], "in train.job, at step 5"),
        ([("train.job", "job"), ("eval", "evaluate")], "in evaluate at step 5"),
        ([("train.init", "model_init", {"step": None})], "in model_init,"),
        ([], "before any span had ended"),
    ],
)
def test_places_outside_of_phases_have_words_too(tmp_path, rows, words):
    """Between the phases, between the steps, before the first one."""
    assert words in boxed_run(tmp_path, spans(*rows)).verdict


def test_the_last_attempt_is_told_unless_another_one_is_asked_for(tmp_path):
    """A crash and a restart that ended well."""
    first = Scenario(ranks=2, steps=9, killed={1: 5}, ended_by="SIGTERM", patience_s=60.0)
    path, _truth = make_run(tmp_path, first, restarted(first, 3, 100.0, steps=4))
    assert analyse_autopsy(Run(path)).outcome == "ended"
    crash = analyse_autopsy(Run(path), restart=0)
    assert (crash.outcome, crash.restart, [one.rank for one in crash.suspects]) == ("died", 0, [1])
    assert "There is no attempt 7 in this run; there is 0, 1." in (
        analyse_autopsy(Run(path), restart=7).verdict
    )


def test_an_unreadable_box_is_one_line_and_files_are_used(tmp_path):
    """A future version, garbage."""
    path, _truth = make_run(tmp_path, KILLED)
    add_black_boxes(tmp_path, KILLED)
    for rank, content in enumerate((b"NLENSBOX\x63\0\0\0" + bytes(4096), b"garbage")):
        (process_folder(tmp_path, KILLED, rank) / BLACK_BOX).write_bytes(content)
    answer = analyse_autopsy(Run(path))
    assert answer.black_boxes == 2
    lines = [line for line in answer.problems if BLACK_BOX in line]
    assert len(lines) == 2
    assert all("no black box of a format that is known here" in line for line in lines)
    assert [row.source for row in answer.ranks] == ["files", "files", "black_box", "black_box"]
    assert [one.rank for one in answer.suspects] == [2]


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(data=st.data())
def test_damaged_boxes_never_raise(tmp_path_factory, data):
    """Cut off, torn, overwritten: an answer, and a verdict."""
    directory = tmp_path_factory.mktemp("torn")
    scenario = Scenario(ranks=2, steps=4, killed={1: 3}, ended_by="SIGTERM")
    path, _truth = make_run(directory, scenario)
    add_black_boxes(directory, scenario)
    file = process_folder(directory, scenario, 1) / BLACK_BOX
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(st.binary(min_size=1, max_size=80))
        content[at : at + len(piece)] = piece
    file.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    answer = analyse_autopsy(Run(path))
    assert answer.verdict
    assert len(answer.ranks) == 2
    orjson.dumps(answer.to_json())
