# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens diff` as it is called."""

from __future__ import annotations

import json
import re

import pytest
from synthetic_runs import Scenario, make_run, quiet

from nemo.lens.cli import exits, main


@pytest.fixture
def runs(tmp_path):
    """A baseline and a run that is slower by a quarter on rank 1."""
    make_run(tmp_path, Scenario(noise=quiet, run="main"))
    slow = Scenario(noise=quiet, run="branch", slow={(1, "forward_backward"): 1.25}, seed=7)
    make_run(tmp_path, slow)
    return str(tmp_path / "main"), str(tmp_path / "branch")


def test_it_shows_what_changed(runs, capsys):
    """The verdict first, then each part with its amount and its bounds."""
    assert main(["diff", *runs]) == exits.DONE
    out = capsys.readouterr().out
    text = " ".join(out.split())
    assert out.startswith("branch is slower in forward_backward of rank 1 (+10.")
    assert "whole step" in out
    assert "slower, on rank" in text
    assert "A change counts from 2% of a part on." in text


def test_check_fails_only_where_something_is_slower(runs, capsys):
    """Continuous integration needs no parsing."""
    assert main(["diff", *runs, "--check"]) == exits.PROBLEM
    assert main(["diff", *reversed(runs), "--check"]) == exits.DONE
    assert main(["diff", *runs, "--check", "--threshold", "60%"]) == exits.DONE
    capsys.readouterr()


def test_json_is_one_line(runs, capsys):
    """For scripts."""
    assert main(["diff", *runs, "--json"]) == exits.DONE
    answer = json.loads(capsys.readouterr().out)
    assert {part["kind"]: part["rank"] for part in answer["slower"]}["own_work"] == 1


@pytest.mark.parametrize("value", ["x", "-1", "101", "nan", ""])
def test_a_threshold_that_is_no_percentage_is_wrong_usage(runs, capsys, value):
    """One line that says what is accepted."""
    assert main(["diff", *runs, f"--threshold={value}"]) == exits.USAGE
    assert "is no percentage" in capsys.readouterr().err


@pytest.mark.parametrize("turned", [False, True])
def test_several_runs_in_a_folder_are_answered_with_a_command_that_works(runs, capsys, turned):
    """The other folder stays where it was given."""
    several = runs[0].rpartition("/")[0]
    given = [several, runs[0]] if turned else [runs[0], several]
    assert main(["diff", *given]) == exits.PROBLEM
    other = f"{several}/(main|branch)"
    order = f"{other} {runs[0]}" if turned else f"{runs[0]} {other}"
    assert re.search(rf"diff {order} \(others: ", capsys.readouterr().err)


@pytest.mark.parametrize("content", [None, b"", b"garbage"])
def test_what_is_no_run_is_one_line(runs, tmp_path, capsys, content):
    """Missing, empty, foreign."""
    path = tmp_path / "foreign.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert main(["diff", runs[0], str(path)]) == exits.PROBLEM
    assert len(capsys.readouterr().err.splitlines()) == 1
