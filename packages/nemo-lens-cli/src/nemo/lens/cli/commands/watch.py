# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens watch`: a running job, live."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from typing import TYPE_CHECKING, Final

from nemo.lens.cli import exits
from nemo.lens.cli.exits import ProblemError
from nemo.lens.cli.run_argument import folder
from nemo.lens.cli.screen import printing

if TYPE_CHECKING:
    from collections.abc import Callable

    from nemo.lens.cli.screen import Screen
    from nemo.lens.runs.tailing_answers import LiveRun
    from nemo.lens.runs.tailing_run import RunTail

NAME = "watch"
SUMMARY = "a running job, live"
DESCRIPTION = (
    "Follow a job while it records to files: step, rate, ranks alive, the slowest rank, and what "
    "telemetry was lost. Only what is appended is read. Ends when the job has ended."
)
EPILOG = """\
examples:
  nemo-lens watch                     the newest run in NEMO_LENS_DIR or here
  nemo-lens watch nemo-lens-runs/4711 --interval 10
  nemo-lens watch --once              how are things now?
  nemo-lens watch --json | jq -c '[.step, .steps_per_s]'

exit status:
  0 the run ended in order (with --once: nothing is wrong so far),
  1 a rank is gone, silent or ended by a signal, or there is nothing to watch,
  2 wrong usage, 130 interrupted with Ctrl-C
"""
_DIRECTORY: Final = "NEMO_LENS_DIR"
_DEFAULT_DIRECTORY: Final = "nemo-lens-runs"
_SHORTEST_S: Final = 0.1
_LONGEST_S: Final = 3600.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "path",
        metavar="RUN",
        nargs="?",
        type=folder,
        help="a run folder, or a folder of runs, of which the newest is watched "
        f"(default: {_DIRECTORY}, else {_DEFAULT_DIRECTORY})",
    )
    parser.add_argument(
        "--interval",
        metavar="SECONDS",
        type=_interval,
        default=2.0,
        help="time between two looks (default: 2)",
    )
    parser.add_argument("--once", action="store_true", help="look once and stop")


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Look again and again until the run has ended."""
    tail = _open(arguments.path or os.environ.get(_DIRECTORY) or _DEFAULT_DIRECTORY)
    if arguments.json:
        last = _follow(tail, arguments, lambda live: _print_json(screen, live))
    elif screen.styled and not arguments.once:
        last = _follow_in_place(tail, arguments)
    else:
        last = _follow(tail, arguments, lambda live: _print_line(screen, live))
        screen.write(last.verdict)
    return exits.DONE if last.orderly else exits.PROBLEM


def _open(path: str) -> RunTail:
    from nemo.lens.runs import RunError
    from nemo.lens.runs.tailing_run import RunTail

    try:
        return RunTail(path)
    except RunError as error:
        raise ProblemError(str(error)) from error


def _follow(
    tail: RunTail, arguments: argparse.Namespace, show: Callable[[LiveRun], None]
) -> LiveRun:
    while True:
        live = tail.look()
        show(live)
        if live.ended or arguments.once:
            return live
        time.sleep(arguments.interval)


def _follow_in_place(tail: RunTail, arguments: argparse.Namespace) -> LiveRun:
    from rich.console import Console
    from rich.live import Live

    from nemo.lens.cli.watch.table import table

    with Live(console=Console(file=sys.stdout, highlight=False), auto_refresh=False) as screenful:
        return _follow(tail, arguments, lambda live: screenful.update(table(live), refresh=True))


def _print_line(screen: Screen, live: LiveRun) -> None:
    from nemo.lens.cli.watch.lines import line

    screen.write(line(live))
    _flush()


def _print_json(screen: Screen, live: LiveRun) -> None:
    screen.json(live.to_json())
    _flush()


def _flush() -> None:
    """Whoever reads the lines from a pipe wants each of them at once."""
    with printing():
        sys.stdout.flush()


def _interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not _SHORTEST_S <= seconds <= _LONGEST_S:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of seconds from {_SHORTEST_S} to {_LONGEST_S:g}"
        )
    return seconds
