# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Text that every exporter can encode."""

from __future__ import annotations

from typing import Any, cast


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


def is_enum_type(kind: type) -> bool:
    """Say whether `kind` is an enumeration, without importing `enum`."""
    return type.__instancecheck__(type, kind) and "_member_map_" in kind.__dict__


def as_text(value: object) -> str:
    """Return an ordinary, encodable `str` for any object; never raises an `Exception`.

    Enum members give their value when that is text, else their name. Bytes are decoded as UTF-8.
    """
    kind = real_type(value)
    try:
        return encodable(_described(value, kind))
    except Exception:  # a hostile __str__ or __getattr__ must not become the caller's exception
        return f"<{kind.__name__}>"


def _described(value: object, kind: type) -> str:
    if is_enum_type(kind):
        inner = getattr(value, "_value_", None)
        return inner if type(inner) is str else str(getattr(value, "_name_", None))
    if issubclass(kind, str):
        return str.__str__(cast("str", value))  # a subclass may have overridden __str__
    if issubclass(kind, (bytes, bytearray)):
        return bytes(cast("bytes", value)).decode("utf-8", "backslashreplace")
    return str(value)
