# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens timeline` as it is called."""

from __future__ import annotations

import gzip
import json

import pytest
from synthetic_runs import Scenario, make_run

from nemo.lens.cli import exits, main


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A small run, and a folder to write into."""
    path, _truth = make_run(tmp_path / "runs", Scenario(steps=3, run="a b/c"))
    monkeypatch.chdir(tmp_path)
    return str(path)


def events(data):
    return json.loads(data)["traceEvents"]


def test_it_is_written_here_under_the_name_of_the_run(run, tmp_path, capsys):
    """Compressed, and the page says where it is and what to do with it."""
    assert main(["timeline", run]) == exits.DONE
    out = capsys.readouterr().out
    assert "https://ui.perfetto.dev" in out
    assert out.splitlines()[-1] == "timeline-a_b_c.json.gz"
    assert events(gzip.decompress((tmp_path / "timeline-a_b_c.json.gz").read_bytes()))
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".part"] == []


def test_it_can_be_written_elsewhere_and_to_standard_output(run, tmp_path, capsysbinary):
    """Plain where the name does not end in .gz."""
    assert main(["timeline", run, "-o", "t.json", "--json"]) == exits.DONE
    assert json.loads(capsysbinary.readouterr().out)["file"] == "t.json"
    assert events((tmp_path / "t.json").read_bytes())
    assert main(["timeline", run, "-o", "-"]) == exits.DONE
    assert events(capsysbinary.readouterr().out)


@pytest.mark.parametrize("arguments", [["--steps", "x"], ["--ranks", "3-1"], ["-o", ""]])
def test_wrong_usage_is_told(run, capsys, arguments):
    """In one line."""
    assert main(["timeline", run, *arguments]) == exits.USAGE
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["--steps", "99"], ["-o", "nowhere/t.json"], ["-o", "."]])
def test_what_cannot_be_done_is_told_and_leaves_nothing_behind(run, tmp_path, capsys, arguments):
    """No half-written file, and one line."""
    assert main(["timeline", run, *arguments]) == exits.PROBLEM
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["runs"]
