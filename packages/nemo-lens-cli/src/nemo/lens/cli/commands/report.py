# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens report`: what happened in a run, at a glance."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from nemo.lens.cli import exits
from nemo.lens.cli.replaced_file import replaced_file
from nemo.lens.cli.run_argument import add_run_argument, folder, open_run
from nemo.lens.cli.waiting import waiting

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.screen import Screen
    from nemo.lens.runs import RunSummary

NAME = "report"
SUMMARY = "what happened in a run, at a glance"
DESCRIPTION = (
    "Explain a recorded run: how it ended, which rank is slow, where the time of a step goes, "
    "what the metrics say, and what is missing."
)
EPILOG = """\
examples:
  nemo-lens report nemo-lens-runs/demo-20260102-030405-1f2e
  nemo-lens report DIR | less
  nemo-lens report DIR --json | jq '.step_s.p50'
  nemo-lens report DIR --html report.html     one file, to look at and to send

exit status:
  0 the run was explained, 1 nothing could be read or written, 2 wrong usage
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_run_argument(parser)
    parser.add_argument(
        "--html",
        metavar="FILE",
        type=folder,
        help="write the report as one HTML file, which needs no network",
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Summarise the run and show it."""
    from nemo.lens.cli.views import report_page
    from nemo.lens.runs import summarise

    if arguments.html is not None:
        return _write_page(arguments, screen)
    answer = summarise(open_run(arguments.path, NAME))
    if arguments.json:
        screen.json(answer.to_json())
    else:
        screen.show(report_page.render(answer, screen.page()))
    return _status(answer)


def _write_page(arguments: argparse.Namespace, screen: Screen) -> int:
    """Write the HTML file and say where it is."""
    from nemo.lens.cli.html.document import render
    from nemo.lens.cli.html.findings import find

    recorded = open_run(arguments.path, NAME, then=f" --html {shlex.quote(arguments.html)}")
    with waiting(sys.stderr, "reading the run") as report_progress:
        findings = find(recorded, report_progress)
    with replaced_file(arguments.html) as file:
        file.write(render(findings).encode("utf-8", "backslashreplace"))
    if arguments.json:
        screen.json({**findings.summary.to_json(), "file": arguments.html})
        return _status(findings.summary)
    page = screen.page()
    page.paragraph(findings.summary.verdict, "bold")
    page.paragraph(f"The report is in {arguments.html}")
    screen.show(page)
    return _status(findings.summary)


def _status(summary: RunSummary) -> int:
    nothing_read = not (summary.spans or summary.metrics or summary.logs)
    return exits.PROBLEM if nothing_read and summary.problems else exits.DONE
