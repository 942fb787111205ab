# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Variables under a prefix of ours that no setting has: most often a slip of the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES
from nemo.lens.configuration.problems import SHOWN_CHARACTERS, warn
from nemo.lens.configuration.settings import KNOWN_PREFIXES, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHOWN_NAMES: Final = 20


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


def warn_about_unknown_variables(environ: Mapping[str, str], prefixes: Iterable[str]) -> None:
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

    meant = {row.name.removeprefix("OTEL_"): row.name for row in FOREIGN_VARIABLES}
    for setting in SETTINGS:
        variable = setting.written_variable(prefix)
        spellings = (*setting.suffixes, setting.field.upper())
        meant.update(dict.fromkeys(spellings, variable))
    suffix = name[len(prefix) + 1 :][:SHOWN_CHARACTERS].upper()
    near = difflib.get_close_matches(suffix, meant, n=1)
    return meant[near[0]] if near else ""


def _printable(name: str) -> str:
    return name.encode("ascii", "backslashreplace").decode()[:SHOWN_CHARACTERS]
