# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens autopsy` on runs whose answer is known, and on what is no run."""

from __future__ import annotations

import json

import pytest
from synthetic_runs import Scenario, add_black_boxes, make_run, restarted, write_run

from nemo.lens.cli import main

DEAD = Scenario(
    ranks=4,
    ranks_per_host=2,
    steps=30,
    killed={2: 9},
    ended_by="SIGTERM",
    patience_s=60.0,
    job=True,
    clock_offset_s={1: 3.0},
)


@pytest.fixture
def call(capsys):
    def run(*arguments):
        status = main(["autopsy", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def dead(tmp_path):
    """One of four ranks was killed."""
    path, _truth = make_run(tmp_path, DEAD)
    add_black_boxes(tmp_path, DEAD)
    return path


def test_the_page_tells_the_verdict_who_stood_alike_and_every_process(dead, call):
    """In 80 columns; clocks that were taken out are shown."""
    status, out, err = call(dead)
    assert (status, err) == (0, "")
    assert out.startswith("Rank 2 on host1 was killed in forward_backward of step 9")
    assert max(map(len, out.splitlines())) <= 80
    words = [line.split() for line in out.splitlines()]
    assert ["0,", "1,", "3", "(3)", "signal:SIGTERM", "waits", "in"] in [w[:7] for w in words]
    assert ["2", "killed", "forward_backward", "9"] in [w[:4] for w in words]
    assert ["2", "host1", "1002", "killed"] in [w[:4] for w in words]
    assert "+3.00 s" in out


def test_json_has_the_shared_head_and_the_suspects(dead, call):
    """For a script."""
    _status, out, _err = call(dead, "--json")
    answer = json.loads(out)
    assert list(answer)[:3] == ["schema", "run", "verdict"]
    assert list(answer)[-1] == "problems"
    (suspect,) = answer["suspects"]
    assert (suspect["rank"], suspect["host"], suspect["step"]) == (2, "host1", 9)
    assert (suspect["phase"], suspect["status"]) == ("forward_backward", "killed")
    assert (answer["outcome"], answer["black_boxes"], answer["restart"]) == ("died", 4, 0)
    assert [row["waits"] for row in answer["ranks"]] == [True, True, False, True]


def test_a_pipeline_can_fail_on_a_dead_job(dead, tmp_path, call):
    """`--check`; a run that ended well passes."""
    assert call(dead, "--check")[0] == 1
    assert call(write_run(tmp_path, Scenario(steps=20, run="well")), "--check")[0] == 0


def test_an_attempt_can_be_chosen(tmp_path, call):
    """The last one otherwise; one that is not there is a problem, no number is wrong usage."""
    path, _truth = make_run(tmp_path, DEAD, restarted(DEAD, 3, 100.0, steps=4))
    assert "ended in order" in call(path)[1]
    assert "Rank 2 on host1" in call(path, "--attempt", 0)[1]
    status, out, _err = call(path, "--attempt", 5)
    assert status == 1
    assert "There is no attempt 5 in this run" in out
    assert call(path, "--attempt", "x")[0] == 2


def test_a_large_run_lists_the_suspect_and_the_rest_on_request(tmp_path, call):
    """Sixteen lines without `--all`."""
    large = Scenario(ranks=40, steps=5, killed={33: 3}, ended_by="SIGTERM", patience_s=60.0)
    path, _truth = make_run(tmp_path, large)
    add_black_boxes(tmp_path, large)
    _status, out, _err = call(path)
    assert "1033  killed" in out
    assert "24 more processes" in out
    assert call(path, "--all")[1].count("signal:SIGTERM") == 39 + 1


@pytest.mark.parametrize("content", [None, b"", b"no telemetry\n"])
def test_what_is_no_run_is_one_line_and_status_1(tmp_path, call, content):
    """Missing, empty, foreign."""
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_bytes(content)
    status, out, err = call(path)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("nemo-lens: error: no run at ")
