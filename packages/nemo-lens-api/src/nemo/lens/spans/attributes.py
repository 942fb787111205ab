# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Attributes that every exporter takes: conversion, repair and redaction of whole mappings.

Ordinary keywords (keys seen before, `str`, `bool`, `int` and `float` values) pass a check and are
not copied. Everything else goes the long way: numpy and torch scalars become Python numbers, enums
and paths become text, mixed sequences are unified, and what no exporter could take is dropped and
counted, never raised about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.spans.conversion import MAX_INT, MIN_INT, Unrecordable, converted
from nemo.lens.spans.discards import discard
from nemo.lens.spans.redaction import (
    REDACTED,
    is_hidden,
    is_redacted,
    keys_to_hide,
    plain_keys,
    remember_plain_key,
)
from nemo.lens.spans.text import as_text, real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

OPTION_KEYS = frozenset({"kind", "links", "context", "_span"})
"""Keywords that may be span options instead of attributes; never remembered as plain."""

_are_plain = plain_keys.issuperset

# Asked first: Python compares small integers faster.
_LEAST_SMALL, _MOST_SMALL = -(2**29), 2**29


def is_plain(attributes: Mapping[str, Any]) -> bool:
    """Say whether `attributes` can be recorded exactly as they are; the check of the fast path."""
    try:
        are_plain = _are_plain(attributes)
    except Exception:  # a key that cannot be compared with those seen before
        are_plain = False
    if not are_plain:
        return False
    for key, value in attributes.items():
        if type(key) is not str:  # a subclass, equal to a key seen before
            return False
        kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is str:
            if not value.isascii():
                return False
        elif kind is int:
            if not (_LEAST_SMALL <= value <= _MOST_SMALL or MIN_INT <= value <= MAX_INT):
                return False
        elif kind is not float and kind is not bool:
            return False
    return True


def cleaned(
    attributes: Mapping[Any, Any], redact_keys: Collection[str] | None = None
) -> dict[str, Any]:
    """Return what of `attributes` can be recorded, converted, repaired and redacted.

    Args:
        attributes: Any mapping. `None` values mean "no attribute" and are left out.
        redact_keys: As in `safe_set_span_attributes`.

    Returns:
        A new dictionary; losses are counted, see `nemo.lens.spans.discards.discarded`.
    """
    result: dict[str, Any] = {}
    hidden_keys = keys_to_hide(redact_keys)
    for key, value in _pairs(attributes):
        if value is None:
            continue
        try:
            text = _clean_key(key)
            result[text] = _clean_value(text, value, hidden_keys)
        except Unrecordable as reason:
            _count(reason.kind, key, value)
        except Exception:  # from the value's own methods; it is lost, the caller is not
            _count("unreadable value", key, value)
    return result


def _pairs(attributes: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    try:
        return list(attributes.items())
    except Exception:  # a hostile or vanishing mapping loses its attributes, nothing else
        discard("unreadable mapping", "Attributes were dropped: the mapping cannot be read.")
        return ()


def _clean_key(key: Any) -> str:
    if type(key) is str and key in plain_keys:
        return key
    if not issubclass(real_type(key), str):
        raise Unrecordable("key is not text")
    text = as_text(key)
    if not text:
        raise Unrecordable("empty key")
    if str.__eq__(text, key) and text not in OPTION_KEYS and not is_redacted(text):
        remember_plain_key(text)
    return text


def _clean_value(key: str, value: Any, hidden_keys: frozenset[str] | None) -> Any:
    recordable = converted(value)
    if type(recordable) in (str, list) and is_hidden(key, hidden_keys):
        return REDACTED
    return recordable


def _count(kind: str, key: Any, value: Any) -> None:
    discard(
        kind,
        "Attribute %r was dropped (%s, type %s); record a number, a text, a boolean or a"
        " sequence of them. Further ones of this kind are only counted.",
        as_text(key),
        kind,
        type_name(real_type(value)),
    )
