# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The public surface as type checkers see it: mypy --strict and pyright strict."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
SURFACE = "tests/typing/helpers_surface.py"


@pytest.mark.parametrize(
    "command",
    [
        ["mypy", "--strict", "--follow-imports=silent", SURFACE],
        ["pyright", "--pythonpath", sys.executable, SURFACE],
    ],
    ids=lambda command: command[0],
)
def test_checkers_accept_the_right_uses_and_refuse_the_wrong_ones(command):
    """Wrong uses carry ignore comments; a comment that hides nothing is an error as well."""
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
