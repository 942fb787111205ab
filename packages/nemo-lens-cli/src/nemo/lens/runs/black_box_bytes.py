# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a black box, decoded; nemo-lens-sdk writes them, a test compares the two.

Nothing in the file is trusted: it may be cut off, torn in the middle of a record, or garbage.
"""

from __future__ import annotations

from struct import Struct, error
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC: Final = b"NLENSBOX"
FORMAT: Final = 1
PREAMBLE: Final = Struct("<8s5I")
UNLISTED_AT: Final = 56
UNLISTED: Final = Struct("<Q")
END_AT: Final = 64
END: Final = Struct("<qqH46s")
IDENTITY_AT: Final = 128
HEADER_BYTES: Final = 4096
NAME: Final = Struct("<HH124s")
THREAD: Final = Struct("<QH54s")
RECORD: Final = Struct("<qqQQqqHHI8x")
"""Start by the monotonic clock, start by the wall clock; span id, parent span id; step; duration;
name and flags; thread; lower half of the first field."""

STILL_OPEN: Final = -(2**63)
NO_STEP: Final = -(2**63)
WAITS: Final = 0x8000
NAME_MASK: Final = 0x3FFF
LOWER_HALF: Final = 0xFFFF_FFFF


class Name(NamedTuple):
    """A span name and its group, None where it has none."""

    name: str
    group: str | None


class Thread(NamedTuple):
    """A thread: its name, and its id as the operating system counts."""

    name: str
    native_id: int


class Box(NamedTuple):
    """What a file holds.

    Attributes:
        identity: Who the process is, as it said.
        end: How it ended in order, "" when it did not.
        ended_unix_nano: When, 0 when it did not.
        names: Span names by number.
        threads: Threads by number.
        spans: The table of spans that are open, and of those that ended last.
        unlisted: Spans that found no place in it.
    """

    identity: dict[str, Any]
    end: str
    ended_unix_nano: int
    names: dict[int, Name]
    threads: dict[int, Thread]
    spans: bytes
    unlisted: int


def decode(content: bytes) -> Box | None:
    """Decode a file; None when it is no black box of a format that is known here."""
    try:
        magic, version, identity_bytes, *entries = PREAMBLE.unpack_from(content)
    except error:
        return None
    if magic != MAGIC or version != FORMAT:
        return None
    tables: list[bytes] = []
    at = HEADER_BYTES
    for count, size in zip(entries, (NAME.size, THREAD.size, RECORD.size), strict=True):
        table = content[at : at + count * size]
        tables.append(table[: len(table) // size * size])
        at += count * size
    end, ended_unix_nano = _end(content)
    return Box(
        _identity(content[IDENTITY_AT : min(HEADER_BYTES, IDENTITY_AT + identity_bytes)]),
        end,
        ended_unix_nano,
        dict(_names(tables[0])),
        dict(_threads(tables[1])),
        tables[2],
        UNLISTED.unpack_from(content, UNLISTED_AT)[0] if len(content) >= HEADER_BYTES else 0,
    )


def _end(content: bytes) -> tuple[str, int]:
    try:
        wall, _monotonic, length, text = END.unpack_from(content, END_AT)
    except error:
        return "", 0
    return (_text(text[:length]), wall) if wall > 0 else ("", 0)


def _identity(text: bytes) -> dict[str, Any]:
    try:
        identity = orjson.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", identity) if isinstance(identity, dict) else {}


def _names(table: bytes) -> Iterator[tuple[int, Name]]:
    for number, (length, group_length, text) in enumerate(NAME.iter_unpack(table)):
        if length:
            group = _text(text[length : length + group_length])
            yield number, Name(_text(text[:length]), group or None)


def _threads(table: bytes) -> Iterator[tuple[int, Thread]]:
    for number, (native_id, length, text) in enumerate(THREAD.iter_unpack(table)):
        if native_id:
            yield number, Thread(_text(text[:length]), native_id)


def _text(text: bytes) -> str:
    return text.decode("utf-8", "ignore")
