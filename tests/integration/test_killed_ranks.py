# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is left of ranks that are killed at random moments; 200 of them with the script itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

_TRIALS = 40


def test_the_records_of_killed_ranks_say_what_they_had_printed():
    """No closed span is lost, and exactly the open ones are open."""
    script = Path(__file__).with_name("kill_ranks.py")
    result = subprocess.run(
        [sys.executable, str(script), "--times", str(_TRIALS)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
