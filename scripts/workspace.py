# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the repository scripts know about the workspace: its distributions and how to run uv."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent

# Exit status of a command that found that its part cannot run on this machine.
NOT_RUN = 77


@dataclass(frozen=True)
class Distribution:
    """One published distribution and the paths of the import package that are its own.

    Attributes:
        name: Name on the package index and of the folder under ``packages/``.
        owns: Path prefixes inside a wheel, the only ones besides its metadata.
    """

    name: str
    owns: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The folder of the distribution in this checkout."""
        return ROOT / "packages" / self.name


API = Distribution("nemo-lens-api", ("nemo/lens/",))
SDK = Distribution(
    "nemo-lens-sdk",
    (
        "nemo/lens/sdk/",
        "nemo/lens/providers.py",
        "nemo/lens/sampling.py",
        "nemo/lens/strategies.py",
        "nemo/lens/logging_bridge.py",
    ),
)
INSTRUMENTS = Distribution("nemo-lens-instruments", ("nemo/lens/instruments/",))
CONTRIB = Distribution("nemo-lens-contrib", ("nemo/lens/contrib/",))
CLI = Distribution("nemo-lens-cli", ("nemo/lens/cli/", "nemo/lens/runs/"))
META = Distribution("nemo-lens", ())
DISTRIBUTIONS = (API, SDK, INSTRUMENTS, CONTRIB, CLI, META)


def uv() -> str:
    """The uv to use: the one that runs this script, else the one on PATH."""
    found = os.environ.get("UV") or shutil.which("uv")
    if found is None:
        sys.exit("uv is neither in the UV variable nor on PATH; use `python3 dev.py`.")
    return found


def interpreters() -> list[str]:
    """The Python versions (``"3.10"``) that uv finds here, oldest first, from 3.10 on."""
    listing = subprocess.run(
        [uv(), "python", "list", "--only-installed", "--output-format", "json", ">=3.10"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = {
        (entry["version_parts"]["major"], entry["version_parts"]["minor"])
        for entry in json.loads(listing.stdout)
        if entry["implementation"] == "cpython"
    }
    return [f"{major}.{minor}" for major, minor in sorted(found)]


def tracked_files(*patterns: str) -> list[Path]:
    """The files of the checkout that git tracks or would track, matching any pattern."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = (ROOT / line for line in sorted(set(listing.stdout.splitlines())))
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def report(problems: Sequence[str], passed: str) -> int:
    """Print the problems, or what passed; returns the exit status."""
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(passed)
    return 1 if problems else 0
