# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The argument that names a recorded run, shared by the commands that read one."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from nemo.lens.cli.exits import ProblemError

if TYPE_CHECKING:
    import argparse

    from nemo.lens.runs import Run


def add_run_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `DIR`."""
    parser.add_argument(
        "path",
        metavar="DIR",
        help="a recorded run, or a directory that holds exactly one",
    )


def open_run(path: str) -> Run:
    """The run at ``path``.

    Raises:
        ProblemError: There is none, or more than one.
    """
    from nemo.lens.runs import Run, RunError

    try:
        return Run(path)
    except RunError as error:
        raise ProblemError(str(error)) from error


def command_for(command: str, path: str) -> str:
    """How to call another command on the same run, ready for a shell."""
    return f"nemo-lens {command} {shlex.quote(path)}"
