# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which attribute keys hide their values, and how secrets inside free text are masked.

A key is hit when the whole key, or its last dotted part, in any case, is one of the redact keys,
or when it ends in a secret's name (`password`, `api_key`, `cookie`, ...) as a whole segment
between `_`, `-` and `.`. `db.password`, `X-Api-Key` and `gen_ai.prompt` are hit; `token.count`,
`gen_ai.token.type` and `cache_key` are not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar, cast

from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import as_text, real_type

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

REDACTED = "[REDACTED]"
"""What stands in the place of a hidden value."""

DEFAULT_REDACT_KEYS: frozenset[str] = frozenset(
    {"prompt", "input_text", "output_text", "text", "password", "token", "secret", "key"}
)
"""The redact keys in force when the caller names none; `<PREFIX>_REDACT_KEYS` adds to them."""

SECRET_SUFFIXES = (
    "password",
    "passwd",
    "secret",
    "api_key",
    "apikey",
    "access_token",
    "auth_token",
    "authorization",
    "cookie",
)
"""Names that hide a value wherever they end a key."""

MAX_REMEMBERED_KEYS = 10_000
"""Verdicts remembered per process, so that keys made from data cannot grow the memory."""

_SEPARATORS = str.maketrans("-.", "__")

_added_keys: frozenset[str] = frozenset()
_keys_in_force: frozenset[str] = DEFAULT_REDACT_KEYS

plain_keys: set[str] = set()
"""Keys already found to hide nothing and to need no repair; emptied when the redact keys change."""

Value = TypeVar("Value")


def set_added_redact_keys(keys: Iterable[str]) -> None:
    """Redact these keys too, in every process-wide default; replaces what was added before.

    Set-up calls this with the value of `<PREFIX>_REDACT_KEYS`.

    Args:
        keys: Whole keys or last dotted parts, in any case, for example `"exception.message"`.
    """
    global _added_keys, _keys_in_force
    _added_keys = frozenset(_lowered(keys))
    _keys_in_force = DEFAULT_REDACT_KEYS | _added_keys
    plain_keys.clear()
    _secret_in_text.clear()


def keys_to_hide(redact_keys: Iterable[str] | None = None) -> frozenset[str] | None:
    """Return the keys that a caller's `redact_keys` mean, for `is_hidden`.

    They are read once, so that an iterator serves for a whole mapping.

    Args:
        redact_keys: The keys to hide. None, or `DEFAULT_REDACT_KEYS` itself, means the process-wide
            default with what `<PREFIX>_REDACT_KEYS` added; so does what cannot be read. One text is
            one key, and what is no text in a collection is left out.

    Returns:
        The keys in lower case; None when an empty collection switches redaction off.
    """
    if redact_keys is None or redact_keys is DEFAULT_REDACT_KEYS:
        return _keys_in_force
    if issubclass(real_type(redact_keys), str):
        return frozenset(_lowered((cast("str", redact_keys),)))
    try:
        given = list(redact_keys)
    except Exception:  # hide too much rather than tell a secret
        discard("redact keys", "redact_keys cannot be read; the default ones are in force.")
        return _keys_in_force
    return frozenset(_lowered(given)) if given else None


def is_hidden(key: str, keys: frozenset[str] | None) -> bool:
    """Say whether the value under `key` must be hidden; `keys` are from `keys_to_hide`."""
    return keys is not None and _hits(key, keys)


def is_redacted(key: str) -> bool:
    """Say whether the value under `key` must be hidden by the process-wide default."""
    return _hits(key, _keys_in_force)


def remember_plain_key(key: str) -> None:
    """Add `key` to `plain_keys`, unless too many are remembered already."""
    if len(plain_keys) < MAX_REMEMBERED_KEYS:
        plain_keys.add(key)


def redact_value(
    key: str, value: Value, redact_keys: Collection[str] | None = DEFAULT_REDACT_KEYS
) -> Value | str:
    """Return `value`, or the literal `[REDACTED]` when `key` is one whose value must be hidden.

    Args:
        key: The attribute key the value is about to be recorded under.
        value: Any value; returned as it is when the key is harmless.
        redact_keys: As in `safe_set_span_attributes`.

    Returns:
        `value` itself or `"[REDACTED]"`.
    """
    return REDACTED if is_hidden(as_text(key), keys_to_hide(redact_keys)) else value


def masked(text: str) -> str:
    """Return `text` with the values of `password=...`, `api_key: ...` and the like hidden.

    For free text such as exception messages, under the process-wide default keys.
    """
    pattern = _secret_in_text.get("pattern")
    if pattern is None:
        pattern = _secret_in_text["pattern"] = _compiled_secrets()
    return pattern.sub(rf"\g<name>{REDACTED}", text)


def _hits(key: str, lowered_keys: frozenset[str]) -> bool:
    lowered = key.lower()
    if lowered in lowered_keys or lowered.rpartition(".")[2] in lowered_keys:
        return True
    segments = lowered.translate(_SEPARATORS)
    return segments.endswith(SECRET_SUFFIXES) and any(
        segments == suffix or segments.endswith("_" + suffix) for suffix in SECRET_SUFFIXES
    )


def _lowered(keys: Iterable[str]) -> Iterable[str]:
    return (str.lower(key) for key in keys if issubclass(real_type(key), str))


_secret_in_text: dict[str, re.Pattern[str]] = {}


def _compiled_secrets() -> re.Pattern[str]:
    """Match a redact key with the value behind it.

    `name=value` needs no space around the sign, or a quoted value: the source line
    `text = decode(ids)` in a stack trace says nothing secret. `name: value` is prose for words
    like "key" and "text", so that form is for names of secrets only.
    """
    secrets = {*SECRET_SUFFIXES, *_added_keys, "token"}
    names = {*secrets, *_keys_in_force}
    quoted = r"""'[^'\n]*'|"[^"\n]*\""""
    bare = r"(?:(?:bearer|basic)\s+)?[^\s,;&)}\]'\"]+"
    left = r"(?<![A-Za-z0-9])"
    return re.compile(
        rf"(?P<name>{left}(?:{_alternatives(names)})(?:=|['\"]?\s*[=:]\s*(?=['\"]))"
        rf"|{left}(?:{_alternatives(secrets)})['\"]?:\s*)"
        rf"(?:{quoted}|{bare})",
        re.IGNORECASE,
    )


def _alternatives(names: Iterable[str]) -> str:
    longest_first = sorted(names, key=len, reverse=True)
    return "|".join(re.escape(name).replace("_", "[_-]") for name in longest_first)


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction]
    set_added_redact_keys(())
