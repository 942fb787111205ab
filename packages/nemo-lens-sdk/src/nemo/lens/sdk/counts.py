# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What was delivered and what was lost, by reason."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

QUEUE_FULL = "queue_full"
EXPORT_FAILED = "export_failed"
REFUSED = "refused"
REJECTED_POINTS = "rejected_points"
AFTER_SHUTDOWN = "after_shutdown"
SHUTDOWN_DEADLINE = "shutdown_deadline"
UNENCODABLE = "unencodable"
FILE_CAP = "file_cap"

_OF_ITEMS = frozenset({QUEUE_FULL, EXPORT_FAILED, REFUSED, SHUTDOWN_DEADLINE, UNENCODABLE})
"""Reasons that cost whole items; the others cost parts of them, or count them after the end."""


class Counts:
    """Counts of one queue; safe from any thread and from signal handlers.

    The lock is re-entrant because a signal handler may interrupt its holder, and it is on the path
    of losses and of whole batches only, never on the path of one recorded item.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Start from zero, with a lock that nobody holds; for forked children."""
        self._lock = threading.RLock()
        self._delivered = 0
        self._lost: dict[str, int] = {}

    def deliver(self, number: int) -> None:
        """Count items that an exporter accepted."""
        with self._lock:
            self._delivered += number

    def lose(self, reason: str, number: int = 1) -> None:
        """Count items that will never arrive."""
        if number > 0:
            with self._lock:
                self._lost[reason] = self._lost.get(reason, 0) + number

    @property
    def delivered(self) -> int:
        """Items that an exporter accepted."""
        return self._delivered

    def lost(self) -> dict[str, int]:
        """Items lost, by reason."""
        with self._lock:
            return dict(self._lost)


def lost_items(lost: Mapping[str, int]) -> int:
    """Sum up the whole items that were lost before the end, of a mapping from reasons."""
    return sum(lost.get(reason, 0) for reason in _OF_ITEMS)
