# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens runs` on real runs, on killed ones, and on garbage."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from synthetic_runs import Scenario, make_run

RECORD = """
import sys, time
from nemo import lens
config = lens.NemoLensConfig(enabled=True, exporter="file", directory=sys.argv[1],
                             run_id=sys.argv[2], export_strategy="all_ranks")
handle = lens.setup_telemetry(config, rank=0, world_size=1)
with lens.span_cm("job"):
    pass
print("ready", flush=True)
if sys.argv[2] == "killed":
    time.sleep(60)
handle.shutdown()
"""


@pytest.fixture
def two_runs(tmp_path):
    """A run that ended, and a later one that was killed."""
    for run_id in ("done", "killed"):
        process = subprocess.Popen(
            [sys.executable, "-c", RECORD, str(tmp_path / "runs"), run_id],
            stdout=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if "OTEL" not in name},
        )
        assert process.stdout.readline() == "ready\n"
        if run_id == "killed":
            time.sleep(0.3)
            process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
    return tmp_path / "runs"


def test_runs_are_listed_with_how_they_ended(call, two_runs):
    """The newest first; what was killed has no end."""
    status, out, err = call("runs", str(two_runs))

    assert (status, err) == (0, "")
    killed, done = (
        next(line for line in out.splitlines() if line.startswith(f"{name} "))
        for name in ("killed", "done")
    )
    assert out.index(killed) < out.index(done)
    assert killed.endswith(" ago  no end")
    assert done.startswith("done ")
    assert done.endswith(" ended")
    assert max(map(len, out.splitlines())) <= 80


def test_json_holds_every_run(call, two_runs):
    """With the paths that the other commands take."""
    answer = json.loads(call("runs", str(two_runs), "--json")[1])

    assert [run["id"] for run in answer["runs"]] == ["killed", "done"]
    assert [run["state"] for run in answer["runs"]] == ["no end", "ended"]
    assert call("report", answer["runs"][1]["path"])[0] == 0


def test_only_the_newest_are_shown_unless_all_are_asked_for(call, tmp_path):
    """A folder of many runs is not poured out."""
    for number in range(40):
        folder = tmp_path / f"run-{number:02}" / "0" / "trainer-0-host-1"
        folder.mkdir(parents=True)
        manifest = {"schema": 1, "run": f"run-{number:02}", "started_unix_nano": number + 1}
        (folder / "manifest.json").write_text(json.dumps(manifest))

    shown, everything = (call("runs", str(tmp_path), *more)[1] for more in ([], ["--all"]))

    assert "run-39" in shown
    assert "run-09" not in shown
    assert "and 10 older ones" in shown
    assert all(f"run-{number:02}" in everything for number in range(40))


def test_the_default_folder_is_that_of_the_exporter(call, two_runs, monkeypatch):
    """`nemo-lens runs` where the job was started."""
    (two_runs.parent / "nemo-lens-runs").symlink_to(two_runs)
    monkeypatch.chdir(two_runs.parent)

    assert "nemo-lens-runs holds 2 runs" in call("runs")[1]


@pytest.mark.parametrize("content", [None, b"garbage"])
def test_garbage_is_one_line_and_status_1(call, tmp_path, content):
    """An empty folder, and one with files that are no runs."""
    if content is not None:
        (tmp_path / "traces-00000.txt").write_bytes(content)

    status, out, err = call("runs", str(tmp_path))

    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "holds no run" in err


def test_a_narrow_screen_is_kept_to(call, tmp_path, monkeypatch):
    """With the long names that the demo gives, by leaving out columns."""
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.chdir(tmp_path)
    path, _truth = make_run(Path(), Scenario(run="demo-20261130-211437-b1fb", killed={0: 3}))
    for command in (["runs", "."], ["goodput", str(path)]):
        status, out, _err = call(*command)
        assert status == 0
        assert max(map(len, out.splitlines())) <= 60
