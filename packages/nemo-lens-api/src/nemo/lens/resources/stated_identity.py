# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The rank and the world size that somebody stated, and what counts as one.

The resource and the export decision must mean the same process, so both convert here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nemo.lens import semconv
from nemo.lens.resources.attributes import get_otel_resource_attributes
from nemo.lens.semconv.resources import convert_integer
from nemo.lens.spans.conversion import converted

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST: Final = {semconv.NV_DL_RANK: 0, semconv.NV_DL_WORLD_SIZE: 1, semconv.NV_DL_LOCAL_RANK: 0}
"""The attributes that must be a usable number, each with the smallest one."""


def identity_number(key: str, value: Any) -> int:
    """Convert the value of an attribute of `LEAST`.

    Raises:
        ValueError: The value is no base-10 integer of 64 bits, or is below the least.
    """
    least = LEAST[key]
    try:
        number = convert_integer(value)
    except ValueError:
        number = least - 1
    if number < least:
        raise ValueError(f"requires a base-10 integer of {least} or more, got {value!r}")
    return number


def stated_identity(given: Mapping[str, Any] | None) -> tuple[int | None, int | None]:
    """Find the rank and the world size that the resource will have, but for those of launchers.

    Args:
        given: The caller's attributes; what they leave open, `OTEL_RESOURCE_ATTRIBUTES` of this
            process says. What the resource would leave out does not count, in silence here.

    Returns:
        The rank and the world size; None where nobody states one.
    """
    sources = (given or {}, get_otel_resource_attributes())
    return _first(semconv.NV_DL_RANK, sources), _first(semconv.NV_DL_WORLD_SIZE, sources)


def _first(key: str, sources: tuple[Mapping[str, Any], ...]) -> int | None:
    numbers = (_stated(key, source) for source in sources)
    return next((number for number in numbers if number is not None), None)


def _stated(key: str, source: Mapping[str, Any]) -> int | None:
    try:
        return identity_number(key, converted(source[key]))
    except Exception:  # not there, no number, or a foreign object whose methods raise
        return None
