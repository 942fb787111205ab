# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where the time of one step went: exclusive time per phase, own work told from waiting.

A phase is a child of the step span at the first level, called by its span group (by its name
where the group is unknown or is that of the step itself). What lies deeper belongs to the phase
around it, so that no time is counted twice, with one exception: waiting inside a phase is taken
out of it. Where children overlap, own work comes before waiting (a rank that computes while a
transfer runs does not wait) and the earlier before the later. What no child covers is the step's
own time. So the parts of a step sum to its duration exactly.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Node(NamedTuple):
    """What is kept of a span until its step is known."""

    start: int
    end: int
    span_id: str
    label: str
    name: str
    waiting: bool


class Phase(NamedTuple):
    """A part of a step: what it is called, and whether it is waiting for others."""

    label: str
    waiting: bool


class Covered:
    """Time that is already given to somebody: disjoint intervals in order."""

    __slots__ = ("_ends", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> int:
        """Cover an interval; returns how much of it was free."""
        starts, ends = self._starts, self._ends
        if start >= end:
            return 0
        if not ends or start >= ends[-1]:
            # The usual case: phases follow one another.
            starts.append(start)
            ends.append(end)
            return end - start
        first = bisect_left(ends, start)
        last = bisect_left(starts, end, lo=first)
        taken = sum(
            min(ends[index], end) - max(starts[index], start) for index in range(first, last)
        )
        if first < last:
            merged_start, merged_end = min(start, starts[first]), max(end, ends[last - 1])
        else:
            merged_start, merged_end = start, end
        starts[first:last] = [merged_start]
        ends[first:last] = [merged_end]
        return end - start - taken


def split(
    window: Node, inside: Iterable[Node], children: dict[str, list[Node]]
) -> tuple[dict[Phase, int], int]:
    """Divide a window of time into phases.

    Args:
        window: The step.
        inside: Its children at the first level.
        children: All children by the span id of their parent; entries below the window are
            removed.

    Returns:
        Nanoseconds by phase, which sum to the duration of the window, and the end of the last
        waiting in it (0 when there is none).
    """
    parts: dict[Phase, int] = {}
    covered = Covered()
    waits: list[Node] = []
    released = 0
    for child in sorted(inside):
        below = _waits_below(child, children)
        released = max(released, *(min(wait.end, window.end) for wait in below), 0)
        if child.waiting:
            waits.append(child)
            continue
        waited = Covered()
        start, end = max(child.start, window.start), min(child.end, window.end)
        length = covered.add(start, end)
        for wait in below:
            share = min(waited.add(max(wait.start, start), min(wait.end, end)), length)
            length -= share
            _add(parts, Phase(wait.label, waiting=True), share)
        _add(parts, Phase(child.label, waiting=False), length)
    for wait in waits:
        start, end = max(wait.start, window.start), min(wait.end, window.end)
        released = max(released, end)
        _add(parts, Phase(wait.label, waiting=True), covered.add(start, end))
    rest = window.end - window.start - sum(parts.values())
    _add(parts, Phase(window.label, waiting=False), rest)
    return parts, released


def _add(parts: dict[Phase, int], phase: Phase, length: int) -> None:
    if length > 0:
        parts[phase] = parts.get(phase, 0) + length


def _waits_below(node: Node, children: dict[str, list[Node]]) -> list[Node]:
    """The outermost waiting spans below a span, in order; everything below is taken out."""
    found: list[Node] = []
    stack = [(node, node.waiting)]
    while stack:
        above, waiting = stack.pop()
        for child in children.pop(above.span_id, ()):
            if child.waiting and not waiting:
                found.append(child)
            stack.append((child, waiting or child.waiting))
    return sorted(found)
