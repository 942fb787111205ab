# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens timeline`: a run for the Perfetto viewer."""

from __future__ import annotations

import argparse
import contextlib
import gzip
import re
import sys
from typing import TYPE_CHECKING, BinaryIO

from nemo.lens.cli import exits
from nemo.lens.cli.exits import ProblemError
from nemo.lens.cli.replaced_file import replaced_file
from nemo.lens.cli.run_argument import add_run_argument, folder, open_run
from nemo.lens.cli.screen import printing, say

if TYPE_CHECKING:
    from collections.abc import Generator

    from nemo.lens.cli.screen import Screen
    from nemo.lens.runs.number_ranges import NumberRanges

NAME = "timeline"
SUMMARY = "a run for the Perfetto viewer"
DESCRIPTION = (
    "Write a run as a timeline that https://ui.perfetto.dev opens (it stays in the browser): one "
    "row per process, clock offsets between hosts removed, arrows for links and for parents in "
    "other processes, counters for metrics, log records as moments."
)
EPILOG = """\
examples:
  nemo-lens timeline nemo-lens-runs/demo-20260102-030405-1f2e
  nemo-lens timeline DIR --steps 100-110 --ranks 0,3-5
  nemo-lens timeline DIR --output run.json.gz
  nemo-lens timeline DIR --output - | less      the JSON itself

exit status:
  0 written, 1 nothing could be read or written, 2 wrong usage
"""
_STDOUT = "-"
_COMPRESSION = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_run_argument(parser)
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        type=folder,
        help="where to write, compressed when it ends in .gz, - for standard output "
        "(default: timeline-RUN.json.gz here)",
    )
    parser.add_argument(
        "--steps", metavar="N-M", type=_ranges, help="only what overlaps these steps"
    )
    parser.add_argument("--ranks", metavar="N,M-K", type=_ranges, help="only these ranks")


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Write the timeline and say where it is."""
    from nemo.lens.cli.views import rank_table
    from nemo.lens.runs import RunError, write_timeline

    recorded = open_run(arguments.path, NAME)
    target = arguments.output or f"timeline-{_file_name(recorded.run_id)}.json.gz"
    try:
        with _opened(target) as stream:
            answer = write_timeline(recorded, stream, steps=arguments.steps, ranks=arguments.ranks)
    except RunError as error:
        raise ProblemError(str(error)) from error
    if target == _STDOUT:
        for problem in answer.problems:
            say(f"nemo-lens: {problem}")
        return exits.DONE
    if arguments.json:
        screen.json({**answer.to_json(), "file": target})
        return exits.DONE
    page = screen.page()
    page.paragraph(f"{answer.verdict} Open it at https://ui.perfetto.dev:", "bold green")
    page.paragraph(target)
    rank_table.problems(page, answer.problems)
    screen.show(page)
    return exits.DONE


def _file_name(run_id: str) -> str:
    return re.sub(r"[^\w.-]+", "_", run_id)


@contextlib.contextmanager
def _opened(target: str) -> Generator[BinaryIO]:
    """The file to write, which appears under its name only when it is whole."""
    if target == _STDOUT:
        with printing():
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with replaced_file(target) as file:
        if target.endswith(".gz"):
            with gzip.GzipFile("", "wb", _COMPRESSION, file, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield file


def _ranges(text: str) -> NumberRanges:
    from nemo.lens.runs.number_ranges import NumberRanges

    try:
        return NumberRanges(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
