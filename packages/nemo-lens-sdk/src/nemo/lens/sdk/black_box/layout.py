# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How a black box looks on disk; `nemo.lens.runs` reads it, a test compares the two.

Little-endian. A header of 4096 bytes, then four tables, each of so many entries as the header says:

| table | bytes per entry | holds |
|---|---|---|
| names | 128 | lengths of span name and group, both texts; entry 0 is never used |
| threads | 64 | native thread id, length of the name, name; entry 0 is never used |
| open | 64 | one record for each span that is open now |
| finished | 64 | a ring of records of the spans that ended last |

A record begins with its number and ends with the lower half of it: one that was cut off while it
was being stored has two different ones. Number 0 is an empty place.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

MAGIC: Final = b"NLENSBOX"
FORMAT: Final = 1

PREAMBLE: Final = Struct("<8s6I")
"""Magic, format, bytes of the identity, entries of the four tables."""

END_AT: Final = 64
END: Final = Struct("<qqH46s")
"""Wall clock and monotonic clock at the orderly end, in ns, 0 before; length and text of how."""

IDENTITY_AT: Final = 128
HEADER_BYTES: Final = 4096
IDENTITY_BYTES: Final = HEADER_BYTES - IDENTITY_AT
"""Most bytes of the identity, a JSON object in UTF-8."""

NAME: Final = Struct("<HH124s")
GROUP_BYTES: Final = 32
NAME_BYTES: Final = 124 - GROUP_BYTES

THREAD: Final = Struct("<QH54s")
THREAD_NAME_BYTES: Final = 54

RECORD: Final = Struct("<QqqqQQqHHI")
"""Number; start by the wall clock, start by the monotonic clock, duration, in ns; span id, parent
span id; step; name and flags, thread; lower half of the number."""

STILL_OPEN: Final = -(2**63)
"""The duration of a span that has not ended."""

NO_STEP: Final = -(2**63)

INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1

WAITS: Final = 0x8000
"""Flag beside a name: the span carries `nemo.wait`."""

IS_STEP: Final = 0x4000
"""Flag beside a name: the group is `step`."""

NAME_MASK: Final = 0x3FFF


class Sizes(NamedTuple):
    """Entries of each table."""

    names: int
    threads: int
    open: int
    finished: int

    @property
    def threads_at(self) -> int:
        """Where the table of threads begins."""
        return HEADER_BYTES + self.names * NAME.size

    @property
    def open_at(self) -> int:
        """Where the table of open spans begins."""
        return self.threads_at + self.threads * THREAD.size

    @property
    def finished_at(self) -> int:
        """Where the ring of finished spans begins."""
        return self.open_at + self.open * RECORD.size

    @property
    def file_bytes(self) -> int:
        """The size of the whole file."""
        return self.finished_at + self.finished * RECORD.size


SIZES: Final = Sizes(names=1024, threads=256, open=1024, finished=16_384)
"""What a process stores: 1.2 MiB. The number of finished spans must be a power of two."""
