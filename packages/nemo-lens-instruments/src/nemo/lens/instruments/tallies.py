# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Counts of what is rare: exact under many threads, and the process's own after a fork."""

from __future__ import annotations

import threading


class Tally:
    """A count for each name; nothing is counted until something happens."""

    __slots__ = ("_counts", "_lock")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        # Re-entrant: a signal handler may count while this thread is in here.
        self._lock = threading.RLock()

    def add(self, name: str, count: int = 1) -> None:
        """Count `count` more under `name`."""
        with self._lock:
            self._counts[name] = self._counts.get(name, 0) + count

    def counts(self) -> dict[str, int]:
        """Return the counts so far, by name."""
        with self._lock:
            return dict(self._counts)

    def after_fork(self) -> None:
        """Begin anew in a child: what the parent counted, the parent reports."""
        self._counts = {}
        self._lock = threading.RLock()
