# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is no run, or only half of one: a clear line, what could be read, a status."""

from __future__ import annotations

import json
import os

import orjson
import pytest
from synthetic_runs import Scenario, make_run, process_folder, write_run

from nemo.lens.cli import main

COMMANDS = ("ranks", "goodput", "report", "autopsy")
SCENARIO = Scenario(steps=30)
each_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture
def call(capsys):
    def run(command, path):
        status = main([command, str(path), "--json"])
        captured = capsys.readouterr()
        return status, json.loads(captured.out) if captured.out else None, captured.err

    return run


def files(path, pattern="traces-*"):
    return sorted(path.rglob(pattern))


@each_command
@pytest.mark.parametrize("kind", ["missing", "empty folder", "empty file", "foreign", "unreadable"])
def test_no_run_is_one_line_that_names_the_path_and_what_is_accepted(tmp_path, call, command, kind):
    """Status 1, nothing on standard output."""
    path = tmp_path / "here"
    if kind == "unreadable" and os.geteuid() == 0:
        path = tmp_path / ("x" * 300)  # root may read everything, but not this
    elif kind in {"empty folder", "unreadable"}:
        path.mkdir()
    elif kind != "missing":
        path.write_bytes(b"" if kind == "empty file" else b"PK\x03\x04 some archive\n")
    if kind == "unreadable" and os.geteuid() != 0:
        path.chmod(0)
    status, answer, error = call(command, path)
    assert (status, answer, error.count("\n")) == (1, None, 1)
    assert "'" + str(path) + "'" in error
    assert "expected a run folder" in error


@each_command
def test_what_one_process_lost_does_not_hide_the_others(tmp_path, call, command):
    """A file of garbage: one line about it, the rest is analysed."""
    path = write_run(tmp_path, SCENARIO)
    (process_folder(tmp_path, SCENARIO, 2) / "traces-00000.jsonl").write_bytes(b"\xff" * 1000)
    status, answer, _error = call(command, path)
    assert status == 0
    assert any("trainer-2-host0-1002/traces" in line for line in answer["problems"])
    rows = answer["ranks"] if command != "goodput" else answer["processes"]
    assert {0, 1, 3} <= {row["rank"] for row in rows}


@each_command
def test_a_newer_writer_is_read_as_far_as_it_is_known(tmp_path, call, command):
    """The schema is named, nothing else is lost."""
    path = write_run(tmp_path, SCENARIO)
    _status, expected, _error = call(command, path)
    for file in files(path, "manifest.json"):
        future = orjson.loads(file.read_bytes()) | {"schema": 99, "engine": {"new": True}}
        file.write_bytes(orjson.dumps(future))
    status, answer, _error = call(command, path)
    assert status == 0
    assert sum("schema '99' is not the schema 1" in line for line in answer["problems"]) == 4
    ignored = {"problems": None}
    assert answer | ignored == expected | ignored


@each_command
def test_a_run_that_is_still_being_written_is_read_as_far_as_it_is(tmp_path, call, command):
    """No end in the manifests, and last lines that are not whole yet."""
    path, _truth = make_run(tmp_path, SCENARIO, torn=frozenset(range(4)))
    for file in files(path, "manifest.json"):
        found = orjson.loads(file.read_bytes()) | {"end": None, "ended_unix_nano": None}
        file.write_bytes(orjson.dumps(found))
    status, answer, _error = call(command, path)
    assert status == 0
    assert sum("still writing" in line for line in answer["problems"]) == 4
    assert answer["verdict"]


@each_command
def test_a_run_of_which_nothing_can_be_read_is_a_problem(tmp_path, call, command):
    """Processes are there, their spans are not."""
    path = write_run(tmp_path, Scenario(ranks=2, steps=5, killed={0: 1, 1: 1}))
    for file in files(path):
        file.with_name(f"{file.name}.gz").write_bytes(b"no gzip")
        file.unlink()
    for file in files(path, "manifest.json"):
        file.write_bytes(b"{")
    status, answer, _error = call(command, path)
    assert status == 1
    assert len(answer["problems"]) == 4


@each_command
@pytest.mark.parametrize(
    "scenario", [Scenario(ranks=1, steps=20), Scenario(ranks=1, steps=0, job=True, init_s=1.0)]
)
def test_one_process_and_no_steps_are_said_plainly(tmp_path, call, command, scenario):
    """An answer, no problem, no error."""
    status, answer, error = call(command, write_run(tmp_path, scenario))
    assert (status, error, answer["problems"]) == (0, "", [])
    if command == "ranks":
        assert "nothing to compare" in answer["verdict"]
