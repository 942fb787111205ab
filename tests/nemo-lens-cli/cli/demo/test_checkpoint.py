# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of the demo."""

from __future__ import annotations

import json

import pytest

from nemo.lens.cli.demo import checkpoint
from nemo.lens.cli.demo.messages import TrainingPlan


def test_a_share_can_be_read_back(tmp_path):
    """Step, parameters and momentum come back bit for bit."""
    plan = TrainingPlan(str(tmp_path), "run", 4, 60, None)
    file = checkpoint.path(plan, 20, 3)

    checkpoint.save(file, 20, [0.1, 1e-300], [-2.5, 1 / 3])

    assert file == tmp_path / "run/checkpoints/step-000020/rank-00003-of-00004.json"
    assert json.loads(file.read_text()) == {
        "step": 20,
        "parameters": [0.1, 1e-300],
        "velocity": [-2.5, 1 / 3],
    }


def test_an_interrupted_write_leaves_the_earlier_share(tmp_path, monkeypatch):
    """A checkpoint is whole or not there: a failure while writing touches nothing."""
    file = tmp_path / "share.json"
    checkpoint.save(file, 1, [1.0], [1.0])

    def fail(_):
        raise OSError("no space left")

    monkeypatch.setattr(checkpoint.os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        checkpoint.save(file, 2, [2.0], [2.0])

    assert json.loads(file.read_text())["step"] == 1


def test_the_last_checkpoint_that_every_rank_wrote_is_loaded(tmp_path):
    """A share that is missing makes a checkpoint useless; shares come together in order."""
    plan = TrainingPlan(str(tmp_path), "run", 2, 60, None)
    assert checkpoint.last_whole(plan) == 0
    for step, ranks in ((20, (0, 1)), (40, (0, 1)), (60, (1,))):
        for rank in ranks:
            share = [float(step + rank), float(step + rank + 2)][: 2 - rank]
            checkpoint.save(checkpoint.path(plan, step, rank), step, share, [-1.0] * len(share))

    assert checkpoint.last_whole(plan) == 40
    assert checkpoint.load(plan, 40) == ([40.0, 41.0, 42.0], [-1.0, -1.0, -1.0])
