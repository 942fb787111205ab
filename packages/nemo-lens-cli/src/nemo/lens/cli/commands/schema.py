# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens schema`: which attributes, span groups and metrics there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nemo.lens.cli import exits

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.screen import Screen

NAME = "schema"
SUMMARY = "the attributes, span groups and metrics that there are"
DESCRIPTION = (
    "List the attributes of the semantic conventions, the span groups with their presets, and the "
    "metrics with units and meanings. --import adds what libraries of your own declare."
)
EPILOG = """\
examples:
  nemo-lens schema metrics
  nemo-lens schema attributes --json | jq -r '.attributes[].id'
  nemo-lens schema groups --import my_library.telemetry

exit status:
  0 listed, 1 a library could not be imported, 2 wrong usage
"""

ATTRIBUTES: Final = "attributes"
GROUPS: Final = "groups"
METRICS: Final = "metrics"
PARTS: Final = (ATTRIBUTES, GROUPS, METRICS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "part",
        nargs="?",
        choices=PARTS,
        metavar="PART",
        help=f"only this part: {', '.join(PARTS)} (default: all)",
    )
    parser.add_argument(
        "--import",
        dest="libraries",
        action="append",
        default=[],
        metavar="MODULE",
        help="import a library that declares span groups or metrics; repeatable",
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Collect the parts and show them."""
    from nemo.lens.cli import schema
    from nemo.lens.cli.views import schema_tables

    try:
        schema.load_libraries(arguments.libraries)
    except ImportError as error:
        raise exits.ProblemError(str(error)) from error
    wanted = (arguments.part,) if arguments.part else PARTS
    conventions = schema.attributes()
    parts: dict[str, list[dict[str, Any]]] = {}
    if ATTRIBUTES in wanted:
        parts[ATTRIBUTES] = conventions[ATTRIBUTES]
    if GROUPS in wanted:
        parts[GROUPS] = schema.span_groups()
    if METRICS in wanted:
        parts[METRICS] = schema.metrics()
    if arguments.json:
        counts = ", ".join(f"{len(rows)} {name}" for name, rows in parts.items())
        answer = {"schema": 1, "run": None, "verdict": counts, **conventions}
        answer.pop(ATTRIBUTES)
        screen.json({**answer, **parts})
    else:
        screen.show(schema_tables.render(parts, screen.page()))
    return exits.DONE
