# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens goodput` on runs whose answer is known, and on what is no run."""

from __future__ import annotations

import json

import pytest
from synthetic_runs import Scenario, make_run, restarted, write_run

from nemo.lens.cli import main
from nemo.lens.runs.bucket_table import BUCKETS

FIRST = Scenario(
    ranks=2,
    killed={1: 31},
    ended_by="SIGTERM",
    checkpoint_every=10,
    checkpoint_by="all",
    init_s=1.0,
    job_uuid="5f0f6d44-8d5e-5a0e-9a59-5d0a4f1f3d6b",
    run="first",
)
SECOND = restarted(FIRST, 21, 20.0, steps=40, run="second")


@pytest.fixture
def call(capsys):
    def run(*arguments):
        status = main(["goodput", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_the_page_tells_buckets_attempts_and_ranks(tmp_path, call):
    """A job and its restart under another run id are one answer."""
    path, _truth = make_run(tmp_path, FIRST, SECOND)
    status, out, err = call(path)
    assert (status, err) == (0, "")
    assert "was productive; the largest loss is the time between attempts" in " ".join(out.split())
    words = [line.split() for line in out.splitlines()]
    buckets = words[words.index(["bucket", "time", "share"]) + 1 :][:5]
    assert [line[0] for line in buckets] == list(BUCKETS)
    assert ["first", "0", "2"] in [line[:3] for line in words]
    assert ["second", "1", "2"] in [line[:3] for line in words]
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_the_shared_head_and_exact_processes(tmp_path, call):
    """Every process sums to its wall time."""
    path, _truth = make_run(tmp_path, FIRST, SECOND)
    _status, out, _err = call(path, "--json")
    answer = json.loads(out)
    assert list(answer)[:3] == ["schema", "run", "verdict"]
    assert answer["run"] == "first, second"
    assert answer["attempts"][0]["lost_steps"] == 10
    for row in answer["processes"]:
        assert sum(row["buckets_nano"].values()) == row["wall_nano"]


def test_one_run_may_be_told_alone(tmp_path, call):
    """Without the restart nothing was lost."""
    path, _truth = make_run(tmp_path, FIRST, SECOND)
    _status, out, _err = call(path.parent / "first", "--alone", "--json")
    assert json.loads(out)["run"] == "first"
    assert json.loads(out)["attempts"][0]["lost_steps"] == 0


def test_a_pipeline_can_fail_on_low_goodput(tmp_path, call):
    """Only a smaller share is a problem."""
    path = write_run(tmp_path, Scenario(steps=20))
    assert call(path, "--fail-below", "0.5")[0] == 0
    assert call(path, "--fail-below", "0.999")[0] == 1


def test_a_bucket_table_of_the_consumer_is_used(tmp_path, call):
    """And a wrong one is wrong usage, in one line."""
    path = write_run(tmp_path, Scenario(steps=20))
    file = tmp_path / "mine.json"
    file.write_text('{"groups": {"forward_backward": "overhead"}}')
    _status, out, _err = call(path, "--buckets", file, "--json")
    assert json.loads(out)["goodput"] < 0.2
    file.write_text('{"groups": {"forward_backward": "good"}}')
    status, out, err = call(path, "--buckets", file)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "'good' is no bucket; accepted are productive" in err
    assert call(path, "--fail-below", "2")[0] == 2


@pytest.mark.parametrize("content", [None, b"", b"no telemetry\n"])
def test_what_is_no_run_is_one_line_and_status_1(tmp_path, call, content):
    """Missing, empty, foreign."""
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_bytes(content)
    status, out, err = call(path)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("nemo-lens: error: no run at ")
