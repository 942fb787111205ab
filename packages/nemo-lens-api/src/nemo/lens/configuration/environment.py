# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reading the settings of `nemo.lens.configuration.settings` from environment variables.

Values may be any bytes that a shell, a template or a scheduler left there. What comes out is a
value of the right type, or a sentence that names the variable that was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens.configuration.problems import bad_value, warn
from nemo.lens.configuration.settings import DEFAULT_PREFIX, SETTINGS
from nemo.lens.configuration.unknown_variables import warn_about_unknown_variables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemo.lens.configuration.settings import Setting

FROM_CODE: Final = "code"
FROM_DEFAULT: Final = "default"


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
        warn_about_unknown_variables(environ, filter(None, (prefix, fallback_prefix)))
        if problems:
            raise ValueError("\n".join(problems))
    elif problems:
        warn("Telemetry is disabled, so these values are ignored: %s", " ".join(problems))
    return readings


def _explicitly_disabled(enabled: Reading) -> bool:
    return not enabled.problem and enabled.origin != FROM_DEFAULT and not enabled.value
