# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens timeline` as it is called."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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


def test_a_pipe_is_written_and_stays_a_pipe(run, tmp_path):
    """Nothing that is no file is replaced by one: not /dev/null either."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        assert main(["timeline", run, "-o", str(pipe)]) == exits.DONE
        assert events(read.result(timeout=30))
    assert pipe.is_fifo()


def test_a_full_disk_behind_standard_output_is_told(run):
    """In one line, whether it is full at once or at the end."""
    script = f"exec {sys.executable} -I -m nemo.lens.cli timeline '{run}' -o - > /dev/full"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == exits.PROBLEM
    assert done.stderr == "nemo-lens: error: cannot print the answer: No space left on device\n"


def test_what_could_not_be_read_is_told_beside_the_timeline(run, capsysbinary):
    """On standard error, where it does not damage what is piped on."""
    torn = next(Path(run).rglob("traces-00000.jsonl"))
    torn.write_bytes(torn.read_bytes() + b'{"resourceSpans": [{"sco')
    assert main(["timeline", run, "-o", "-"]) == exits.DONE
    captured = capsysbinary.readouterr()
    assert events(captured.out)
    [problem] = captured.err.decode().splitlines()
    assert "the last line is torn" in problem
