# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Putting sets of attributes together and turning their values into the types of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["compose_attributes", "convert_attribute"]


def compose_attributes(
    current: Mapping[str, Any] | None,
    *,
    defaults: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Compose attributes: `defaults`, then `current`, then `overrides`, the later one wins.

    None and the empty string are values like any other, so they win too.

    Args:
        current: The attributes that are there.
        defaults: Attributes that count only where `current` says nothing.
        overrides: Attributes that count whatever `current` says.

    Returns:
        A new dict; the arguments stay as they are.
    """
    return {**(defaults or {}), **(current or {}), **(overrides or {})}


def convert_attribute(key: str, value: Any, converters: Mapping[str, Callable[[Any], Any]]) -> Any:
    """Convert the value of one attribute to its type.

    Args:
        key: The name of the attribute.
        value: The value as it was given.
        converters: Converters by attribute name; an attribute without one keeps its value.

    Returns:
        The converted value.

    Raises:
        ValueError: When the converter refuses the value.
    """
    converter = converters.get(key)
    return value if converter is None else converter(value)
