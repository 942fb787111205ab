# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Names of spans and of threads, each stored once, so that a record holds two small numbers."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from typing import TYPE_CHECKING

from nemo.lens.sdk.black_box.layout import (
    GROUP_BYTES,
    HEADER_BYTES,
    IS_STEP,
    NAME,
    NAME_BYTES,
    SIZES,
    THREAD,
    THREAD_NAME_BYTES,
)
from nemo.lens.spans import span_names
from nemo.lens.vocabulary import SpanGroup

if TYPE_CHECKING:
    from mmap import mmap

UNKNOWN = 0


class Names:
    """The span names of a process, numbered as they are met; no lock is needed.

    Two threads that meet a new name at the same time give it two numbers, which does no harm.

    Attributes:
        number_of: What `dict.get` says of a name: its number with the flag of its group, or None.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._take = itertools.count(1).__next__
        self.number_of = self._numbers.get

    def add(self, name: str, memory: mmap) -> int:
        """Store a new name; `UNKNOWN` once there is no more room."""
        place = self._take()
        if place >= SIZES.names:
            return UNKNOWN
        group = span_names.group_of(name)
        number = place | IS_STEP if group == SpanGroup.STEP else place
        _store_name(memory, place, name, group)
        self._numbers[name] = number
        return number


def _store_name(memory: mmap, place: int, name: str, group: str | None) -> None:
    text = name.encode("utf-8", "replace")[:NAME_BYTES]
    label = (group or "").encode("utf-8", "replace")[:GROUP_BYTES]
    at = HEADER_BYTES + place * NAME.size
    NAME.pack_into(memory, at, len(text), len(label), text + label)


class Threads(threading.local):
    """The seat of the current thread in the table of threads, taken when it is first asked for.

    Attributes:
        seat: Number of the entry, `UNKNOWN` once there is no more room.
    """

    def __init__(self, memory: mmap, free: deque[int]) -> None:
        self._memory = memory
        self._holder = _Seat(free)
        self.seat = self._holder.number
        if self.seat:
            self._store(threading.current_thread().name, threading.get_native_id())

    def speak_for(self, name: str, native_id: int) -> None:
        """Have what this thread stores count as that of another one, for good."""
        if self.seat:
            self._holder.number = UNKNOWN
            self._store(name, native_id)

    def _store(self, name: str, native_id: int) -> None:
        text = name.encode("utf-8", "replace")[:THREAD_NAME_BYTES]
        at = SIZES.threads_at + self.seat * THREAD.size
        THREAD.pack_into(self._memory, at, native_id, len(text), text)


def all_seats() -> deque[int]:
    """The numbers of a fresh table of threads."""
    return deque(range(1, SIZES.threads))


class _Seat:
    """Gives its number back when the thread ends, and its local variables with it."""

    def __init__(self, free: deque[int]) -> None:
        self._free = free
        try:
            self.number = free.popleft()
        except IndexError:
            self.number = UNKNOWN

    def __del__(self) -> None:
        if self.number:
            self._free.append(self.number)
