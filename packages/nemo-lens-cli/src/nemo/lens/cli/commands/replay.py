# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens replay`: a recorded run into an OTLP backend."""

from __future__ import annotations

import argparse
import math
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nemo.lens.cli import exits
from nemo.lens.cli.argument_types import positive_seconds
from nemo.lens.cli.run_argument import add_run_argument, folder, open_run

if TYPE_CHECKING:
    from nemo.lens.cli.screen import Screen

NAME = "replay"
SUMMARY = "send a recorded run to an OTLP endpoint"
DESCRIPTION = (
    "Send what a run recorded to an OTLP endpoint, e.g. from a cluster without a network to a "
    "backend later. What was delivered is noted in a journal beside the run: when the command was "
    "killed or the receiver went away, the same command goes on, and sends nothing twice. Headers, "
    "certificates, compression and timeouts are OpenTelemetry's own variables."
)
EPILOG = """\
examples:
  nemo-lens replay nemo-lens-runs/demo-1 --endpoint http://localhost:4318
  nemo-lens replay DIR --endpoint http://collector:4317 --protocol grpc
  nemo-lens replay DIR --endpoint URL --rate 5000    at most 5000 items a second
  nemo-lens replay DIR --endpoint URL --signals traces,logs

exit status:
  0 everything was delivered, 1 something was not, or nothing could be read,
  2 wrong usage, 130 interrupted with Ctrl-C
"""
_PROTOCOLS: Final = ("grpc", "http/protobuf", "http/json")
_SIGNALS: Final = ("traces", "metrics", "logs")
_VARIABLE: Final = "OTEL_EXPORTER_OTLP"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_run_argument(parser)
    parser.add_argument(
        "--endpoint", metavar="URL", required=True, type=_url, help="where to send it"
    )
    parser.add_argument(
        "--protocol",
        metavar="NAME",
        choices=_PROTOCOLS,
        help="grpc, http/protobuf or http/json (default: what OTEL_EXPORTER_OTLP_PROTOCOL says, else http/protobuf for port "
        "4318, else grpc)",
    )
    parser.add_argument(
        "--signals",
        metavar="LIST",
        type=_signals,
        default=_SIGNALS,
        help="which of traces,metrics,logs (default: all)",
    )
    parser.add_argument(
        "--rate",
        metavar="N",
        type=_rate,
        default=0.0,
        help="most items per second (default: as fast as they are taken)",
    )
    parser.add_argument(
        "--patience",
        metavar="SECONDS",
        type=positive_seconds,
        default=60.0,
        help="for how long to try again while the receiver is away (default: 60)",
    )
    parser.add_argument(
        "--skip-refused",
        action="store_true",
        help="go on after a request that the receiver refuses, and count it",
    )
    parser.add_argument(
        "--journal",
        metavar="FILE",
        type=folder,
        help="where to note what was delivered (default: in the run folder)",
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Replay the run, and say what became of it."""
    from nemo.lens.cli.replay.courier import Orders
    from nemo.lens.cli.replay.replaying import replay
    from nemo.lens.cli.views import rank_table
    from nemo.lens.cli.waiting import waiting
    from nemo.lens.runs.locate import locate
    from nemo.lens.spans.url_credentials import without_url_credentials

    recorded = open_run(arguments.path, NAME)
    location = locate(recorded.path)
    endpoint = without_url_credentials(arguments.endpoint)
    orders = Orders(
        environment=_environment(arguments.endpoint, arguments.protocol),
        journal=Path(arguments.journal or _journal(recorded.path, endpoint)),
        about={"run": recorded.run_id, "endpoint": endpoint},
        patience_s=arguments.patience,
        skip_refused=arguments.skip_refused,
    )
    with waiting(sys.stderr, "Starting ...") as say:
        answer = replay(location, orders, signals=arguments.signals, rate=arguments.rate, say=say)
    if arguments.json:
        screen.json(answer.to_json())
    else:
        page = screen.page()
        rank_table.verdict(page, answer.verdict, good=answer.complete and not answer.problems)
        rank_table.problems(page, answer.problems)
        screen.show(page)
    return exits.DONE if answer.complete else exits.PROBLEM


def _environment(endpoint: str, protocol: str | None) -> dict[str, str | None]:
    """What the exporters are told; variables of single signals would win over the endpoint."""
    variables: dict[str, str | None] = {
        f"{_VARIABLE}_{signal.upper()}_{name}": None
        for signal in _SIGNALS
        for name in ("ENDPOINT", "PROTOCOL")
    }
    variables[f"{_VARIABLE}_ENDPOINT"] = re.sub(r"/v1/(traces|metrics|logs)/?$", "", endpoint)
    if protocol is None and endpoint != variables[f"{_VARIABLE}_ENDPOINT"]:
        protocol = "http/protobuf"
    if protocol is not None:
        variables[f"{_VARIABLE}_PROTOCOL"] = protocol
    return variables


def _journal(run: Path, endpoint: str) -> Path:
    name = f"replay-{re.sub(r'[^a-zA-Z0-9.]+', '_', endpoint).strip('_')}.journal"
    return run / name if run.is_dir() else run.with_name(f"{run.name}.{name}")


def _url(text: str) -> str:
    if not re.fullmatch(r"(https?://)?[^/\s]+(/\S*)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no URL; write e.g. http://localhost:4318")
    return text


def _signals(text: str) -> tuple[str, ...]:
    chosen = [part.strip() for part in text.split(",")]
    unknown = [part for part in chosen if part not in _SIGNALS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"{unknown[0]!r} is no signal; choose from {', '.join(_SIGNALS)}"
        )
    return tuple(signal for signal in _SIGNALS if signal in chosen)


def _rate(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of items per second above 0")
    return value
