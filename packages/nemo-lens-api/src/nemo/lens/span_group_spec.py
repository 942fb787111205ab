# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The language of span-group specs: `"default,layer"`, `"all,-optimizer"`.

A spec is a comma-separated list of group and preset names in any case, with blanks anywhere. A
leading `-` takes names away, whatever the order of the parts. The registry resolves specs
leniently, a `SpanGroup` class strictly; both go through `select`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import TypeIs

ALL = "all"
"""The preset that always exists: every group that is registered."""


def is_text(value: object) -> TypeIs[str]:
    """Say whether `value` is a `str`, trusting its type and nothing the object says of itself."""
    return issubclass(type(value), str)


def normalised(name: str) -> str:
    """Return `name` stripped and in lower case, as a plain `str` whatever subclass it is."""
    return str.strip(name).lower()


def text_of(spec: object) -> str:
    """Return a spec as plain text; never raises.

    Args:
        spec: The text. `None` counts as empty; anything else that is no text is read through
            `str()`, so that a mistake turns up as an unknown name instead of an exception.
    """
    if spec is None:
        return ""
    if is_text(spec):
        return str.__str__(spec)
    try:
        return str.__str__(str(spec))
    except Exception:  # the object's own __str__ may do anything
        return f"<{type(spec).__name__}>"


def parts_of(spec: object) -> tuple[str, ...]:
    """Split a spec into its normalised parts, without empty ones."""
    return tuple(part for part in map(normalised, text_of(spec).split(",")) if part)


def select(
    parts: Iterable[str],
    presets: Mapping[str, frozenset[str]],
    groups: frozenset[str],
) -> tuple[frozenset[str], frozenset[str]]:
    """Select groups by the parts of a spec; presets are looked at before groups.

    Args:
        parts: Normalised parts, from `parts_of`.
        presets: Members of each preset by its name.
        groups: Every known group.

    Returns:
        The selected groups, and the parts that name nothing known (exclusions with their `-`).
    """
    included: set[str] = set()
    excluded: set[str] = set()
    unknown: set[str] = set()
    for part in parts:
        target, name = included, part
        members = _members(name, presets, groups)
        if members is None and part.startswith("-"):
            target, name = excluded, part[1:].strip()
            members = _members(name, presets, groups)
        if members is None:
            unknown.add(part)
        else:
            target |= members
    return frozenset(included - excluded), frozenset(unknown)


def shown(value: object) -> str:
    """Return a value for a message, without asking an unknown object to describe itself."""
    if is_text(value):
        return repr(str.__str__(value))
    if value is None or type(value) in {bool, int, float}:
        return repr(value)
    return f"a {type(value).__name__}"


def listed(names: Iterable[str]) -> str:
    """Return names for a message: sorted, quoted, separated by commas."""
    return ", ".join(repr(name) for name in sorted(names)) or "none"


def _members(
    name: str, presets: Mapping[str, frozenset[str]], groups: frozenset[str]
) -> frozenset[str] | None:
    members = presets.get(name)
    if members is None and name in groups:
        return frozenset((name,))
    return members
