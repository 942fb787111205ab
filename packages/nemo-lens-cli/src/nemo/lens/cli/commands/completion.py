# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens completion`: the script with which a shell completes this command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.cli import exits

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.screen import Screen

NAME = "completion"
SUMMARY = "let bash, zsh or fish complete commands and options"
DESCRIPTION = (
    "Print the script with which a shell completes the commands, options and paths of nemo-lens. "
    "Print it anew after an upgrade."
)
EPILOG = """\
examples:
  nemo-lens completion bash     the script; to use it at once in this shell:
                                eval "$(nemo-lens completion bash)"
  nemo-lens completion zsh      into a folder of $fpath, as _nemo-lens
  nemo-lens completion fish     to ~/.config/fish/completions/nemo-lens.fish

exit status:
  0 the script was printed, 2 wrong usage
"""

SHELLS: Final = ("bash", "zsh", "fish")
_PATHS: Final = {"DIR": "DIRECTORY", "FILE": "FILE"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help=f"the shell: {', '.join(SHELLS)}"
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Print the script."""
    import shtab

    from nemo.lens.cli.command_line import build_parser
    from nemo.lens.cli.commands import COMMANDS

    parser, subparsers = build_parser()
    for command in COMMANDS:
        subparser = subparsers[command.NAME]
        subparser.description = command.SUMMARY  # what zsh and fish show beside the name
        _complete_paths(subparser)
    script = shtab.complete(parser, arguments.shell)
    if arguments.json:
        screen.json({"schema": 1, "run": None, "shell": arguments.shell, "script": script})
    else:
        screen.write(script)
    return exits.DONE


def _complete_paths(parser: argparse.ArgumentParser) -> None:
    """Tell the library which arguments are paths; their names say it."""
    import shtab

    for action in parser._actions:  # noqa: SLF001 - argparse lists its arguments nowhere else
        kind = _PATHS.get(str(action.metavar))
        if kind is not None:
            vars(action)["complete"] = getattr(shtab, kind)
