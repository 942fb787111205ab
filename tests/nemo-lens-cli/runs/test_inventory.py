# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which runs a folder holds, told from manifests and sizes."""

from __future__ import annotations

import json

import pytest

from nemo.lens.runs import RunError
from nemo.lens.runs.inventory import ENDED, NO_END, UNKNOWN, take_inventory

LINE = b'{"resourceSpans": []}\n'


def write_process(run, rank, *, started=1, end="exit", world_size=2):
    folder = run / "0" / f"trainer-{rank}-host-{100 + rank}"
    folder.mkdir(parents=True)
    manifest = {"schema": 1, "run": run.name, "rank": rank, "world_size": world_size, "end": end}
    (folder / "manifest.json").write_text(json.dumps(manifest | {"started_unix_nano": started}))
    (folder / "traces-00000.jsonl").write_bytes(LINE)
    return folder


def size_of(*folders):
    return sum(file.stat().st_size for folder in folders for file in folder.iterdir())


def test_the_newest_run_comes_first_with_what_there_is_of_it(tmp_path):
    """Start of the first process, ranks, size."""
    folders = [write_process(tmp_path / "new", rank, started=20 - rank) for rank in range(2)]
    write_process(tmp_path / "old", 0, started=10)

    new, old = take_inventory(tmp_path).runs

    assert (new.id, new.state, new.started_unix_nano) == ("new", ENDED, 19)
    assert (new.processes, new.ended, new.ranks, new.world_size) == (2, 2, 2, 2)
    assert new.bytes == size_of(*folders)
    assert new.written_unix_nano == max(
        file.stat().st_mtime_ns for folder in folders for file in folder.iterdir()
    )
    assert (old.id, old.ranks, old.world_size) == ("old", 1, 2)


def test_a_run_with_a_process_that_left_no_end_has_none(tmp_path):
    """It runs still, or was killed."""
    write_process(tmp_path / "run", 0)
    write_process(tmp_path / "run", 1, end=None)

    inventory = take_inventory(tmp_path)

    assert (inventory.runs[0].state, inventory.runs[0].ended) == (NO_END, 1)
    assert "1 without an orderly end" in inventory.verdict


def test_a_damaged_manifest_is_a_problem_and_the_run_is_listed(tmp_path):
    """Under the name of its folder."""
    folder = write_process(tmp_path / "run", 0)
    (folder / "manifest.json").write_bytes(b"\xffgarbage")

    inventory = take_inventory(tmp_path)

    assert [run.id for run in inventory.runs] == ["run"]
    assert inventory.runs[0].started_unix_nano is None
    assert [line.partition(":")[0] for line in inventory.problems] == [
        "run/0/trainer-0-host-100/manifest.json"
    ]


def test_files_of_a_collector_are_a_run_of_unknown_state(tmp_path):
    """They are listed without being read."""
    (tmp_path / "out.jsonl").write_bytes(LINE)

    (run,) = take_inventory(tmp_path / "out.jsonl").runs

    assert (run.id, run.state, run.processes, run.bytes) == ("out.jsonl", UNKNOWN, 0, len(LINE))


def test_a_folder_without_runs_holds_none(tmp_path):
    """That is an answer; a path that does not exist is none."""
    assert take_inventory(tmp_path).runs == ()
    with pytest.raises(RunError, match="missing"):
        take_inventory(tmp_path / "missing")


def test_thousands_of_ranks_are_listed_from_their_manifests_alone(tmp_path, monkeypatch):
    """No recorded line is read, whatever its size."""
    for rank in range(2000):
        write_process(tmp_path / "run", rank, world_size=2000)
    monkeypatch.setattr("nemo.lens.runs.lines.raw_lines", None)
    monkeypatch.setattr("nemo.lens.runs.locate.raw_lines", None)

    (run,) = take_inventory(tmp_path).runs

    assert (run.ranks, run.processes, run.ended) == (2000, 2000, 2000)
