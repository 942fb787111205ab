# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How a black box looks on disk; `nemo.lens.runs` reads it, a test compares the two.

Little-endian. A header of 4096 bytes, then three tables, each of so many entries as the header says:

| table | bytes per entry | holds |
|---|---|---|
| names | 128 | lengths of span name and group, both texts; entry 0 is never used |
| threads | 64 | native thread id, length of the name, name; entry 0 is never used |
| spans | 64 | one record for each span that is open, and for the spans that ended last |

A record begins with the time of the start and closes with the lower half of it: one that was cut
off while it was being stored has two different ones. Time 0 is an empty place.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

MAGIC: Final = b"NLENSBOX"
FORMAT: Final = 1

PREAMBLE: Final = Struct("<8s5I")
"""Magic, format, bytes of the identity, entries of the three tables."""

UNLISTED_AT: Final = 56
UNLISTED: Final = Struct("<Q")
"""Spans that found no place."""

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

RECORD: Final = Struct("<qqQQqqHHI")
"""Start by the monotonic clock, start by the wall clock, in ns; span id, parent span id; step;
duration in ns; name and flags; thread; lower half of the first field. The rest is reserved."""

RECORD_BYTES: Final = 64
"""How far records lie apart, so that none crosses a line of the processor's cache."""

DURATION: Final = Struct("<q")
DURATION_IN_RECORD: Final = 40

STILL_OPEN: Final = -(2**63)
"""The duration of a span that has not ended."""

NO_STEP: Final = -(2**63)

WAITS: Final = 0x8000
"""Flag beside a name: the span carries `nemo.wait`."""

IS_STEP: Final = 0x4000
"""Flag beside a name: the group is `step`."""

NAME_MASK: Final = 0x3FFF


class Sizes(NamedTuple):
    """Entries of each table."""

    names: int
    threads: int
    spans: int

    @property
    def threads_at(self) -> int:
        """Where the table of threads begins."""
        return HEADER_BYTES + self.names * NAME.size

    @property
    def spans_at(self) -> int:
        """Where the table of spans begins."""
        return self.threads_at + self.threads * THREAD.size

    @property
    def file_bytes(self) -> int:
        """The size of the whole file."""
        return self.spans_at + self.spans * RECORD_BYTES


SIZES: Final = Sizes(names=1024, threads=256, spans=4096)
"""What a process stores: 404 KiB, which fits the processor's cache beside the work."""
