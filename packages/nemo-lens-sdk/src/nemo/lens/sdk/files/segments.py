# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Append-only segments of one signal: rotated, compressed, capped, and safe when the disk is not.

A line is written with one `write` call, so a process that is killed leaves whole lines in the page
cache, and at most one torn line at the end.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nemo.lens.sdk.files.kept_segments import FinishedSegment
from nemo.lens.sdk.noise import warn_once_a_minute

if TYPE_CHECKING:
    from collections.abc import Callable

    from nemo.lens.sdk.files.kept_segments import KeptSegments

MAX_SEGMENT_BYTES = 32 * 1024 * 1024
MAX_SEGMENT_AGE_S = 3600.0
MAX_TOTAL_BYTES = 4 * 1024**3


@dataclass(frozen=True)
class SegmentLimits:
    """When a segment ends, and how much one process may keep.

    Attributes:
        segment_bytes: A segment is finished once it is this large.
        segment_age_s: A segment is finished once it is this old, in seconds.
        total_bytes: Beyond this the oldest finished segments of all signals are deleted and counted
            as lost.
    """

    segment_bytes: int = MAX_SEGMENT_BYTES
    segment_age_s: float = MAX_SEGMENT_AGE_S
    total_bytes: int = MAX_TOTAL_BYTES


class SegmentWriter:
    """Writes the lines of one signal to `<signal>-00000.jsonl`, `<signal>-00001.jsonl`, ...

    Args:
        signal: First part of the file names.
        open_folder: Makes sure that the folder exists and returns it; may raise OSError.
        limits: When to rotate.
        kept: The finished segments of the process.
    """

    def __init__(
        self,
        signal: str,
        open_folder: Callable[[], Path],
        limits: SegmentLimits,
        kept: KeptSegments,
    ) -> None:
        self._signal = signal
        self._open_folder = open_folder
        self._limits = limits
        self._kept = kept
        self._descriptor: int | None = None
        self._path = Path()
        self._number = -1
        self._size = 0
        self._items = 0
        self._opened_at = 0.0

    def write(self, line: bytes, items: int) -> None:
        """Append one line that holds `items` items.

        Raises:
            OSError: The line was not written, and nothing of it was left behind.
        """
        descriptor = self._current_descriptor()
        try:
            _write_all(descriptor, line)
        except OSError:
            self._undo_torn_write(descriptor)
            raise
        self._size += len(line)
        self._items += items
        if self._is_full():
            self._rotate()

    def close(self) -> None:
        """Close the current segment; it stays readable as it is."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            os.close(descriptor)
        except OSError as error:
            # Shared filesystems say here what they could not store. The number is free even so, and
            # may soon be that of somebody else's file.
            warn_once_a_minute("segment", "%s may be incomplete (%s)", self._path, error)

    def _is_full(self) -> bool:
        age_s = time.monotonic() - self._opened_at
        return self._size >= self._limits.segment_bytes or age_s >= self._limits.segment_age_s

    def _current_descriptor(self) -> int:
        if self._descriptor is not None and _leads_nowhere(self._descriptor):
            self.close()
            self._kept.forget_vanished()
        if self._descriptor is None:
            self._descriptor = self._open_next()
        return self._descriptor

    def _open_next(self) -> int:
        folder = self._open_folder()
        number = self._number + 1
        path = folder / f"{self._signal}-{number:05d}.jsonl"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._number, self._path = number, path
        self._size = self._items = 0
        self._opened_at = time.monotonic()
        return descriptor

    def _undo_torn_write(self, descriptor: int) -> None:
        try:
            os.ftruncate(descriptor, self._size)
        except OSError:
            # A line torn in the middle of a file would spoil the next one: start a new segment.
            self.close()

    def _rotate(self) -> None:
        self.close()
        self._kept.add(_compress(FinishedSegment(self._path, self._size, self._items)))


def _leads_nowhere(descriptor: int) -> bool:
    """Whether the file was deleted, or the shared filesystem that it lay on has gone."""
    try:
        return os.fstat(descriptor).st_nlink == 0
    except OSError:
        return True  # a stale handle stays stale; the path may work again


def _write_all(descriptor: int, line: bytes) -> None:
    written = os.write(descriptor, line)
    while written < len(line):
        written += os.write(descriptor, line[written:])


def _compress(segment: FinishedSegment) -> FinishedSegment:
    """Gzip a finished segment; one that cannot be compressed stays as it is."""
    target = segment.path.with_name(segment.path.name + ".gz")
    partial = segment.path.with_name(segment.path.name + ".gz.part")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with (
            segment.path.open("rb") as source,
            os.fdopen(descriptor, "wb") as raw,
            gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1) as packed,
        ):
            shutil.copyfileobj(source, packed, 1024 * 1024)
        partial.replace(target)
        segment.path.unlink()
        return FinishedSegment(target, target.stat().st_size, segment.items)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        return segment
