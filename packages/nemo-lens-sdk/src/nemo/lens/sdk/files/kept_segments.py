# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The finished segments of a process, and the cap that all of its signals share."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nemo.lens.sdk import counts

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class FinishedSegment:
    """A segment that nothing is added to any more.

    Attributes:
        path: Where it lies.
        size: Its bytes, as it lies there.
        items: How many items it holds.
    """

    path: Path
    size: int
    items: int


class KeptSegments:
    """Deletes the oldest segments beyond a cap, and counts what was in them.

    Args:
        total_bytes: Most bytes that finished segments keep together; the newest always stays.
        losses: Where deleted items are counted.
    """

    def __init__(self, total_bytes: int, losses: counts.Counts) -> None:
        self._total_bytes = total_bytes
        self._losses = losses
        self._lock = threading.Lock()  # each signal has a thread of its own
        self._segments: list[FinishedSegment] = []

    def add(self, segment: FinishedSegment) -> None:
        """Keep one more segment, at the cost of the oldest ones."""
        with self._lock:
            self._segments.append(segment)
            while len(self._segments) > 1 and self._size() > self._total_bytes:
                oldest = self._segments.pop(0)
                with contextlib.suppress(OSError):  # what cannot be deleted is not lost
                    oldest.path.unlink(missing_ok=True)
                    self._losses.lose(counts.FILE_CAP, oldest.items)

    def forget_vanished(self) -> None:
        """Leave out what somebody else has deleted; it takes no room."""
        with self._lock:
            self._segments = [segment for segment in self._segments if segment.path.exists()]

    def _size(self) -> int:
        return sum(segment.size for segment in self._segments)
