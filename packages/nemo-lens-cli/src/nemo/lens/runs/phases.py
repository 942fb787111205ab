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


class Phase(NamedTuple):
    """A part of a step: what it is called, and whether it is waiting for others."""

    label: str
    waiting: bool


class Kind(NamedTuple):
    """What all spans of a name and group share."""

    phase: Phase
    name: str


class Node(NamedTuple):
    """What is kept of a span until its step is known."""

    start: int
    end: int
    span_id: str
    kind: Kind


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
    ordered = sorted(inside)
    simple = _split_sequence(window, ordered, children)
    if simple is not None:
        return simple
    parts: dict[Phase, int] = {}
    covered = Covered()
    waits: list[Node] = []
    released = 0
    for child in ordered:
        below = _waits_below(child, children)
        released = max(released, *(min(wait.end, window.end) for wait in below), 0)
        if child.kind.phase.waiting:
            waits.append(child)
            continue
        waited = Covered()
        start, end = max(child.start, window.start), min(child.end, window.end)
        length = covered.add(start, end)
        for wait in below:
            share = min(waited.add(max(wait.start, start), min(wait.end, end)), length)
            length -= share
            _add(parts, wait.kind.phase, share)
        _add(parts, child.kind.phase, length)
    for wait in waits:
        start, end = max(wait.start, window.start), min(wait.end, window.end)
        released = max(released, end)
        _add(parts, wait.kind.phase, covered.add(start, end))
    rest = window.end - window.start - sum(parts.values())
    _add(parts, window.kind.phase, rest)
    return parts, released


def _split_sequence(
    window: Node, ordered: list[Node], children: dict[str, list[Node]]
) -> tuple[dict[Phase, int], int] | None:
    """The same for what is nearly always the case; None when it is not.

    That is: the children follow one another within the window, and have no children of their own.
    """
    parts: dict[Phase, int] = {}
    now, covered, released = window.start, 0, 0
    for start, end, span_id, kind in ordered:
        if start < now or span_id in children:
            return None
        now = end
        length = end - start
        phase = kind.phase
        if length:
            parts[phase] = parts.get(phase, 0) + length
            covered += length
        if phase.waiting:
            released = end
    if now > window.end:
        return None
    _add(parts, window.kind.phase, window.end - window.start - covered)
    return parts, released


def _add(parts: dict[Phase, int], phase: Phase, length: int) -> None:
    if length > 0:
        parts[phase] = parts.get(phase, 0) + length


def _waits_below(node: Node, children: dict[str, list[Node]]) -> list[Node]:
    """The outermost waiting spans below a span, in order; everything below is taken out."""
    found: list[Node] = []
    stack = [(node, node.kind.phase.waiting)]
    while stack:
        above, waiting = stack.pop()
        for child in children.pop(above.span_id, ()):
            if child.kind.phase.waiting and not waiting:
                found.append(child)
            stack.append((child, waiting or child.kind.phase.waiting))
    return sorted(found)
