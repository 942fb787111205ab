# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens autopsy`: where every rank of a hung or dead job stood."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nemo.lens.cli import exits
from nemo.lens.cli.run_argument import add_run_argument, open_run

if TYPE_CHECKING:
    from nemo.lens.cli.screen import Screen

NAME = "autopsy"
SUMMARY = "where every rank of a hung or dead job stood"
DESCRIPTION = (
    "Tell where every rank of a job stood when it hung or died, who never arrived where the others "
    "wait, and since when: from the black boxes, and from the run files where there is none. A job "
    "that still runs can be asked too, on its own node."
)
EPILOG = """\
examples:
  nemo-lens autopsy nemo-lens-runs/demo-20260102-030405-1f2e
  nemo-lens autopsy DIR --attempt 0     the attempt before the restart
  nemo-lens autopsy DIR --json | jq '.suspects'
  nemo-lens autopsy DIR --check         fail a pipeline when it hung or died

exit status:
  0 the processes were looked at, 2 wrong usage, 1 nothing could be read
  (with --check also: the job hung or died)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_run_argument(parser)
    parser.add_argument(
        "--attempt",
        metavar="N",
        type=_attempt,
        help="which attempt of a restarted job, 0 for the first (default: the last)",
    )
    parser.add_argument("--all", action="store_true", help="list every process of a large run")
    parser.add_argument(
        "--check", action="store_true", help="exit with status 1 when the job hung or died"
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Look at the processes and tell where they stood."""
    from nemo.lens.cli.views import autopsy_page
    from nemo.lens.runs import analyse_autopsy

    answer = analyse_autopsy(open_run(arguments.path, NAME), restart=arguments.attempt)
    if arguments.json:
        screen.json(answer.to_json())
    else:
        screen.show(autopsy_page.render(answer, screen.page(), everything=arguments.all))
    found = arguments.check and answer.outcome in {"hung", "died"}
    something = any(row.last_unix_nano or row.ended_unix_nano for row in answer.ranks)
    nothing_read = not answer.ranks or (bool(answer.problems) and not something)
    return exits.PROBLEM if found or nothing_read else exits.DONE


def _attempt(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of an attempt: 0 or more")
    return number
