# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens runs`: which runs a folder holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.cli import exits
from nemo.lens.cli.run_argument import folder

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.screen import Screen

NAME = "runs"
SUMMARY = "the recorded runs in a folder, the newest first"
DESCRIPTION = (
    "List the recorded runs in a folder: when each started, how many ranks left a record, how "
    "large it is, and whether every process came to an orderly end. Only manifests are read."
)
EPILOG = """\
examples:
  nemo-lens runs                    those in nemo-lens-runs
  nemo-lens runs /shared/runs --all
  nemo-lens runs --json | jq -r '.runs[0].path'     the newest

exit status:
  0 the runs were listed, 1 there is none, or nothing could be read,
  2 wrong usage
"""

_DEFAULT_DIRECTORY: Final = "nemo-lens-runs"
_MOST_ROWS: Final = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "path",
        metavar="DIR",
        nargs="?",
        type=folder,
        default=_DEFAULT_DIRECTORY,
        help=f"a folder of runs, or one run (default: {_DEFAULT_DIRECTORY})",
    )
    parser.add_argument(
        "--all", action="store_true", help=f"list every run, not only the newest {_MOST_ROWS}"
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """List the runs."""
    from nemo.lens.cli.views import run_list
    from nemo.lens.runs import RunError
    from nemo.lens.runs.inventory import take_inventory

    try:
        inventory = take_inventory(arguments.path)
    except RunError as error:
        raise exits.ProblemError(str(error)) from error
    if not inventory.runs:
        raise exits.ProblemError(
            f"{arguments.path!r} holds no run; nemo-lens demo records one, and so does a job with "
            "NEMO_LENS_ENABLED=1 NEMO_LENS_EXPORTER=file"
        )
    if arguments.json:
        screen.json(inventory.to_json())
    else:
        most = None if arguments.all else _MOST_ROWS
        screen.show(run_list.render(inventory, screen.page(), most=most))
    return exits.DONE
