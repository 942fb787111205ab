# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A newcomer's first command on a machine that has Python and pip, and no uv."""

import os
import subprocess
from pathlib import Path

import pytest
import workspace

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("version", workspace.interpreters())
def test_the_readme_commands_start_on_every_python(copied_repository, version):
    """From a clean copy: uv comes by pip into .uv/, and uv prints no warning."""
    find = [workspace.uv(), "python", "find", "--no-project", "--system", version]
    python = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
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
    done = subprocess.run(
        [python, "dev.py", "test", "-q", "tests/packaging/test_headers.py"],
        cwd=copied_repository,
        env={**env, "PATH": os.pathsep.join(kept)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "dev.py: installing uv into .uv/" in done.stderr
    assert "warning" not in done.stderr
    assert (copied_repository / ".uv/bin/uv").exists()
