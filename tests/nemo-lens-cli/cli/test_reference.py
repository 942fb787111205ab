# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The documentation of the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "generate_cli_reference.py"


def check(page):
    """Compare a page with the code, as continuous integration does."""
    return subprocess.run(
        [sys.executable, SCRIPT, "--check", "--page", page],
        check=False,
        capture_output=True,
        text=True,
    )


def test_the_reference_says_what_the_commands_say():
    """docs/cli.md holds the arguments and examples of today's code."""
    done = check(ROOT / "docs" / "cli.md")

    assert (done.returncode, done.stderr) == (0, "")


def test_a_page_that_differs_is_found(tmp_path):
    """The check can fail, and says how to repair the page."""
    page = tmp_path / "cli.md"
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    page.write_text(text.replace("--slow-rank N", "--slow-ranks N"), encoding="utf-8")

    done = check(page)

    assert done.returncode == 1
    assert "generate_cli_reference.py" in done.stderr
