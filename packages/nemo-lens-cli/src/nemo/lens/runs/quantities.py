# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Numbers as a person reads them."""

from __future__ import annotations

import math

_MINUTE_S = 60
_HOUR_S = 3600
_DAY_S = 86_400
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
# The largest parts of a unit that three digits would already round up to the next unit.
_ROUNDS_UP = 0.9995
_LONGEST_IN_SECONDS = 59.95

_WHOLE_BELOW = 1e15
_FRACTION_BELOW = 1000
_SMALLEST_PERCENT = 0.005
_KILO = 1000
_BYTE_UNITS = ("kB", "MB", "GB", "TB", "PB")


def duration(seconds: float) -> str:
    """A length of time with three significant digits and its unit, e.g. "31.4 ms" or "2 min 5 s"."""
    if not math.isfinite(seconds):
        return str(seconds)
    size = abs(seconds)
    if size == 0:
        return "0 s"
    if size >= _LONGEST_IN_SECONDS:
        return ("-" if seconds < 0 else "") + _long_duration(size)
    scale, unit = next((pair for pair in _UNITS if size >= pair[0] * _ROUNDS_UP), _UNITS[-1])
    digits = f"{seconds / scale:#.3g}".rstrip(".")
    return f"{digits} {unit}"


def signed_duration(seconds: float) -> str:
    """A length of time with its sign, for offsets."""
    return f"+{duration(seconds)}" if seconds > 0 else duration(seconds)


def number(value: float) -> str:
    """A number with four significant digits, and without an exponent where it stays readable."""
    if not math.isfinite(value):
        return str(value)
    if float(value).is_integer() and abs(value) < _WHOLE_BELOW:
        return f"{int(value):,}"
    if _FRACTION_BELOW <= abs(value) < _WHOLE_BELOW:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def share(value: float) -> str:
    """A part of a whole in percent; what is there but small does not become zero."""
    return "<1%" if 0 < value < _SMALLEST_PERCENT else f"{value:.0%}"


def byte_size(size: int) -> str:
    """A size with three significant digits in decimal units, e.g. "512 B", "1.23 MB"."""
    if size < _KILO:
        return f"{size} B"
    value, unit = float(size), ""
    for unit in _BYTE_UNITS:  # noqa: B007 - the last one that is needed stays
        value /= _KILO
        if value < _KILO * _ROUNDS_UP:
            break
    return f"{value:#.3g}".rstrip(".") + f" {unit}"


def plural(count: int, one: str, many: str = "") -> str:
    """``count`` with the fitting form of a noun; the plural adds an s unless ``many`` is given."""
    return f"{count:,} {noun(count, one, many)}"


def noun(count: int, one: str, many: str = "") -> str:
    """The form of a word that fits ``count``, as for ``plural``."""
    return one if count == 1 else many or f"{one}s"


def _long_duration(seconds: float) -> str:
    """The two largest units, e.g. "1 h 20 min"."""
    days, rest = divmod(round(seconds), _DAY_S)
    hours, rest = divmod(rest, _HOUR_S)
    minutes, rest = divmod(rest, _MINUTE_S)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    first = next(index for index, (value, _) in enumerate(parts) if value)
    return " ".join(f"{value} {unit}" for value, unit in parts[first : first + 2] if value)
