# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens diff`: what became slower or faster from one run to another."""

from __future__ import annotations

import argparse
import math
import shlex
from typing import TYPE_CHECKING

from nemo.lens.cli import exits
from nemo.lens.cli.run_argument import folder, open_run

if TYPE_CHECKING:
    from nemo.lens.cli.screen import Screen

NAME = "diff"
SUMMARY = "what became slower or faster from one run to another"
DESCRIPTION = (
    "Compare two recorded runs phase by phase. A change is told from what varies anyway by a "
    "bootstrap over the steps; waiting is judged by the rank that waits least, so that a slow rank "
    "is not mistaken for a slow network."
)
EPILOG = """\
examples:
  nemo-lens diff nemo-lens-runs/main nemo-lens-runs/branch
  nemo-lens diff main branch --threshold 5  only changes of 5% and more
  nemo-lens diff main branch --check        for continuous integration
  nemo-lens diff main branch --json | jq '.slower[].phase'

exit status:
  0 compared, 1 with --check something is slower, or nothing could be read,
  2 wrong usage
"""
_WHOLE = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "baseline", metavar="BASELINE", type=folder, help="the recorded run to compare with"
    )
    parser.add_argument("path", metavar="DIR", type=folder, help="the recorded run to judge")
    parser.add_argument(
        "--threshold",
        metavar="PERCENT",
        type=_percent,
        default=2.0,
        help="the smallest change of a part that counts (default: 2)",
    )
    parser.add_argument(
        "--check", action="store_true", help="exit with status 1 when something is slower"
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Compare the runs and show what changed."""
    from nemo.lens.cli.views import diff_page
    from nemo.lens.runs import compare_runs

    baseline = open_run(arguments.baseline, NAME, then=f" {shlex.quote(arguments.path)}")
    judged = open_run(arguments.path, f"{NAME} {shlex.quote(arguments.baseline)}")
    answer = compare_runs(baseline, judged, threshold=arguments.threshold / _WHOLE)
    if arguments.json:
        screen.json(answer.to_json())
    else:
        screen.show(diff_page.render(answer, screen.page()))
    return exits.PROBLEM if arguments.check and answer.slower else exits.DONE


def _percent(text: str) -> float:
    try:
        value = float(text.rstrip("% "))
    except ValueError:
        value = math.nan
    if not 0 <= value <= _WHOLE:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage; use 0 to 100, e.g. 2")
    return value
