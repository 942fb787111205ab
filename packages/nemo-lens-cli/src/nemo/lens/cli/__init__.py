# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The `nemo-lens` command.

Exit statuses of every command: 0 it did what was asked; 1 it found a problem, or nothing that it
could read; 2 it was called in a way it does not accept (`emit-spans` also: spans have not
arrived); 130 it was interrupted with Ctrl-C; 141 nobody reads its output any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the `nemo-lens` command.

    Args:
        argv: The arguments after the program's name; those of the process when None.

    Returns:
        The exit status, one of those listed for this module. Nothing is raised for wrong usage.
    """
    from nemo.lens.cli.command_line import run

    return run(argv)
