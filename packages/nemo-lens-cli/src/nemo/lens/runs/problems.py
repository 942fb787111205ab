# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The two ways in which a recorded run can be unusable: not at all, or in part."""

from __future__ import annotations

MAX_PROBLEMS = 200


class RunError(ValueError):
    """The path names no run that can be read, or more than one.

    The message is one line that names the path, what was found there and what is accepted.
    """


class Problems:
    """Collects one clear line per thing that could not be read, without repeats.

    Args:
        limit: At most this many lines are kept; what came after is counted in a last line.
    """

    __slots__ = ("_limit", "_lines", "_more")

    def __init__(self, limit: int = MAX_PROBLEMS) -> None:
        self._limit = limit
        self._lines: dict[str, None] = {}
        self._more = 0

    def add(self, line: str) -> None:
        """Keep `line` unless it was said before."""
        if line in self._lines:
            return
        if len(self._lines) < self._limit:
            self._lines[line] = None
        else:
            self._more += 1

    def lines(self) -> tuple[str, ...]:
        """What was collected, in order."""
        kept = tuple(self._lines)
        return (*kept, f"{self._more} more problems are not listed") if self._more else kept
