# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens doctor`: why a job records nothing."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING, Final

from nemo.lens.cli import exits
from nemo.lens.cli.argument_types import positive_seconds, whole_number
from nemo.lens.cli.waiting import waiting
from nemo.lens.configuration.settings import DEFAULT_PREFIX

if TYPE_CHECKING:
    from nemo.lens.cli.screen import Screen

NAME = "doctor"
SUMMARY = "why a job records nothing, and whether telemetry arrives"
DESCRIPTION = (
    "Examine telemetry as a job that is started here would have it: the configuration and where "
    "each value comes from, what is installed, which ranks export, and whether a test span, metric "
    "and log record arrive. What a job sets in its code is not seen."
)
EPILOG = """\
examples:
  nemo-lens doctor
  nemo-lens doctor --world-size 8 --rank 3    which ranks would export
  nemo-lens doctor --prefix MEGATRON_OTEL --fallback-prefix NEMO_LENS
  nemo-lens doctor --offline --json | jq '.findings'

Where a checkout of NeMo hides nemo.lens, no command of it starts; this one does
with: python -I -m nemo.lens.cli doctor

exit status:
  0 nothing loses data (there may be warnings), 1 something does, 2 wrong usage
"""

_TIMEOUT_S: Final = 5.0
_MOST_RANKS: Final = 1_000_000
_PREFIX: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--rank",
        type=whole_number(0, _MOST_RANKS - 1),
        metavar="N",
        help="judge this rank (default: the one that the launcher names)",
    )
    parser.add_argument(
        "--world-size",
        type=whole_number(1, _MOST_RANKS),
        metavar="N",
        help="number of ranks (default: what the launcher says)",
    )
    parser.add_argument(
        "--prefix",
        type=_prefix,
        default=DEFAULT_PREFIX,
        metavar="PREFIX",
        help=f"prefix of the library's variables (default: {DEFAULT_PREFIX})",
    )
    parser.add_argument(
        "--fallback-prefix",
        type=_prefix,
        metavar="PREFIX",
        help="prefix that counts where those are unset (default: none)",
    )
    parser.add_argument(
        "--timeout",
        type=positive_seconds,
        default=_TIMEOUT_S,
        metavar="SECONDS",
        help=f"longest wait for an answer and for a delivery (default: {_TIMEOUT_S:g})",
    )
    parser.add_argument("--offline", action="store_true", help="connect to no endpoint")
    parser.add_argument("--all", action="store_true", help="show values that are defaults too")


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Examine and tell."""
    from nemo.lens.cli.doctor.examination import examine
    from nemo.lens.cli.doctor.situation import Question
    from nemo.lens.cli.views import doctor_page

    if None not in {arguments.rank, arguments.world_size}:
        _refuse_rank_outside(arguments)
    question = Question(
        prefix=arguments.prefix,
        fallback_prefix=arguments.fallback_prefix,
        rank=arguments.rank,
        world_size=arguments.world_size,
        timeout_s=arguments.timeout,
        offline=arguments.offline,
    )
    with waiting(sys.stderr, "examining") as tell:
        diagnosis = examine(question, os.environ, lambda check: tell(f"examining: {check}"))
    if arguments.json:
        screen.json(diagnosis.to_json())
    else:
        screen.show(doctor_page.render(diagnosis, screen.page(), everything=arguments.all))
    return exits.PROBLEM if diagnosis.loses_data else exits.DONE


def _refuse_rank_outside(arguments: argparse.Namespace) -> None:
    if arguments.rank >= arguments.world_size:
        arguments.parser.error(
            f"argument --rank: {arguments.rank} is not one of {arguments.world_size} ranks; "
            f"give one from 0 to {arguments.world_size - 1}"
        )


def _prefix(text: str) -> str:
    if not _PREFIX.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not the prefix of a variable, such as {DEFAULT_PREFIX}"
        )
    return text
