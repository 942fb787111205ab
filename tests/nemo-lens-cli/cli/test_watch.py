# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens watch` as it is called; tests/integration follow a real job with it."""

from __future__ import annotations

import json
import os
import re

import pytest
from rich.console import Console
from synthetic_runs import Scenario, process_folder, write_collector_file, write_run

from nemo.lens.cli import exits, main
from nemo.lens.cli.watch.table import table
from nemo.lens.runs.tailing_run import RunTail

ENDED = Scenario(ranks=4, steps=20)


@pytest.fixture
def call(capsys):
    def watch(*arguments):
        status = main(["watch", *map(str, arguments)])
        return status, *capsys.readouterr()

    return watch


def test_a_run_that_has_ended_is_one_line_and_the_verdict(tmp_path, call):
    """In order: status 0."""
    status, out, err = call(write_run(tmp_path, ENDED))
    assert (status, err) == (exits.DONE, "")
    line, verdict = out.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d UTC  step 20  0 of 4 ranks alive  0 lost", line)
    assert verdict == "The run has ended in order at step 20."


def test_a_rank_that_records_nothing_any_more_is_status_1(tmp_path, call):
    """At first it counts as alive, after a minute as silent."""
    scenario = Scenario(ranks=4, steps=20, killed={1: 12})
    path = write_run(tmp_path, scenario)
    status, out, _err = call(path, "--once")
    assert status == exits.DONE
    assert "1 of 4 ranks alive" in out
    assert out.splitlines()[-1] == "The run goes on at step 11."
    folder = process_folder(tmp_path, scenario, 1)
    for file in (*folder.iterdir(), folder):
        os.utime(file, (0, 0))
    status, out, _err = call(path, "--once")
    assert status == exits.PROBLEM
    assert "The run stands still at step 11. Rank 1 is silent" in out


def test_each_look_is_one_line_of_json(tmp_path, call):
    """With the head that all answers share."""
    status, out, _err = call(write_run(tmp_path, ENDED), "--json", "--interval", "0.1")
    assert status == exits.DONE
    (answer,) = map(json.loads, out.splitlines())
    assert list(answer)[:3] == ["schema", "run", "verdict"]
    assert answer["ended"] is True
    assert [row["rank"] for row in answer["ranks"]] == [0, 1, 2, 3]


@pytest.mark.parametrize("set_by", ["variable", "default"])
def test_without_a_run_the_newest_is_watched(tmp_path, monkeypatch, call, set_by):
    """Where NEMO_LENS_DIR says, else where runs are recorded by default."""
    directory = tmp_path / ("elsewhere" if set_by == "variable" else "nemo-lens-runs")
    write_run(directory, Scenario(run="old", ranks=1, steps=2))
    write_run(directory, Scenario(run="new", ranks=1, steps=5, begins_s=60.0))
    monkeypatch.chdir(tmp_path)
    if set_by == "variable":
        monkeypatch.setenv("NEMO_LENS_DIR", str(directory))
    status, out, _err = call()
    assert status == exits.DONE
    assert "step 5 " in out


def test_the_terminal_shows_the_ranks(tmp_path):
    """Of many those that tell most; names are text, whatever they look like."""
    path = write_run(
        tmp_path, Scenario(ranks=40, steps=10, slow={(33, "forward_backward"): 2.0}, run="[red]x")
    )
    console = Console(width=80)
    with console.capture() as capture:
        console.print(table(RunTail(path).look()))
    out = capture.get()
    assert "[red]x: The run has ended in order at step 10." in out
    assert re.search(r"^ *33 +10 ", out, re.MULTILINE)
    assert "and 24 more" in out


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "soon", "1e9"])
def test_an_interval_that_is_none_is_wrong_usage(tmp_path, call, text):
    """In one line that names what is accepted."""
    status, out, err = call(write_run(tmp_path, ENDED), f"--interval={text}")
    assert (status, out, err.count("\n")) == (exits.USAGE, "", 1)
    assert "is not a number of seconds from 0.1 to 3600" in err


@pytest.mark.parametrize("kind", ["missing", "empty", "garbage", "collector"])
def test_what_cannot_be_watched_is_one_line_and_status_1(tmp_path, call, kind):
    """And says what is expected."""
    path = tmp_path / "there"
    if kind == "empty":
        path.mkdir()
    elif kind == "garbage":
        path.write_bytes(b"\x00\xff\n")
    elif kind == "collector":
        path = write_collector_file(tmp_path / "spans.jsonl", ENDED)
    status, out, err = call(path)
    assert (status, out, err.count("\n")) == (exits.PROBLEM, "", 1)
    assert err.startswith("nemo-lens: error: ")
    assert "expected a run folder" in err
