# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Values and attributes as instruments take them: plain numbers, hashable attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.problems import warn_once
from nemo.lens.spans.attributes import cleaned
from nemo.lens.spans.conversion import MAX_INT, MIN_INT, converted

if TYPE_CHECKING:
    from opentelemetry.util.types import Attributes


class NotANumber(Exception):  # noqa: N818  # an answer for the caller inside the package
    """The value cannot be a metric point; the text says why."""


def number(value: Any, kind: str) -> int | float:
    """Return `value` as the plain number to record.

    numpy scalars and 0-d CPU arrays and tensors become Python numbers; a value on an accelerator
    is refused, because reading it would wait for the device.

    Args:
        value: What the caller handed in.
        kind: The kind of the instrument. Only a gauge takes NaN and infinities: there they are an
            answer ("the gradient norm is NaN"); in a sum or a histogram one would spoil every
            later point. A counter takes no negative number.

    Raises:
        NotANumber: The value cannot be recorded.
    """
    plain = value if type(value) is float else _plain(value)
    if kind != "gauge" and not math.isfinite(plain):
        raise NotANumber(f"{plain} in a {kind}")
    if kind == "counter" and plain < 0:
        raise NotANumber(f"the negative number {plain} in a counter")
    return plain


def _plain(value: Any) -> int | float:
    try:
        plain = converted(value)
    except Exception as reason:  # whatever the value's own methods raise is about the value
        raise NotANumber(f"a value of type {type(value).__name__}") from reason
    if type(plain) is bool:
        return int(plain)
    if type(plain) is int or type(plain) is float:
        return plain
    if isinstance(value, int) and not MIN_INT <= value <= MAX_INT:
        return _as_float(value)
    raise NotANumber(f"a value of type {type(value).__name__}")


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError as reason:
        raise NotANumber("an integer beyond any float") from reason


def point_attributes(attributes: Any, group: str) -> Attributes:
    """Return `attributes` cleaned for a metric point, or None when there are none."""
    if attributes is None:
        return None
    if not isinstance(attributes, Mapping):
        warn_once(
            ("attributes", group),
            "record_metrics(%r): the `attributes` argument of type %s is not a mapping; the"
            " values are recorded without attributes. A metric whose key is 'attributes' goes"
            " into the mapping of values.",
            group,
            type(attributes).__name__,
        )
        return None
    if not attributes:
        return None
    return {
        key: tuple(value) if type(value) is list else value
        for key, value in cleaned(attributes).items()
    }
