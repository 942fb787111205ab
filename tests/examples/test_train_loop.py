# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The example script trains with and without telemetry, and records what it promises."""

import json
import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/train_loop.py"


def run(folder, **settings):
    """Run the example in a folder with these settings only; returns what it printed."""
    foreign = ("NEMO_LENS", "OTEL_", "SLURM_", "RANK")
    env = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    command = [sys.executable, "-W", "error", str(EXAMPLE)]
    done = subprocess.run(
        command, cwd=folder, env={**env, **settings}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_training_converges_and_records_nothing_by_itself(tmp_path):
    """Telemetry is off until it is asked for."""
    loss = float(run(tmp_path).rpartition(" ")[2])
    assert loss < 0.01
    assert list(tmp_path.iterdir()) == []


def test_the_documented_settings_record_each_step_and_the_loss(tmp_path):
    """The spans of 50 steps and the metric are in the run files."""
    settings = {
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_EXPORTER": "file",
        "NEMO_LENS_SPAN_GROUPS": "per_step",
    }
    run(tmp_path, **settings)
    (traces,) = tmp_path.glob("nemo-lens-runs/*/0/*/traces-00000.jsonl")
    (metrics,) = tmp_path.glob("nemo-lens-runs/*/0/*/metrics-00000.jsonl")
    names = [
        span["name"]
        for line in traces.read_text().splitlines()
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    for name in ("example.step", "example.forward_backward", "example.optimizer"):
        assert names.count(name) == 50
    assert "example.loss" in metrics.read_text()
