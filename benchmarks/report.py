# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The command line: which rows, in which form, and the exit status."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from benchmarks import (
    burst,
    collector_faults,
    differential,
    disabled,
    enabled,
    encoding,
    metrics,
    processes,
    run_files,
    scaling,
)
from benchmarks.rows import NotMeasurableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.rows import Row

SUITES = (
    differential,
    disabled,
    enabled,
    burst,
    collector_faults,
    metrics,
    encoding,
    processes,
    run_files,
    scaling,
)
"""Modules that offer a tuple `ROWS`; a new group of measures is a new module here."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the rows asked for, print them, and return the exit status: 1 past a limit.

    Args:
        arguments: The command line; None for that of the process.
    """
    options = _parser().parse_args(arguments)
    rows = {row.id: row for suite in SUITES for row in suite.ROWS}
    wanted = options.rows or sorted(rows, key=lambda name: (name[0], int(name[1:])))
    unknown = [name for name in wanted if name not in rows]
    if unknown:
        _parser().error(f"unknown rows {unknown}; there are {sorted(rows)}")
    results = [_taken(rows[name]) for name in wanted]
    print(_as_json(results) if options.json else _as_table(results))
    return 0 if all(result["holds"] for result in results) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="such as G1 G8; default: all")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


def _taken(row: Row) -> dict[str, Any]:
    result: dict[str, Any] = {
        "id": row.id,
        "measure": row.measure,
        "limit": row.limit,
        "reference": row.reference,
    }
    try:
        measurement = row.take()
    except NotMeasurableError as reason:
        return {**result, "value": None, "holds": False, "detail": {"not_run": str(reason)}}
    return {
        **result,
        "value": measurement.value,
        "holds": row.limit is None or measurement.value <= row.limit,
        "detail": measurement.detail,
    }


def _as_json(results: Iterable[dict[str, Any]]) -> str:
    machine = {
        "python": platform.python_version(),
        "opentelemetry_api": version("opentelemetry-api"),
        "platform": sys.platform,
    }
    return json.dumps({"schema": 1, **machine, "rows": list(results)}, indent=1)


def _as_table(results: Iterable[dict[str, Any]]) -> str:
    lines = [
        f"Python {platform.python_version()}, opentelemetry-api {version('opentelemetry-api')}",
        f"{'#':<5}{'measure':<62}{'value':>8}  {'limit':<9}{'':<9}{'reference':<13}detail",
    ]
    for result in results:
        value = "NOT RUN" if result["value"] is None else f"{result['value']:.3f}"
        verdict = "holds" if result["holds"] else "FAILS"
        limit = "reported" if result["limit"] is None else f"<= {result['limit']:<6}{verdict}"
        lines.append(
            f"{result['id']:<5}{result['measure']:<62}{value:>8}  {limit:<18}"
            f"{result['reference']:<13}{_details(result['detail'])}"
        )
    return "\n".join(lines)


def _details(detail: dict[str, float | str]) -> str:
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in detail.items()
    )
