# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Make the repository's own scripts importable, as they are when they run."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT / "scripts"), str(_ROOT)]


@pytest.fixture
def copied_repository(tmp_path):
    """A clean checkout of this tree, in a folder that a test may damage."""
    import workspace

    copy = tmp_path / "repository"
    for path in workspace.tracked_files():
        target = copy / path.relative_to(workspace.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    for command in (["git", "init", "--quiet"], ["git", "add", "--all"]):
        subprocess.run(command, cwd=copy, check=True)
    return copy
