# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Check what the demo's report says: the slow rank that was asked for, and none without one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

import workspace

_SLOW_RANK = 2


def stragglers(folder: str, *options: str) -> list[tuple[int, str]]:
    """Run the demo and return the rank and phase of each straggler that `ranks` reports."""
    demo = ["nemo-lens", "demo", "--dir", folder, *options]
    subprocess.run(demo, stdout=subprocess.DEVNULL, check=True)
    ranks = ["nemo-lens", "ranks", folder, "--json"]
    answer = subprocess.run(ranks, capture_output=True, text=True, check=True).stdout
    return [(each["rank"], each["phase"]) for each in json.loads(answer)["stragglers"]]


def problem_in(expected: list[tuple[int, str]], *options: str) -> list[str]:
    """One line when the stragglers of a demo run with these options are not as expected."""
    with tempfile.TemporaryDirectory() as folder:
        found = stragglers(folder, *options)
    shown = " ".join(("demo", *options))
    print(f"{shown}: stragglers {found}", flush=True)
    return [] if found == expected else [f"{shown}: expected stragglers {expected}, got {found}"]


def main() -> int:
    """Run the demo both ways; returns the exit status."""
    slow = [(_SLOW_RANK, "forward_backward")]
    problems = problem_in(slow, "--slow-rank", str(_SLOW_RANK)) + problem_in([])
    return workspace.report(problems, "demo: the slow rank is named, and no rank without one")


if __name__ == "__main__":
    sys.exit(main())
