# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reading the settings of `nemo.lens.configuration.settings` from environment variables.

Values may be any bytes that a shell, a template or a scheduler left there. What comes out is a
value of the right type, or a sentence that names the variable that was read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens.configuration.settings import (
    DEFAULT_PREFIX,
    KNOWN_PREFIXES,
    SETTINGS,
)
from nemo.lens.configuration.value_types import Boolean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nemo.lens.configuration.settings import Setting
    from nemo.lens.configuration.value_types import ValueType

FROM_CODE: Final = "code"
FROM_DEFAULT: Final = "default"

_SHOWN_CHARACTERS: Final = 100
_SHOWN_NAMES: Final = 20
_CREDENTIALS: Final = re.compile(r"//[^/@\s]+@")


class Reading(NamedTuple):
    """What was found for one setting.

    Attributes:
        value: The value, the default when no variable is set or the one that is set is bad.
        origin: `"default"`, `"environment:<VARIABLE>"` or `"fallback:<VARIABLE>"`.
        problem: A sentence about a bad value, "" when there is none.
    """

    value: Any
    origin: str
    problem: str


def read_setting(
    setting: Setting,
    environ: Mapping[str, str],
    prefix: str = DEFAULT_PREFIX,
    fallback_prefix: str | None = None,
) -> Reading:
    """Read one setting; the first variable that is not empty decides.

    Args:
        setting: A row of the table.
        environ: The variables.
        prefix: The prefix of the library that asks.
        fallback_prefix: The prefix whose variables count when those of `prefix` are empty.
    """
    for variable, is_fallback in setting.variables(prefix, fallback_prefix).items():
        text = environ.get(variable, "")
        if not text or not (text.strip() or setting.type.keeps_blanks):
            continue
        try:
            value = setting.type.parse(text)
        except ValueError:
            problem = bad_value(setting.type, variable, text)
            return Reading(setting.default, FROM_DEFAULT, problem)
        return Reading(value, f"{'fallback' if is_fallback else 'environment'}:{variable}", "")
    return Reading(setting.default, FROM_DEFAULT, "")


def read_settings(
    environ: Mapping[str, str], prefix: str = DEFAULT_PREFIX, fallback_prefix: str | None = None
) -> dict[str, Reading]:
    """Read every setting of the table; see `read_setting`.

    Unknown variables under the prefixes give one warning. A kill switch must always work: when
    `ENABLED` is explicitly false, bad values of all other variables become their defaults, with
    one warning about them and none about unknown variables.

    Raises:
        ValueError: If variables have bad values; the text has a line for each of them.
    """
    readings = {
        setting.field: read_setting(setting, environ, prefix, fallback_prefix)
        for setting in SETTINGS
    }
    problems = [reading.problem for reading in readings.values() if reading.problem]
    if not _explicitly_disabled(readings["enabled"]):
        _warn_about_unknown_variables(environ, filter(None, (prefix, fallback_prefix)))
        if problems:
            raise ValueError("\n".join(problems))
    elif problems:
        warn("Telemetry is disabled, so these values are ignored: %s", " ".join(problems))
    return readings


def bad_value(value_type: ValueType, name: str, value: object) -> str:
    """Say that `value` of the variable or field `name` is bad, and what is accepted."""
    shown = value.strip() if isinstance(value, str) else value
    if isinstance(shown, str) and isinstance(value_type, Boolean):
        shown = shown.lower()
    return f"{value_type.fault} for {name}: {_short(shown)}. Expected {value_type.accepted}."


def unknown_variables(environ: Mapping[str, str], prefixes: Iterable[str]) -> dict[str, str]:
    """Find variables under `prefixes` that no setting has.

    Returns:
        The unknown names in alphabetical order, each with the nearest known name, "" when none is
        near.
    """
    asked = tuple(dict.fromkeys(prefixes))
    unknown: dict[str, str] = {}
    for name in sorted(environ):
        prefix = _owner(name, asked)
        if prefix and name not in _known_variables(prefix):
            unknown[name] = _nearest(name, prefix)
    return unknown


def warn(message: str, *arguments: object) -> None:
    """Log one warning about the configuration; `logging` is only loaded when there is one."""
    import logging

    logging.getLogger("nemo.lens.config").warning(message, *arguments)


def _warn_about_unknown_variables(environ: Mapping[str, str], prefixes: Iterable[str]) -> None:
    """Log one warning that names the variables under `prefixes` that no setting has.

    Only names are logged: a value may be a secret.
    """
    unknown = unknown_variables(environ, prefixes)
    if not unknown:
        return
    told = [
        f"{_printable(name)} (did you mean {nearest}?)" if nearest else _printable(name)
        for name, nearest in list(unknown.items())[:_SHOWN_NAMES]
    ]
    if len(unknown) > _SHOWN_NAMES:
        told.append(f"and {len(unknown) - _SHOWN_NAMES} more")
    warn("Unknown environment variables are ignored: %s.", ", ".join(told))


def _explicitly_disabled(enabled: Reading) -> bool:
    return not enabled.problem and enabled.origin != FROM_DEFAULT and not enabled.value


def _owner(name: str, prefixes: tuple[str, ...]) -> str:
    """Give the longest prefix that `name` carries, "" when that is not one of those asked for."""
    carried = [p for p in {*prefixes, *KNOWN_PREFIXES} if name.startswith(f"{p}_")]
    longest = max(carried, key=len, default="")
    return longest if longest in prefixes else ""


def _known_variables(prefix: str) -> frozenset[str]:
    return frozenset(name for setting in SETTINGS for name in setting.variables(prefix))


def _nearest(name: str, prefix: str) -> str:
    """Give the variable whose suffix, bare name or field reads most like what follows `prefix`."""
    import difflib

    from nemo.lens.configuration.foreign_variables import FOREIGN_VARIABLES

    meant = {row.name.removeprefix("OTEL_"): row.name for row in FOREIGN_VARIABLES}
    for setting in SETTINGS:
        variable = setting.written_variable(prefix)
        spellings = (*setting.suffixes, setting.field.upper())
        meant.update(dict.fromkeys(spellings, variable))
    suffix = name[len(prefix) + 1 :][:_SHOWN_CHARACTERS].upper()
    near = difflib.get_close_matches(suffix, meant, n=1)
    return meant[near[0]] if near else ""


def _printable(name: str) -> str:
    return name.encode("ascii", "backslashreplace").decode()[:_SHOWN_CHARACTERS]


def _short(value: object) -> str:
    try:
        shown = repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
    shown = _CREDENTIALS.sub("//[REDACTED]@", shown)
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[:_SHOWN_CHARACTERS]}..."
