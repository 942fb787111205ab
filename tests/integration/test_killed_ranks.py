# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is left of ranks that are killed at random moments; 200 of them with the script itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nemo.lens.runs import Run

pytestmark = pytest.mark.integration

_TRIALS = 40


def test_the_records_of_killed_ranks_say_what_they_had_printed():
    """No closed span is lost, and exactly the open ones are open."""
    script = Path(__file__).with_name("kill_ranks.py")
    result = subprocess.run(
        [sys.executable, str(script), "--times", str(_TRIALS)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


def test_a_demo_that_is_killed_whole_tells_where_each_rank_stood(tmp_path):
    """Launcher and ranks go at once; nobody is left to end the recording."""
    demo = subprocess.Popen(
        [sys.executable, "-m", "nemo.lens.cli", "demo", "--dir", str(tmp_path), "--steps", "99999"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while sum(1 for _path in tmp_path.rglob("traces-*.jsonl")) < 4:
            assert demo.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        os.killpg(demo.pid, signal.SIGKILL)
        demo.wait()
    run = _run_of_dead(tmp_path)
    assert [process.rank for process in run.processes] == [0, 1, 2, 3]
    last_steps = {process.rank: _last_step(run, process) for process in run.processes}
    for process in run.processes:
        box = process.black_box
        assert (process.end, box.ended) == (None, "killed")
        assert box.open_spans[0].name == "demo.job"
        assert (box.step or 0) >= last_steps[process.rank]
    assert run.problems == ()


def _last_step(run, process):
    steps = (span for span in run.spans() if span.process is process and span.group == "step")
    return max((int(span.attributes["dl.iteration"]) for span in steps), default=0)


def _run_of_dead(path):
    """The run once its ranks are gone, which are nobody's children any more."""
    deadline = time.monotonic() + 30
    while any(process.black_box.ended == "running" for process in Run(path).processes):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return Run(path)
