# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The effective configuration, with where each value comes from and without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES
from nemo.lens.configuration.settings import SETTINGS
from nemo.lens.spans.redaction import REDACTED
from nemo.lens.spans.url_credentials import without_url_credentials

if TYPE_CHECKING:
    from nemo.lens.cli.doctor.situation import Situation
    from nemo.lens.configuration.settings import Setting

DEFAULT: Final = "default"
_FOR_EXPORTERS: Final = "OTEL_EXPORTER_OTLP_"
_MAY_HOLD_SECRETS: Final = "HEADERS"


class Value(NamedTuple):
    """One value that counts.

    Attributes:
        name: Field of `NemoLensConfig`, or the variable itself for those of others.
        value: The value as text.
        origin: `default`, `environment:<VARIABLE>` or `fallback:<VARIABLE>`.
        variable: The variable by which it can be set.
    """

    name: str
    value: str
    origin: str
    variable: str


def effective_values(situation: Situation) -> tuple[Value, ...]:
    """Every setting of ours, then each variable of others that is set and counts."""
    config = situation.config
    origins = config.provenance()
    settings = [
        Value(
            setting.field,
            _shown(setting.field, _text(setting, getattr(config, setting.field))),
            origins[setting.field],
            setting.written_variable(situation.question.prefix),
        )
        for setting in SETTINGS
    ]
    foreign = [
        Value(name, _shown(name, text), f"environment:{name}", name)
        for name in _variables_of_others(situation)
        if (text := situation.environ.get(name, "").strip())
    ]
    return (*settings, *foreign)


def _variables_of_others(situation: Situation) -> dict[str, None]:
    """What we read, then what only the exporters of OpenTelemetry do, such as headers."""
    read = (row.name for row in FOREIGN_VARIABLES)
    for_exporters = (name for name in sorted(situation.environ) if name.startswith(_FOR_EXPORTERS))
    return dict.fromkeys((*read, *for_exporters))


def _text(setting: Setting, value: Any) -> str:
    """A value as a variable would spell it; a default that nobody chose is no text for those."""
    return setting.type.render(value) or (str(value) if isinstance(value, str) else "")


def _shown(name: str, text: str) -> str:
    return REDACTED if _MAY_HOLD_SECRETS in name else without_url_credentials(text)
