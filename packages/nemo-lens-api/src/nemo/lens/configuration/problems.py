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
    shown = value.strip() if isinstance(value, str) else value
    if isinstance(shown, str) and isinstance(value_type, Boolean):
        shown = shown.lower()
    got = "[REDACTED]" if value_type.secret else _short(shown)
    return f"{value_type.fault} for {name}: {got}. Expected {value_type.accepted}."


def warn(message: str, *arguments: object) -> None:
    """Log one warning about the configuration; `logging` is only loaded when there is one."""
    import logging

    logging.getLogger("nemo.lens.config").warning(message, *arguments)


def _short(value: object) -> str:
    try:
        shown = repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
    shown = _CREDENTIALS.sub("//[REDACTED]@", shown)
    return shown if len(shown) <= SHOWN_CHARACTERS else f"{shown[:SHOWN_CHARACTERS]}..."
