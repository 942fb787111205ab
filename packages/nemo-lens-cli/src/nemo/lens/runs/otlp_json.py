# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Values and attributes as OTLP-JSON writes them, made plain.

Nothing in a file is trusted: what has the wrong shape becomes None or is left out, never raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeGuard, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHAPE_ERRORS: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What reading a value of the wrong shape can raise."""

_MAX_DEPTH: Final = 16


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether a decoded value is a JSON array."""
    return isinstance(value, list)


def any_value(value: Any, depth: int = 0) -> Any:
    """The plain value of an OTLP-JSON AnyValue; None for what is none."""
    if not isinstance(value, dict) or depth > _MAX_DEPTH:
        return None
    kinds = _DECODERS.keys() & cast("dict[str, Any]", value)
    try:
        kind = kinds.pop()
        return _DECODERS[kind](value[kind], depth)
    except SHAPE_ERRORS:
        return None


def _array(content: Any, depth: int) -> list[Any]:
    return [any_value(item, depth + 1) for item in content.get("values", ())]


def _mapping(content: Any, depth: int) -> dict[str, Any]:
    return attributes(content.get("values"), depth + 1)


_DECODERS: Final[dict[str, Callable[[Any, int], Any]]] = {
    "stringValue": lambda content, _depth: content if isinstance(content, str) else None,
    "intValue": lambda content, _depth: int(content),
    "doubleValue": lambda content, _depth: float(content),
    "boolValue": lambda content, _depth: content is True or content == "true",
    "bytesValue": lambda content, _depth: content if isinstance(content, str) else None,
    "arrayValue": _array,
    "kvlistValue": _mapping,
}


def attributes(pairs: Any, depth: int = 0) -> dict[str, Any]:
    """OTLP-JSON attributes as a dictionary; what has no string key is left out."""
    return {key: any_value(value, depth) for key, value in _pairs(pairs)}


def attribute(pairs: Any, key: str) -> Any:
    """The plain value of one attribute, None when there is none."""
    return next((any_value(value) for name, value in _pairs(pairs) if name == key), None)


def _pairs(pairs: Any) -> Iterator[tuple[str, Any]]:
    if not is_list(pairs):
        return
    for pair in pairs:
        if isinstance(pair, dict):
            entry = cast("dict[str, Any]", pair)
            key = entry.get("key")
            if isinstance(key, str):
                yield key, entry.get("value")


def items(holder: Any, key: str) -> list[dict[str, Any]]:
    """The objects in the list `holder[key]`; empty for any other shape."""
    found = cast("dict[str, Any]", holder).get(key) if isinstance(holder, dict) else None
    if not is_list(found):
        return []
    return [cast("dict[str, Any]", item) for item in found if isinstance(item, dict)]
