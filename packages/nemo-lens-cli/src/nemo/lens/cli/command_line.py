# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""From arguments to an exit status: the parser, and how every command begins and ends."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import TYPE_CHECKING, NoReturn

from nemo.lens.cli import exits
from nemo.lens.cli.commands import COMMANDS
from nemo.lens.cli.screen import Screen, discard_output, print_anything, printing, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from _typeshed import SupportsWrite

_HELP_WIDTH = 80
_HELP_COLUMN = 30

_DESCRIPTION = "Record, read and explain distributed training runs."
_EPILOG = """\
examples:
  nemo-lens demo                  train a small model in 4 processes, explain it
  nemo-lens demo --slow-rank 2    the same with one slow rank
  nemo-lens report DIR            what happened in a recorded run, at a glance
  nemo-lens ranks DIR             which rank is slow, and in which phase
  nemo-lens goodput DIR           how much of the time brought the job forward
  nemo-lens autopsy DIR           where every rank of a hung or dead job stood
  nemo-lens doctor                why a job records nothing

exit status:
  0 done, 1 a problem was found or nothing could be read, 2 wrong usage,
  130 interrupted with Ctrl-C, 141 the reader of the output went away
"""


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the examples as they are written and stays within 80 columns."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=_HELP_COLUMN, width=_HELP_WIDTH)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `exits.UsageError` instead of printing a usage block."""

    def __init__(self, *, description: str, epilog: str, **options: object) -> None:
        super().__init__(
            description=textwrap.fill(description, _HELP_WIDTH),
            epilog=epilog,
            formatter_class=_HelpFormatter,
            allow_abbrev=False,
            **options,  # type: ignore[arg-type]
        )

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help page; unlike argparse's, a reader that went away is noticed."""
        with printing():
            (file or sys.stdout).write(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Raise one line that says what is wrong and where help is."""
        raise exits.UsageError(f"{self.prog}: error: {message} (help: {self.prog} --help)")


def build_parser() -> tuple[Parser, dict[str, Parser]]:
    """The parser of the whole command, and those of its commands by their names."""
    parser = Parser(prog="nemo-lens", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action="store_true", help="print the versions and exit")
    subparsers = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", parser_class=Parser
    )
    by_name: dict[str, Parser] = {}
    for command in COMMANDS:
        by_name[command.NAME] = subparser = subparsers.add_parser(
            command.NAME,
            help=command.SUMMARY,
            description=command.DESCRIPTION,
            epilog=command.EPILOG,
        )
        command.add_arguments(subparser)
        subparser.add_argument(
            "--json", action="store_true", help="print the answer as JSON, on one line"
        )
        subparser.set_defaults(perform=command.run, parser=subparser)
    return parser, by_name


def run(argv: Sequence[str] | None) -> int:
    """Parse, run the command, and turn every way it can end into an exit status."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  # by the shell: >&-
        return _complain("nemo-lens: error: standard output is closed", exits.PROBLEM)
    print_anything()
    screen = Screen(sys.stdout)
    try:
        status = _run_command(argv, screen)
        with printing():
            sys.stdout.flush()
    except exits.UsageError as error:
        return _complain(str(error), exits.USAGE)
    except exits.ProblemError as error:
        return _complain(f"nemo-lens: error: {error}", exits.PROBLEM)
    except KeyboardInterrupt:
        return _complain("nemo-lens: interrupted", exits.INTERRUPTED)
    except BrokenPipeError:
        discard_output(sys.stdout)
        return exits.OUTPUT_CLOSED
    return status


def _run_command(argv: Sequence[str] | None, screen: Screen) -> int:
    parser, by_name = build_parser()
    words = sys.argv[1:] if argv is None else argv
    _refuse_unknown_command(parser, words, by_name)
    try:
        arguments, unknown = parser.parse_known_args(words)
    except SystemExit as ending:  # --help has printed its page
        return ending.code if isinstance(ending.code, int) else exits.DONE
    if unknown:
        # argparse would point at the help of the whole program.
        speaker: Parser = getattr(arguments, "parser", parser)
        speaker.error(f"unrecognized arguments: {' '.join(unknown)}")
    if arguments.version:
        from nemo.lens.cli.versions import version_line

        screen.write(version_line())
        return exits.DONE
    if arguments.command is None:
        parser.error("name a command: " + ", ".join(command.NAME for command in COMMANDS))
    status: int = arguments.perform(arguments, screen)
    return status


def _refuse_unknown_command(parser: Parser, words: Sequence[str], commands: Iterable[str]) -> None:
    """Name the nearest command; argparse would list all of them."""
    # No option of the program itself takes a value, so the first other word is the command.
    word = next((word for word in words if not word.startswith("-")), None)
    if word is None or word in commands:
        return
    from difflib import get_close_matches

    near = get_close_matches(word, commands, n=1)
    known = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(commands)}"
    parser.error(f"unknown command {word!r}: {known}")


def _complain(line: str, status: int) -> int:
    try:
        say(line)
    except BrokenPipeError:
        return exits.OUTPUT_CLOSED
    return status
