# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Text that every exporter can encode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable


def encodable(text: str) -> str:
    r"""Return `text` with lone surrogates written out as `\udc80`, so that it encodes as UTF-8.

    File names that are not UTF-8 carry such surrogates. One of them would lose a whole batch.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def real_type(value: object) -> type[Any]:
    """Return the type of `value`; `isinstance` would ask `__class__`, which may lie or raise."""
    return type(value)


_name_of: Callable[[type], str] = type.__dict__["__name__"].__get__
_namespace_of: Callable[[type], Mapping[str, Any]] = type.__dict__["__dict__"].__get__


def type_name(kind: type) -> str:
    """Return the name of a type, past a metaclass that lies about it or raises."""
    return _name_of(kind)


def is_mapping(value: object) -> bool:
    """Say whether `value` is a mapping, by its type alone."""
    try:
        return issubclass(real_type(value), Mapping)
    except Exception:  # a metaclass that raises
        return False


def is_enum_type(kind: type) -> bool:
    """Say whether `kind` is an enumeration, without importing `enum`."""
    return "_member_map_" in _namespace_of(kind)


def as_text(value: object) -> str:
    """Return an ordinary, encodable `str` for any object; never raises an `Exception`.

    Enum members give their value when that is text, else their name. Bytes are decoded as UTF-8.
    """
    kind = real_type(value)
    try:
        return encodable(_described(value, kind))
    except Exception:  # a hostile __str__ or __getattr__ must not become the caller's exception
        return f"<{type_name(kind)}>"


def _described(value: object, kind: type) -> str:
    if is_enum_type(kind):
        inner = getattr(value, "_value_", None)
        return inner if type(inner) is str else str(getattr(value, "_name_", None))
    if issubclass(kind, str):
        return str.__str__(cast("str", value))  # a subclass may have overridden __str__
    if issubclass(kind, (bytes, bytearray)):
        return bytes(cast("bytes", value)).decode("utf-8", "backslashreplace")
    return str(value)
