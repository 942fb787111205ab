# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The latest steps of one process, kept up to date from the spans that it appends."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.phases import Covered
from nemo.lens.runs.records import decode_span_blocks, span_fields
from nemo.lens.runs.spreads import median
from nemo.lens.runs.step_spans import (
    is_step,
    is_truncated,
    is_waiting,
    step_number,
    watched_attributes,
)
from nemo.lens.runs.tailing import overlook

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from nemo.lens.runs.process import Process

_KEPT: Final = 24
_MOST_WAITS: Final = 4096


class RecentStep(NamedTuple):
    """One finished step.

    Attributes:
        number: Its number, None when it carries none.
        start: Start, nanoseconds since 1970.
        end: End.
        own_s: Its duration less the waiting for others in it.
    """

    number: int | None
    start: int
    end: int
    own_s: float


class RecentSteps:
    """The latest steps; older ones are forgotten.

    Attributes:
        kept: The steps, in order of their ends.
        last_number: The number of the latest step that has one.
    """

    def __init__(self) -> None:
        self.kept: deque[RecentStep] = deque(maxlen=_KEPT)
        self.last_number: int | None = None
        self._waits: deque[tuple[int, int]] = deque(maxlen=_MOST_WAITS)

    @property
    def own_s(self) -> float | None:
        """Own work of the typical recent step, None without a step."""
        return median(step.own_s for step in self.kept) if self.kept else None

    @property
    def per_s(self) -> float | None:
        """How many steps are done in a second, None where two steps cannot tell."""
        if len(self.kept) < 2:  # noqa: PLR2004 - a rate needs two moments
            return None
        elapsed = (self.kept[-1].end - self.kept[0].end) / 1e9
        return (len(self.kept) - 1) / elapsed if elapsed > 0 else None

    def add(self, entries: Iterable[dict[str, Any]], process: Process) -> bool:
        """Take in what one line holds: its `resourceSpans` entries.

        Returns:
            Whether there was a finished step among them.

        A line groups spans by scope, so the waiting in a step may stand behind it; it never comes
        in a later line, because what ends first is written first.
        """
        steps: list[tuple[int, int, int | None]] = []
        for entry in entries:
            for block in decode_span_blocks(entry, process, overlook):
                for raw in block.spans:
                    found = span_fields(raw)
                    if found is None:
                        continue
                    name, _span_id, _parent, start, end = found
                    watched = watched_attributes(raw.get("attributes"))
                    if is_truncated(watched):
                        continue
                    if is_step(name, block.group, watched):
                        steps.append((end, start, step_number(watched)))
                    elif is_waiting(name, block.group, watched):
                        self._waits.append((start, end))
        for end, start, number in sorted(steps, key=_ends):
            self._close(start, end, number)
        return bool(steps)

    def _close(self, start: int, end: int, number: int | None) -> None:
        # A step within this one, e.g. a microbatch, is a part of it.
        while self.kept and self.kept[-1].start >= start:
            self.kept.pop()
        covered = Covered()
        waited = sum(covered.add(max(first, start), min(last, end)) for first, last in self._waits)
        self._waits = deque((wait for wait in self._waits if wait[1] > end), _MOST_WAITS)
        self.kept.append(RecentStep(number, start, end, (end - start - waited) / 1e9))
        if number is not None:
            self.last_number = number


def _ends(step: tuple[int, int, int | None]) -> int:
    return step[0]
