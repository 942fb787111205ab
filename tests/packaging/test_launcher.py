# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A newcomer's first command on a machine that has Python and pip, and no uv."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import workspace

pytestmark = pytest.mark.integration


def start(python, repository):
    """Run a few tests through the launcher, on a PATH without uv and without uv's settings."""
    kept = [
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not (Path(folder) / "uv").exists()
    ]
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("UV", "VIRTUAL_ENV", "PYTEST"))
    }
    return subprocess.run(
        [python, "dev.py", "test", "-q", "tests/packaging/test_headers.py"],
        cwd=repository,
        env={**env, "PATH": os.pathsep.join(kept)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_readme_commands_start_on_every_python(copied_repository):
    """From a clean copy: uv comes by pip into .uv/, and uv prints no warning."""
    versions = workspace.interpreters()
    assert versions
    for version in versions:
        shutil.rmtree(copied_repository / ".uv", ignore_errors=True)
        find = [workspace.uv(), "python", "find", "--no-project", "--system", version]
        python = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
        done = start(python, copied_repository)
        assert done.returncode == 0, done.stdout + done.stderr
        assert " passed" in done.stdout
        assert "dev.py: installing uv into .uv/" in done.stderr
        assert "warning" not in done.stderr
        assert (copied_repository / ".uv/bin/uv").exists()
