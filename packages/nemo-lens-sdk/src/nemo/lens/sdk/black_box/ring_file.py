# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The file of a black box: made with room that is really there, ended, and packed up."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import time
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk.black_box.layout import (
    END,
    END_AT,
    FORMAT,
    HEADER_BYTES,
    IDENTITY_AT,
    IDENTITY_BYTES,
    MAGIC,
    NAME,
    PREAMBLE,
    RECORD,
    RECORD_BYTES,
    SIZES,
    STILL_OPEN,
    THREAD,
)
from nemo.lens.sdk.black_box.placement import hold

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_CHUNK = bytes(256 * 1024)
_END_BYTES = 46


class RingFile:
    """A mapped file with the tables of `layout`.

    Args:
        path: Where it is made; nothing may be there.
        identity: Who the process is; what JSON can hold.
        shared: Whether the filesystem may be shared with other nodes, where locks are not used.

    Raises:
        OSError: There is no room, or the file cannot be made or mapped.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], *, shared: bool) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
        try:
            _fill(descriptor, SIZES.file_bytes)
            # The mapping keeps a descriptor of its own, and with it the lock.
            self.memory = mmap.mmap(descriptor, SIZES.file_bytes)
            if not shared:
                hold(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        finally:
            os.close(descriptor)
        self._write_header(identity)

    def end(self, how: str) -> None:
        """Say in the file that the process ended in order, and how; no input or output."""
        text = how.encode("utf-8", "replace")[:_END_BYTES]
        END.pack_into(self.memory, END_AT, time.time_ns(), time.monotonic_ns(), len(text), text)

    def packed(self, most_finished: int) -> bytes:
        """The file without its unused places, and with the newest finished spans only."""
        names = _used(self.memory, HEADER_BYTES, SIZES.names, NAME.size)
        threads = _used(self.memory, SIZES.threads_at, SIZES.threads, THREAD.size)
        spans = _newest(self.memory[SIZES.spans_at :], most_finished)
        header = bytearray(self.memory[:HEADER_BYTES])
        identity_bytes = PREAMBLE.unpack_from(header)[2]
        counts = len(names) // NAME.size, len(threads) // THREAD.size, len(spans) // RECORD_BYTES
        PREAMBLE.pack_into(header, 0, MAGIC, FORMAT, identity_bytes, *counts)
        return b"".join((header, names, threads, spans))

    def remove(self) -> None:
        """Delete the file; the mapping goes when nobody stores into it any more."""
        self.path.unlink(missing_ok=True)

    def _write_header(self, identity: Mapping[str, Any]) -> None:
        text = _json(identity)
        PREAMBLE.pack_into(self.memory, 0, MAGIC, FORMAT, len(text), *SIZES)
        self.memory[IDENTITY_AT : IDENTITY_AT + len(text)] = text


def _fill(descriptor: int, size: int) -> None:
    """Write zeros: a hole in the file would be a SIGBUS once the disk is full."""
    if hasattr(os, "posix_fallocate"):
        with contextlib.suppress(OSError):  # not every filesystem can; the zeros decide
            os.posix_fallocate(descriptor, 0, size)
    left = size
    while left:
        left -= os.write(descriptor, _CHUNK[:left])


def _json(identity: Mapping[str, Any]) -> bytes:
    fields = dict(identity)
    while True:
        text = json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace")
        if len(text) <= IDENTITY_BYTES or not fields:
            return text
        # Whatever is longest goes: a truncated object could not be read at all.
        del fields[max(fields, key=lambda key: len(str(fields[key])))]


def _used(memory: mmap.mmap, at: int, entries: int, size: int) -> bytes:
    """A table up to its last entry that is in use."""
    table = memory[at : at + entries * size]
    used = len(table.rstrip(b"\0"))
    return table[: -(-used // size) * size]


def _newest(table: bytes, most_finished: int) -> bytes:
    """The records of open spans and those of the spans that ended last."""
    opened: list[bytes] = []
    ended: list[tuple[int, bytes]] = []
    for at in range(0, len(table), RECORD_BYTES):
        begun, _wall, _span, _parent, _step, duration, *_rest = RECORD.unpack_from(table, at)
        if begun:
            record = table[at : at + RECORD_BYTES]
            if duration == STILL_OPEN:
                opened.append(record)
            else:
                ended.append((begun + duration, record))
    newest = [record for _end, record in sorted(ended)[-most_finished:]]
    return b"".join(opened + newest)
