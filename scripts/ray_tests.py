# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Run the tests on a real local Ray cluster, in an environment outside the lock.

Ray is large and used only when a consumer has it, so it is no dependency of the workspace.
"""

from __future__ import annotations

import subprocess
import sys

import workspace

RAY = "ray[serve]==2.60.0"
TESTS = "tests/integration/test_ray.py"


def main() -> int:
    """Run the tests with Ray laid over the locked environment; returns the exit status."""
    if not (workspace.ROOT / TESTS).exists():
        sys.exit(f"{TESTS} is missing")
    command = [workspace.uv(), "run", "--locked", "--with", RAY, "python"]
    if subprocess.call([*command, "-c", "import ray"], cwd=workspace.ROOT) != 0:
        print(f"NOT RUN: Ray tests, {RAY} cannot be installed here")
        return workspace.NOT_RUN
    pytest = ["-m", "pytest", "-m", "integration", TESTS]
    return subprocess.call([*command, *pytest], cwd=workspace.ROOT)


if __name__ == "__main__":
    sys.exit(main())
