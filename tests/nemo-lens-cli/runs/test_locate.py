# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Finding runs: run folders, folders of runs, collector files, and what is none of them."""

from __future__ import annotations

import gzip

import pytest
from synthetic_runs import Scenario, process_folder, write_collector_file, write_run

from nemo.lens.runs import Run, RunError, find_runs
from nemo.lens.runs.locate import segments

SMALL = Scenario(ranks=2, steps=3)


def test_a_run_folder_is_a_run(tmp_path):
    """The run folder itself is accepted and gives its name."""
    path = write_run(tmp_path, SMALL)
    assert Run(path).run_id == "synthetic"
    assert [process.rank for process in Run(path).processes] == [0, 1]


def test_a_folder_that_holds_one_run_is_accepted_as_that_run(tmp_path):
    """The directory above a single run stands for it."""
    path = write_run(tmp_path, SMALL)
    assert Run(tmp_path).path == path
    assert Run(str(tmp_path)).run_id == "synthetic"


def test_a_process_folder_is_a_run_of_one_process(tmp_path):
    """One rank's folder can be looked at alone."""
    write_run(tmp_path, SMALL)
    run = Run(process_folder(tmp_path, SMALL, 1))
    assert [process.rank for process in run.processes] == [1]
    assert len(list(run.spans())) == 15


def test_several_runs_are_one_clear_error_that_lists_them(tmp_path):
    """Nothing is guessed between two runs, and both are named."""
    write_run(tmp_path, Scenario(ranks=1, steps=1, run="a"))
    write_run(tmp_path, Scenario(ranks=1, steps=1, run="b"))
    assert [run.name for run in find_runs(tmp_path)] == ["a", "b"]
    with pytest.raises(RunError, match="holds 2 runs, the newest first: b, a; name one") as caught:
        Run(tmp_path)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_run_whose_id_is_a_number_is_no_shard(tmp_path):
    """SLURM job ids are numbers; the folder above is still a folder of runs."""
    write_run(tmp_path, Scenario(ranks=1, steps=1, run="12345"))
    assert Run(tmp_path).run_id == "12345"


def test_ranks_of_several_shards_are_one_run(tmp_path):
    """Ranks from 256 on live in the next shard, unranked processes in shard x."""
    for rank in (0, 300):
        folder = process_folder(tmp_path, SMALL, rank)
        folder.mkdir(parents=True)
        (folder / "traces-00000.jsonl").write_bytes(b"")
    unranked = tmp_path / "synthetic" / "x" / "driver-x-host0-7"
    unranked.mkdir(parents=True)
    processes = Run(tmp_path).processes
    assert [(process.role, process.rank) for process in processes] == [
        ("driver", None),
        ("trainer", 0),
        ("trainer", 300),
    ]


def test_other_folders_in_a_run_are_left_alone(tmp_path):
    """A consumer may keep its checkpoints beside the shards."""
    path = write_run(tmp_path, SMALL)
    (path / "checkpoints" / "step-000020").mkdir(parents=True)
    (path / "notes.txt").write_text("fine")
    assert len(Run(path).processes) == 2
    assert Run(path).problems == ()


@pytest.mark.parametrize("make", ["missing", "empty", "foreign", "foreign_file", "empty_file"])
def test_what_is_no_run_gets_one_line_that_says_what_is_accepted(tmp_path, make):
    """Missing, empty and foreign paths name the path and what is accepted."""
    path = tmp_path / make
    if make.endswith("_file"):
        path = path.with_suffix(".json")
        path.write_text('{"name": "something else"}\n' if make == "foreign_file" else "")
    elif make != "missing":
        path.mkdir()
        if make == "foreign":
            (path / "package.json").write_text('{"name": "something else"}')
            (path / "0").mkdir()
    with pytest.raises(RunError, match="expected a run folder") as caught:
        Run(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_collector_file_is_split_into_its_processes(tmp_path):
    """Resources tell the ranks that a collector interleaved in one file."""
    path = write_collector_file(tmp_path / "otlp.jsonl", Scenario(ranks=3, steps=20))
    run = Run(path)
    assert [process.rank for process in run.processes] == [0, 1, 2]
    assert {process.world_size for process in run.processes} == {3}
    assert len(list(run.spans())) == 3 * 20 * 5


def test_two_runs_in_a_collector_file_never_mix(tmp_path):
    """Without a choice it is an error, with one only that run is read."""
    first = write_collector_file(tmp_path / "a.jsonl", Scenario(ranks=1, steps=2, run="first"))
    second = write_collector_file(tmp_path / "b.jsonl", Scenario(ranks=2, steps=3, run="second"))
    assert Run(first).run_id == "first"
    with pytest.raises(RunError, match=r"2 runs \(first, second\)"):
        Run(tmp_path)
    run = Run(tmp_path, run_id="second")
    assert len(run.processes) == 2
    assert len(list(run.spans())) == len(list(Run(second).spans()))
    with pytest.raises(RunError, match="no run 'third'"):
        Run(tmp_path, run_id="third")


@pytest.mark.parametrize(
    ("there", "read"),
    [
        (("traces-00000.jsonl.gz", "traces-00000.jsonl"), "traces-00000.jsonl.gz"),
        (("traces-00000.jsonl", "traces-00000.jsonl.gz.part"), "traces-00000.jsonl"),
        (("traces-00000.jsonl.zst", "traces-00000.jsonl"), "traces-00000.jsonl"),
    ],
)
def test_a_segment_that_is_there_twice_is_read_once(tmp_path, there, read):
    """The `.gz` is whole once it has its name; a `.part` never counts."""
    for name in (*there, "traces-00001.jsonl.gz", "traces-00002.jsonl.part", "x.tmp"):
        (tmp_path / name).write_bytes(b"")
    found = [path.name for path in segments(tmp_path)["traces"]]
    assert found == [read, "traces-00001.jsonl.gz"]


def test_a_run_read_while_a_segment_is_packed_has_each_span_once(tmp_path):
    """Between the renaming of the packed file and the end of the plain one both are there."""
    folder = write_run(tmp_path, SMALL)
    spans = len(list(Run(folder).spans()))
    for plain in list(folder.rglob("traces-00000.jsonl")):
        plain.with_name(plain.name + ".gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.with_name(plain.name + ".gz.part").write_bytes(b"half")
    assert spans
    run = Run(folder)
    assert len(list(run.spans())) == spans
    assert not list(run.problems)
