# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The types of resource attributes, and normalisation to them.

Attributes that travel in `OTEL_RESOURCE_ATTRIBUTES` arrive as text. The tables here name the
converter of each attribute; they are derived from the types in the model.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.semconv import attributes as names
from nemo.lens.semconv._resource_types import RESOURCE_ATTRIBUTE_TYPES
from nemo.lens.semconv.encoding import convert_attribute

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Converter = Callable[[Any], str | int]

__all__ = [
    "DL_RESOURCE_TYPES",
    "GPU_RESOURCE_TYPES",
    "RESOURCE_TYPES",
    "SLURM_RESOURCE_ATTRIBUTE_KEYS",
    "SLURM_RESOURCE_ATTRIBUTE_NORMALIZERS",
    "SLURM_RESOURCE_TYPES",
    "SLURM_RETIRED_RESOURCE_ATTRIBUTE_KEYS",
    "convert_integer",
    "normalize_resource_attributes",
]

_log = logging.getLogger("nemo.lens.semconv.resources")

# More digits than 64 bits hold, and few enough for int().
_BASE_10_INTEGER = re.compile(r"[+-]?[0-9]{1,100}")


def convert_integer(value: Any) -> int:
    """Convert a value to an integer the way all integer attributes are converted.

    Args:
        value: An int, or text that holds an optional sign and ASCII digits, blanks around it
            allowed; of 64 bits, as exporters carry no more.

    Returns:
        The integer.

    Raises:
        ValueError: For anything else: booleans, floats, empty text, `1_0`, `1.0`.
    """
    is_text = isinstance(value, str) and _BASE_10_INTEGER.fullmatch(value.strip())
    if type(value) is int or is_text:
        integer = int(value)
        if -(2**63) <= integer < 2**63:
            return integer
    raise ValueError(f"expected a base-10 integer of 64 bits, got {_described(value)}")


def _converters(attributes: set[str]) -> dict[str, Converter]:
    return {
        name: convert_integer if RESOURCE_ATTRIBUTE_TYPES[name] == "int" else str
        for name in sorted(attributes)
    }


def _of(prefix: str) -> set[str]:
    return {name for name in RESOURCE_ATTRIBUTE_TYPES if name.startswith(prefix)}


_UUIDS = {names.NV_DL_JOB_UUID, names.NV_DL_RUN_UUID}

SLURM_RETIRED_RESOURCE_ATTRIBUTE_KEYS: Final = frozenset(
    {names.SLURM_CLUSTER, names.SLURM_NODELIST, names.SLURM_TORCHELASTIC_RESTART_COUNT}
)
"""SLURM attributes that a process does not inherit through `OTEL_RESOURCE_ATTRIBUTES`.

`slurm.nodelist` is still detected; each process reads it from SLURM itself.
"""

SLURM_RESOURCE_TYPES: Final[dict[str, Converter]] = _converters(
    (_of("slurm.") - SLURM_RETIRED_RESOURCE_ATTRIBUTE_KEYS) | _UUIDS
)
"""Converters of what `detect_slurm` may inherit: all `slurm.*`, and the job and run UUIDs."""

DL_RESOURCE_TYPES: Final[dict[str, Converter]] = _converters(
    _of("nv.dl.") - _UUIDS - {names.NV_DL_LAUNCH_CONTAINER_IMAGE}
)
"""Converters of the identity of a process and of the fixed facts of its job."""

GPU_RESOURCE_TYPES: Final[dict[str, Converter]] = _converters(
    {name for name in _of("nv.gpu.") if RESOURCE_ATTRIBUTE_TYPES[name] == "int"}
)
"""Converters of the numbers that describe a GPU."""

RESOURCE_TYPES: Final[dict[str, Converter]] = {
    **SLURM_RESOURCE_TYPES,
    **DL_RESOURCE_TYPES,
    **GPU_RESOURCE_TYPES,
}
"""All converters."""

SLURM_RESOURCE_ATTRIBUTE_NORMALIZERS: Final = SLURM_RESOURCE_TYPES
"""Another name of `SLURM_RESOURCE_TYPES`."""

SLURM_RESOURCE_ATTRIBUTE_KEYS: Final = frozenset(SLURM_RESOURCE_TYPES)
"""The names in `SLURM_RESOURCE_TYPES`."""


def normalize_resource_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Give the values of known attributes their types.

    The attributes of SLURM are left alone: `detect_slurm` decides about them. A value that cannot
    be converted stays as it is, and one WARNING names it.

    Args:
        attributes: Attribute values by name.

    Returns:
        A new dict with the same names.
    """
    return {key: _normalized(key, value) for key, value in attributes.items()}


def _normalized(key: str, value: Any) -> Any:
    if key in SLURM_RESOURCE_TYPES:
        return value
    try:
        return convert_attribute(key, value, RESOURCE_TYPES)
    except Exception:  # str() of a foreign object may raise anything
        _log.warning(
            "Resource attribute %r requires a base-10 integer, got %s: the value is kept as it is. "
            "Give it as a number or as digits.",
            key,
            _described(value),
        )
        return value


def _described(value: Any) -> str:
    try:
        return repr(value)[:200]
    except Exception:  # nor may the message raise
        return f"an object of type {type(value).__name__}"
