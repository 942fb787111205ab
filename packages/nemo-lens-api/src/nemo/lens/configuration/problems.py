# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is said about a bad value, and the one logger that says it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nemo.lens.configuration.value_types import Boolean

if TYPE_CHECKING:
    from nemo.lens.configuration.value_types import ValueType

SHOWN_CHARACTERS: Final = 100
"""Longer names and values are cut."""

_CREDENTIALS: Final = re.compile(r"//[^/@\s]+@")


def bad_value(value_type: ValueType, name: str, value: object) -> str:
    """Say that `value` of the variable or field `name` is bad, and what is accepted."""
    stripped = value.strip() if isinstance(value, str) else value
    if isinstance(stripped, str) and isinstance(value_type, Boolean):
        stripped = stripped.lower()
    got = "[REDACTED]" if value_type.secret else shown(stripped)
    return f"{value_type.fault} for {name}: {got}. Expected {value_type.accepted}."


def shown(value: object) -> str:
    """Give a value as messages show it: cut, and without the credentials of a URL."""
    try:
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
    text = _CREDENTIALS.sub("//[REDACTED]@", text)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."


def warn(message: str, *arguments: object) -> None:
    """Log one warning about the configuration; `logging` is only loaded when there is one."""
    import logging

    logging.getLogger("nemo.lens.config").warning(message, *arguments)
