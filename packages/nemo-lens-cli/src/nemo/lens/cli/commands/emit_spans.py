# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens emit-spans`: spans of a shell script, whose times it measured itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from nemo.lens.cli import exits
from nemo.lens.cli.argument_types import positive_seconds
from nemo.lens.cli.screen import say
from nemo.lens.cli.waiting import waiting
from nemo.lens.runs.quantities import plural

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.emission.span_arguments import GivenSpan
    from nemo.lens.cli.screen import Screen

NAME = "emit-spans"
SUMMARY = "export spans whose times a script has measured"
DESCRIPTION = (
    "Export spans that are over already, for example the phases of a batch script before Python "
    "starts. They go where NEMO_LENS_EXPORTER and the OTEL_EXPORTER_OTLP_* variables say; "
    "NEMO_LENS_ENABLED does not matter. Nothing is exported unless all spans are valid, and the "
    "command succeeds only when every span has arrived."
)
EPILOG = """\
examples:
  nemo-lens emit-spans --service launch --span pull,1767323045,1767323060.25
  nemo-lens emit-spans --service launch --span job,10,20 --span pull,10,12,job

START and END are seconds since the epoch, as `date +%s.%N` prints them; PARENT
is the name of another span of the same call. NAME holds no comma.

exit status:
  0 every span has arrived, 1 the spans are invalid and none was exported,
  2 wrong usage, or spans have not arrived
"""

_TIMEOUT_S: Final = 30.0
_NOT_DELIVERED: Final = exits.USAGE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--service", required=True, metavar="NAME", help="service.name of the spans"
    )
    parser.add_argument(
        "--span",
        required=True,
        action="append",
        metavar="NAME,START,END[,PARENT]",
        help="a span; repeat it for more",
    )
    parser.add_argument(
        "--timeout",
        type=positive_seconds,
        default=_TIMEOUT_S,
        metavar="SECONDS",
        help=f"longest time that the export may take (default: {_TIMEOUT_S:g})",
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Check the spans, export them, and say what became of them."""
    from nemo.lens.cli.emission import span_arguments

    reading = span_arguments.read(arguments.span)
    if reading.problems:
        for problem in (*reading.problems, "nothing emitted: invalid span input"):
            say(problem)
        return exits.PROBLEM
    from nemo.lens.cli.emission.emitter import emit

    wanted = len(reading.spans)
    try:
        with waiting(sys.stderr, f"exporting {plural(wanted, 'span')}"):
            delivery = emit(arguments.service, reading.spans, arguments.timeout)
    except (ImportError, ValueError) as error:
        say(f"error: {error}")
        return _NOT_DELIVERED
    problem = _problem(delivery.delivered, wanted, in_time=delivery.in_time)
    if arguments.json:
        verdict = problem or f"{wanted:,} of {wanted:,} spans were delivered"
        counts = {"spans": wanted, "delivered": delivery.delivered}
        screen.json({"schema": 1, "run": None, "verdict": verdict, **counts})
    if problem:
        say(f"error: {problem}")
        return _NOT_DELIVERED
    for span in reading.spans:
        say(_line(span))
    return exits.DONE


def _problem(delivered: int, wanted: int, *, in_time: bool) -> str:
    if delivered >= wanted:
        return ""
    what = "failed to export spans" if in_time else "timed out while flushing spans"
    return f"{what}: {delivered:,} of {wanted:,} were delivered"


def _line(span: GivenSpan) -> str:
    parent = f"  -> {span.parent}" if span.parent else ""
    return f"  {span.name:<34} {span.duration_s:8.3f} s{parent}"
