# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Run the tests that need torch in a side environment on Python 3.11, outside the lock.

torch is large and used only when a consumer has it, so it is no dependency of the workspace.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import workspace

PYTHON = "3.11"
TORCH = "torch==2.13.0"
TESTS = "tests/integration/test_torch_*.py"
# Kept between runs; .gitignore names it.
ENVIRONMENT = workspace.ROOT / ".torch"


def main() -> int:
    """Prepare the environment and run the tests; returns the exit status."""
    tests = [str(path) for path in sorted(workspace.ROOT.glob(TESTS))]
    if not tests:
        sys.exit(f"no test matches {TESTS}")
    base = _base_python()
    if base is None:
        print(f"NOT RUN: tests with torch, no Python {PYTHON} here")
        return workspace.NOT_RUN
    python = str(ENVIRONMENT / "bin" / "python")
    if not os.access(python, os.X_OK):
        subprocess.run([base, "-m", "venv", ENVIRONMENT], check=True)
    # pip, not uv: it honours the wheel folders that a machine may have for torch.
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.call([*pip, TORCH, "numpy", "pytest", "hypothesis"]) != 0:
        print(f"NOT RUN: tests with torch, pip cannot install {TORCH} here")
        return workspace.NOT_RUN
    # The tree itself, not an installed copy that a later run might find stale.
    parts = (workspace.API, workspace.SDK, workspace.CONTRIB)
    sources = [part.folder / "src" for part in parts]
    subprocess.run([*pip, "opentelemetry-sdk>=1.30,<2"], check=True)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))}
    pytest = [python, "-m", "pytest", "-m", "integration", "-p", "nemo.lens.testing", *tests]
    return subprocess.call(pytest, cwd=workspace.ROOT, env=env)


def _base_python() -> str | None:
    """The path of an installed Python of the wanted version, or None."""
    command = [workspace.uv(), "python", "find", "--no-project", "--system", PYTHON]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path.home())
    return found.stdout.strip() or None


if __name__ == "__main__":
    sys.exit(main())
