# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The Python code that the pages show runs as it stands there."""

import shutil
import subprocess
import sys
from importlib.util import find_spec

import check_gated_arguments
import pytest
import workspace

# Names that every page uses without explaining them, and the script that pages call train.py.
PRELUDE = "rank, world_size = 0, 1\n"
TRAINING_SCRIPT = workspace.ROOT / "examples/train_loop.py"

# Frameworks outside of the lock; the blocks with them run where those are, in tests/integration.
ABSENT = [f"import {name}\n" for name in ("ray", "torch") if find_spec(name) is None]

# The extra `system` needs a newer OpenTelemetry than the lowest that everything else runs on.
WITHOUT_SYSTEM_METRICS = find_spec("opentelemetry.instrumentation.system_metrics") is None


def marks(code):
    """What the block needs beyond the package."""
    missing = "observe_system" in code and WITHOUT_SYSTEM_METRICS
    return [
        pytest.mark.skipif(missing, reason="needs the extra `system`"),
        pytest.mark.skipif(any(name in code for name in ABSENT), reason="needs a framework"),
    ]


BLOCKS = [
    pytest.param(code, id=f"{path.relative_to(workspace.ROOT)}:{line}", marks=marks(code))
    for path in workspace.tracked_files("*.md")
    for line, code in check_gated_arguments.code_blocks(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("code", BLOCKS)
def test_a_code_block_runs(code, tmp_path):
    """Each block on its own, with warnings as errors, and no file left behind."""
    shutil.copy(TRAINING_SCRIPT, tmp_path / "train.py")
    command = [sys.executable, "-W", "error", "-c", PRELUDE + code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]
