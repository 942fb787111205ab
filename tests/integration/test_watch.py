# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens watch` beside a real job, to its end, to its death, and until Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.integration

TIMEOUT_S = 240
LENS = (sys.executable, "-m", "nemo.lens.cli")


@pytest.fixture
def job(tmp_path):
    """Start a demo of two ranks in the background; its runs are in `tmp_path`."""
    started = []

    def start(steps):
        process = subprocess.Popen(
            [*LENS, "demo", "--ranks", "2", "--steps", str(steps), "--dir", str(tmp_path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        deadline = time.monotonic() + TIMEOUT_S
        while len(list(tmp_path.glob("*/0/*/traces-*.jsonl"))) < 2:
            assert time.monotonic() < deadline, "the job records nothing"
            assert process.poll() is None
            time.sleep(0.05)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
            process.wait(TIMEOUT_S)


def watch(path, *arguments):
    return subprocess.Popen(
        [*LENS, "watch", str(path), "--json", "--interval", "0.2", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_job_is_followed_to_its_end(tmp_path, job):
    """Steps only go up, everybody is alive meanwhile, and the end is in order."""
    running = job(60)
    watcher = watch(tmp_path)
    out, err = watcher.communicate(timeout=TIMEOUT_S)
    assert (watcher.returncode, err) == (0, "")
    assert running.wait(TIMEOUT_S) == 0
    looks = [json.loads(line) for line in out.splitlines()]
    steps = [look["step"] or 0 for look in looks]
    assert steps == sorted(steps)
    assert steps[-1] == 60
    assert any(look["ranks_alive"] == 2 and not look["ended"] for look in looks)
    assert looks[-1]["verdict"] == "The run has ended in order at step 60."


def test_a_job_that_is_killed_is_told(tmp_path, job):
    """The watch ends by itself, with status 1."""
    running = job(100_000)
    watcher = watch(tmp_path)
    os.kill(running.pid, signal.SIGKILL)
    for folder in tmp_path.glob("*/0/*"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(folder.name.rpartition("-")[2]), signal.SIGKILL)
    out, err = watcher.communicate(timeout=TIMEOUT_S)
    assert (watcher.returncode, err) == (1, "")
    last = json.loads(out.splitlines()[-1])
    assert "Ranks 0, 1 are gone without a recorded end." in last["verdict"]


def test_ctrl_c_ends_the_watch_and_not_the_job(tmp_path, job):
    """In one line, with status 130."""
    running = job(100_000)
    watcher = watch(tmp_path)
    assert watcher.stdout.readline()
    watcher.send_signal(signal.SIGINT)
    _out, err = watcher.communicate(timeout=TIMEOUT_S)
    assert (watcher.returncode, err) == (130, "nemo-lens: interrupted\n")
    assert running.poll() is None
