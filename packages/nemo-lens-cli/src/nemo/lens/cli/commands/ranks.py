# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens ranks`: which rank is slow, and in which phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.cli import exits
from nemo.lens.cli.run_argument import add_run_argument, open_run

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.screen import Screen

NAME = "ranks"
SUMMARY = "which rank is slow, and in which phase"
DESCRIPTION = (
    "Compare the ranks of a run. In a synchronous step all ranks take equally long, because the "
    "fast ones wait; so each rank's own work is told from its waiting."
)
EPILOG = """\
examples:
  nemo-lens ranks nemo-lens-runs/demo-20260102-030405-1f2e
  nemo-lens ranks DIR --json | jq '.stragglers'
  nemo-lens ranks DIR --check       fail a pipeline when a rank is slow

exit status:
  0 the ranks were compared, 2 wrong usage, 1 nothing could be read
  (with --check also: a straggler was found)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_run_argument(parser)
    parser.add_argument("--all", action="store_true", help="list every rank of a large run")
    parser.add_argument(
        "--check", action="store_true", help="exit with status 1 when there is a straggler"
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Analyse the ranks and show them."""
    from nemo.lens.cli.views import rank_table
    from nemo.lens.runs import analyse_ranks

    answer = analyse_ranks(open_run(arguments.path, NAME))
    if arguments.json:
        screen.json(answer.to_json())
    else:
        page = screen.page()
        rank_table.verdict(page, answer.verdict, good=not (answer.stragglers or answer.problems))
        rank_table.ranks(page, answer.ranks, answer.stragglers, everything=arguments.all)
        rank_table.problems(page, answer.problems)
        screen.show(page)
    nothing_read = bool(answer.problems) and not answer.ranks
    found = arguments.check and bool(answer.stragglers)
    return exits.PROBLEM if nothing_read or found else exits.DONE
