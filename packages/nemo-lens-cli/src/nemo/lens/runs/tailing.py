# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What was appended to the files of a process since the last look.

The writer appends whole lines to a segment, begins the next one when it is full, and packs the
finished one (`nemo.lens.runs.locate.segments`). A reader that keeps the number of a segment and how
much of its text it has read goes on through all of that, and reads nothing twice.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.lines import COMPRESSIONS, MAX_LINE_BYTES, open_lines, uncompressed_name
from nemo.lens.runs.locate import segments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NUMBER: Final = re.compile(r"-(\d+)\.jsonl")


class SegmentTail:
    """Follows the segments of one signal of one process.

    Args:
        folder: The process folder.
        signal: "traces", "metrics" or "logs".
        backlog_bytes: How much of what is there already is read; older text is passed over, as are
            all segments but the newest.
    """

    def __init__(self, folder: Path, signal: str, backlog_bytes: int) -> None:
        self._folder = folder
        self._signal = signal
        self._backlog = backlog_bytes
        self._number: int | None = None
        self._offset = 0

    def lines(self) -> Iterator[bytes]:
        """The whole lines that are new, in order; a torn last line waits for its rest."""
        try:
            found = segments(self._folder)[self._signal]
        except OSError:
            return
        numbered = [(_number(path), path) for path in found]
        if not numbered:
            return
        if self._number is None:
            self._begin(*numbered[-1])
        for number, path in numbered:
            if self._number is None or number < self._number:
                continue
            if number > self._number:
                self._number, self._offset = number, 0
            try:
                yield from self._new_lines(path)
            except (OSError, EOFError, ImportError, zlib.error):
                # Being packed, or removed, at this moment: the next look finds what became of it.
                return

    def _begin(self, number: int, path: Path) -> None:
        """Start in the newest segment, where the backlog begins."""
        self._number = number
        if path.suffix in COMPRESSIONS:
            return
        try:
            start = path.stat().st_size - self._backlog
            if start <= 0:
                return
            with path.open("rb") as stream:
                stream.seek(start)
                self._offset = start + len(stream.readline(MAX_LINE_BYTES))
        except OSError:
            return

    def _new_lines(self, path: Path) -> Iterator[bytes]:
        with open_lines(path) as stream:
            stream.seek(self._offset)
            while line := stream.readline(MAX_LINE_BYTES):
                if not line.endswith(b"\n") and len(line) < MAX_LINE_BYTES:
                    return
                self._offset += len(line)
                yield line


def overlook() -> None:
    """What a live view does about a damaged record: the analyses tell, it goes on."""


def _number(path: Path) -> int:
    match = _NUMBER.search(uncompressed_name(path))
    return int(match[1]) if match else 0
