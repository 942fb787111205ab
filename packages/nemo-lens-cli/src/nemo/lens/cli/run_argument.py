# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The argument that names a recorded run, shared by the commands that read one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nemo.lens.cli.exits import ProblemError
from nemo.lens.cli.invocation import command_for

if TYPE_CHECKING:
    from nemo.lens.runs import Run

_MOST_LISTED = 9


def add_run_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `DIR`."""
    parser.add_argument(
        "path",
        metavar="DIR",
        type=folder,
        help="a recorded run, or a directory that holds exactly one",
    )


def folder(text: str) -> str:
    """A converter for paths; an empty one would silently mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty; . is the current folder")
    return text


def open_run(path: str, command: str, *, then: str = "") -> Run:
    """The run at ``path``.

    Args:
        path: Where to look.
        command: What is to be done with it, for the advice to do it with one of several runs.
        then: What follows the path in that advice.

    Raises:
        ProblemError: There is none, or more than one.
    """
    from nemo.lens.runs import Run, RunError, SeveralRunsError

    try:
        return Run(path)
    except SeveralRunsError as error:
        newest, *others = error.newest_first
        names = ", ".join(run.name for run in others[:_MOST_LISTED])
        more = f" and {len(others) - _MOST_LISTED} more" if len(others) > _MOST_LISTED else ""
        raise ProblemError(
            f"{path!r} holds {len(others) + 1} runs; for the newest: "
            f"{command_for(command, str(newest.path))}{then} (others: {names}{more})"
        ) from error
    except RunError as error:
        raise ProblemError(str(error)) from error
