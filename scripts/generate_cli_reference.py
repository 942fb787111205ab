# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Write the command reference of `docs/cli.md` from the commands' own arguments and help.

Only what stands between the markers is written::

    python scripts/generate_cli_reference.py          # write the reference
    python scripts/generate_cli_reference.py --check  # fail when it differs from the code
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import workspace
from generated_page import between_markers, command_line, table

from nemo.lens.cli.command_line import Parser
from nemo.lens.cli.commands import COMMANDS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from nemo.lens.cli.commands import Command

PAGE = workspace.ROOT / "docs" / "cli.md"


class Recorder(Parser):
    """A parser that remembers how its arguments were declared."""

    def __init__(self) -> None:
        self.declared: list[tuple[str, str]] = []
        super().__init__(description="", epilog="", add_help=False)

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        """Declare an argument and keep its spelling and meaning."""
        spelling = " ".join(filter(None, [*names[:1], options.get("metavar", "")]))
        if not names[0].startswith("-"):
            spelling = options["metavar"]
        self.declared.append((spelling, options["help"]))
        return super().add_argument(*names, **options)


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the page; gives the exit status."""
    return command_line(argv, PAGE, with_reference, script="generate_cli_reference.py")


def with_reference(page: str) -> str:
    """Give `page` with the reference in place of what stands between its markers."""
    sections = "\n\n".join(map(section, COMMANDS))
    return between_markers(page, "commands", f"\n{sections}\n")


def section(command: Command) -> str:
    """Give the section of one command: what it does, its arguments, examples, exit statuses."""
    recorder = Recorder()
    command.add_arguments(recorder)
    arguments = [*recorder.declared, ("--json", "print the answer as JSON, on one line")]
    rows = [(f"`{spelling}`", meaning) for spelling, meaning in arguments]
    return (
        f"## `nemo-lens {command.NAME}`\n\n{command.DESCRIPTION}\n\n"
        f"{table(('argument', 'meaning'), rows)}\n\n"
        f"```text\n{command.EPILOG.strip()}\n```"
    )


if __name__ == "__main__":
    raise SystemExit(main())
