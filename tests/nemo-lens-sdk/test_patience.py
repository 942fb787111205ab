# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Set-up on a filesystem that does not answer."""

from __future__ import annotations

import json
import threading

import pytest

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.sdk import pipeline
from nemo.lens.sdk.files.folder import RunFolder
from nemo.lens.sdk.patience import done_within


@pytest.fixture
def answer(monkeypatch):
    """Have every run folder hang until the event is set."""
    answer = threading.Event()
    genuine = RunFolder.open

    def hang(folder):
        answer.wait(60)
        return genuine(folder)

    monkeypatch.setattr(RunFolder, "open", hang)
    monkeypatch.setattr(pipeline, "_OPENING_S", 0.1)
    yield answer
    answer.set()
    for thread in _opening():
        thread.join(60)


def _opening():
    return [thread for thread in threading.enumerate() if thread.name == "nemo-lens opening"]


def _set_up(tmp_path):
    config = NemoLensConfig(
        enabled=True,
        exporter="file",
        directory=str(tmp_path / "runs"),
        run_id="r",
        span_groups="all",
        blackbox_dir=str(tmp_path / "node"),
    )
    return setup_telemetry(config, rank=0, world_size=1)


def _manifest(tmp_path):
    (path,) = (tmp_path / "runs").rglob("manifest.json")
    return json.loads(path.read_text())


def test_a_folder_that_answers_late_gets_all_that_was_recorded_before(tmp_path, answer, caplog):
    """Set-up goes on without it, and says so."""
    handle = _set_up(tmp_path)
    assert caplog.text.count("has not answered") == 1
    with managed_span("step", "train.step"):
        pass
    answer.set()
    assert handle.shutdown()
    assert _manifest(tmp_path)["end"] == "shutdown"
    (path,) = (tmp_path / "runs").rglob("traces-*.jsonl")
    assert "train.step" in path.read_text()


def test_a_folder_that_answers_after_the_end_keeps_no_black_box_on_the_node(tmp_path, answer):
    """What is put away so late says how telemetry ended."""
    handle = _set_up(tmp_path)
    (opening,) = _opening()
    with managed_span("step", "train.step"):
        pass
    assert not handle.shutdown(200)
    answer.set()
    opening.join(60)
    assert list((tmp_path / "node").iterdir()) == []
    (path,) = (tmp_path / "runs").rglob("blackbox.bin")
    assert b"shutdown" in path.read_bytes()


def test_what_fails_in_time_is_raised():
    """Not swallowed with the thread it happened in."""
    with pytest.raises(ZeroDivisionError):
        done_within(10, lambda: 1 // 0)
    assert done_within(10, int)
