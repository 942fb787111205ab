# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Values and attributes as instruments take them: plain numbers, hashable attributes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.problems import warn_once
from nemo.lens.spans.attributes import cleaned
from nemo.lens.spans.conversion import converted
from nemo.lens.spans.text import is_mapping, real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_TEXT = 1024
"""Characters of a text attribute of a metric at most; every export carries it again."""


class NotANumber(Exception):  # noqa: N818  # an answer for the caller inside the package
    """The value cannot be a metric point; the text says why."""


def number(value: Any) -> int | float:
    """Return `value` as a plain number.

    numpy scalars and 0-d CPU arrays and tensors become Python numbers; a value on an accelerator
    is refused, because reading it would wait for the device.

    Raises:
        NotANumber: It is none.
    """
    return value if type(value) is float else _plain(value)


def checked_for(kind: str) -> Callable[[int | float], int | float]:
    """Return the function that lets a number into an instrument of `kind`, or raises `NotANumber`.

    No instrument takes NaN and infinities: they would spoil every later point of a sum or a
    histogram, and OpenTelemetry's gauges ignore them, older ones excepted, with a line in the log
    each time. Counters and histograms take no negative number.
    """
    return _finite if kind in {"gauge", "up_down_counter"} else _finite_and_not_negative


def _finite(number: float) -> int | float:
    if not math.isfinite(number):
        raise NotANumber(f"{number}, which no metric can show")
    return number


def _finite_and_not_negative(number: float) -> int | float:
    if _finite(number) < 0:
        raise NotANumber(f"the negative number {number}, which a counter or histogram cannot take")
    return number


def _plain(value: Any) -> int | float:
    try:
        plain = converted(value)
        is_cut = type(plain) is float and math.isinf(plain) and value != plain
        if type(plain) is str:
            plain = _of_wide_integer(value)
    except NotANumber:
        raise
    except Exception as reason:  # whatever the value's own methods raise is about the value
        raise NotANumber(_described(value)) from reason
    if is_cut:  # of a wider type: numpy.longdouble, Decimal
        raise NotANumber("a number beyond any float")
    if type(plain) is bool:
        return int(plain)
    if type(plain) is int or type(plain) is float:
        return plain
    raise NotANumber(_described(value))


def _of_wide_integer(value: Any) -> float:
    """Return the float next to an integer beyond 64 bit, which attributes keep as text."""
    kind = real_type(value)
    whole = value.item() if hasattr(kind, "item") and not issubclass(kind, str) else value
    if not issubclass(real_type(whole), int):
        raise NotANumber(_described(value))
    try:
        return float(int.__int__(whole))
    except OverflowError as reason:
        raise NotANumber("an integer beyond any float") from reason


def _described(value: Any) -> str:
    return f"a value of type {type_name(real_type(value))}"


def point_attributes(attributes: Any, group: str) -> dict[str, Any] | None:
    """Return `attributes` cleaned for a metric point, or None when there are none."""
    if attributes is None:
        return None
    if not is_mapping(attributes):
        warn_once(
            ("attributes", group),
            "record_metrics(%r): the `attributes` argument of type %s is not a mapping; the"
            " values are recorded without attributes. A metric whose key is 'attributes' goes"
            " into the mapping of values.",
            group,
            type_name(real_type(attributes)),
        )
        return None
    kept = cleaned(attributes)
    return {key: _bounded(key, value, group) for key, value in kept.items()} or None


def _bounded(key: str, value: Any, group: str) -> Any:
    """Return a cleaned value as a series can carry it: hashable, and not endless."""
    if type(value) is str and len(value) > LONGEST_TEXT:
        warn_once(
            ("long attribute", group, key),
            "Attribute %r of metric group %r had a text of %d characters; such texts are cut to"
            " %d, because every export carries them. Record a short name instead.",
            key,
            group,
            len(value),
            LONGEST_TEXT,
        )
        return value[:LONGEST_TEXT]
    return tuple(value) if real_type(value) is list else value
