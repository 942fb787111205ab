# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Large runs are read by several processes: the answer is the same, and survives their loss."""

from __future__ import annotations

import sys

import pytest
from synthetic_runs import Scenario, make_run, process_folder

from nemo.lens.runs import Run, analyse_ranks, collect, parallel_collect

SCENARIO = Scenario(
    ranks=6,
    steps=40,
    killed={5: 30},
    nested=True,
    checkpoint_every=10,
    slow={(3, "forward_backward"): 1.7},
)


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A run that counts as large, with a torn file and a process without spans."""
    monkeypatch.setattr(parallel_collect, "_WORTHWHILE_BYTES", 1)
    path, _truth = make_run(tmp_path, SCENARIO)
    (process_folder(tmp_path, SCENARIO, 4) / "traces-00000.jsonl").write_bytes(b"")
    return path


def told(path, readers):
    run = Run(path)
    records = collect(run, readers=readers)
    assert tuple(record.process for record in records) == run.processes
    return [
        (list(record.steps), record.outside, record.names, record.spans, record.last_name)
        for record in records
    ], analyse_ranks(run, records)


def test_several_processes_read_what_one_reads(path):
    """Records, verdict and problems."""
    alone, report = told(path, 1)
    together, same = told(path, 3)
    assert together == alone
    assert same == report
    assert len(report.problems) == 2
    assert [straggler.rank for straggler in report.stragglers] == [3]


@pytest.mark.parametrize(
    "command",
    [
        ("/nowhere/python",),
        (sys.executable, "-c", "raise SystemExit(3)"),
        (sys.executable, "-c", "import os; os.write(1, b'no pickle'); os.kill(os.getpid(), 9)"),
    ],
)
def test_what_a_reading_process_does_not_hand_back_is_read_here(path, monkeypatch, command):
    """It cannot be started, ends early, or is killed in the middle."""
    alone, _report = told(path, 1)
    monkeypatch.setattr(parallel_collect, "_COMMAND", command)
    together, _report = told(path, 2)
    assert together == alone


def test_small_runs_and_single_cores_start_no_process():
    """Starting one takes longer than it saves."""
    small = dict.fromkeys("abcd", 1000)
    large = dict.fromkeys("abcd", 2**30)
    assert parallel_collect.shares(small, 2) == [["a", "b", "c", "d"]]
    assert parallel_collect.shares(large, 1) == [["a", "b", "c", "d"]]
    assert parallel_collect.shares({}, 2) == [[]]


def test_folders_are_divided_by_size():
    """The largest first, each to whom has least."""
    sizes = {"a": 2**30, "b": 2**30 // 2, "c": 2**30 // 2, "d": 1}
    assert parallel_collect.shares(sizes, 2) == [["a", "d"], ["b", "c"]]
    assert len(parallel_collect.shares(sizes, 64)) == 4
