# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reading variables that belong to others: a bad value never stops a job.

One warning says what is wrong with it, and what it counts as.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES
from nemo.lens.configuration.problems import bad_value, warn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemo.lens.configuration.foreign_table import ForeignVariable

_BY_NAME: Final = {row.name: row for row in FOREIGN_VARIABLES}
_told: set[str] = set()


def read_foreign_variable(name: str, environ: Mapping[str, str] | None = None) -> Any:
    """Give the value of a variable that belongs to someone else.

    Args:
        name: The name of a row of `FOREIGN_VARIABLES`.
        environ: The variables; the process's own when not given.

    Returns:
        The value; the default of the row when the variable is unset or blank, and when its value
        is bad, which is one warning in a process for each variable. Of a bad list it is what can
        be used of it.

    Raises:
        KeyError: If the table has no such row.
    """
    variables = os.environ if environ is None else environ
    row = _BY_NAME[name]
    text = variables.get(name, "").strip()
    problem = _problem(row, variables)
    if problem:
        text = row.type.remains(text)
        warn_once(name, problem, text)
    return row.type.parse(text) if text else row.default


def warn_once(name: str, problem: str, remains: str = "") -> None:
    """Log what is bad about a variable and what it counts as, once in a process.

    Args:
        name: The name of a row of `FOREIGN_VARIABLES`.
        problem: What `bad_foreign_variables` says about it.
        remains: What can still be used of it.
    """
    if name in _told:
        return
    _told.add(name)
    row = _BY_NAME[name]
    if remains:
        counts_as = "what can be used of it" if row.type.secret else repr(remains)
    else:
        counts_as = "unset" if row.default is None else repr(row.default)
    warn("%s The variable counts as %s.", problem, counts_as)


def bad_foreign_variables(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Find the variables of the table whose value nobody could use.

    Args:
        environ: The variables; the process's own when not given.

    Returns:
        The names, each with a sentence that says what was got and what is accepted.
    """
    variables = os.environ if environ is None else environ
    problems = {row.name: _problem(row, variables) for row in FOREIGN_VARIABLES}
    return {name: problem for name, problem in problems.items() if problem}


def _problem(row: ForeignVariable, environ: Mapping[str, str]) -> str:
    text = environ.get(row.name, "")
    if not text.strip():
        return ""
    try:
        row.type.parse(text)
    except ValueError:
        return bad_value(row.type, row.name, text)
    return ""


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction] -- nemo.lens.testing
    _told.clear()
