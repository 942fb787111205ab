# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens goodput`: how much of a job's time brought it forward."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nemo.lens.cli import exits
from nemo.lens.cli.run_argument import folder, open_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.screen import Screen
    from nemo.lens.runs import BucketTable, Run

NAME = "goodput"
SUMMARY = "how much of the time brought the job forward"
DESCRIPTION = (
    "Divide the time of a job into productive work, overhead, idling, work that a restart did again, "
    "and the rest. Runs of the same job (nv.dl.job.uuid) in the same folder are told as one."
)
EPILOG = """\
examples:
  nemo-lens goodput nemo-lens-runs/demo-20260102-030405-1f2e
  nemo-lens goodput nemo-lens-runs/4711 /other/4712   a job and its restart
  nemo-lens goodput DIR --buckets mine.json    other groups, other buckets
  nemo-lens goodput DIR --json | jq '.goodput'
  nemo-lens goodput DIR --fail-below 0.8       fail a pipeline

exit status:
  0 the time was divided, 2 wrong usage, 1 nothing could be read
  (with --fail-below also: the productive share is smaller)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths",
        metavar="DIR",
        nargs="+",
        type=folder,
        help="a recorded run, or a directory that holds exactly one; more of the same job",
    )
    parser.add_argument(
        "--alone",
        action="store_true",
        help="leave out other runs of the same job in the same folder",
    )
    parser.add_argument(
        "--buckets",
        metavar="FILE",
        type=folder,
        help="JSON that says which groups and attributes belong to which bucket",
    )
    parser.add_argument(
        "--fail-below",
        metavar="SHARE",
        type=_share,
        help="exit with status 1 when less than SHARE (0 to 1) was productive",
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Divide the time and show it."""
    from nemo.lens.cli.views import goodput_page
    from nemo.lens.runs import analyse_goodput

    table = _table(arguments)
    answer = analyse_goodput(_runs(arguments.paths, alone=arguments.alone), table)
    if arguments.json:
        screen.json(answer.to_json())
    else:
        screen.show(goodput_page.render(answer, screen.page()))
    too_little = arguments.fail_below is not None and answer.goodput < arguments.fail_below
    return exits.PROBLEM if too_little or not answer.total_s else exits.DONE


def _runs(paths: Sequence[str], *, alone: bool) -> list[Run]:
    """The runs at the paths and, unless told otherwise, those of the same jobs beside them."""
    from nemo.lens.runs import runs_of_job

    named = [open_run(path, NAME) for path in paths]
    found = [other for run in named for other in ([run] if alone else runs_of_job(run))]
    return list({run.path.resolve(): run for run in found}.values())


def _table(arguments: argparse.Namespace) -> BucketTable | None:
    from nemo.lens.runs import BucketTable

    if arguments.buckets is None:
        return None
    try:
        return BucketTable.from_file(arguments.buckets)
    except ValueError as error:
        raise exits.UsageError(
            f"{arguments.parser.prog}: error: argument --buckets: {error}"
        ) from error


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return share
