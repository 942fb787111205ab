# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Every instant of a process in exactly one bucket.

A classified span hides the classified spans around it for as long as it runs: the innermost wins.
Of spans that run beside one another (threads, asynchronous work) the better bucket wins, a process
that computes while a checkpoint is written is productive; of equal ones the later started. Time is
cut at every start and end, so it is never counted twice, and what nobody claims stays over.
"""

from __future__ import annotations

import heapq
from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.bucket_table import BUCKETS, PRODUCTIVE, WASTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PRIORITY: Final = {bucket: place for place, bucket in enumerate(BUCKETS)}
_DEEPEST: Final = 1000
_END: Final = 0
_START: Final = 1


class Classified(NamedTuple):
    """A span that has a bucket; times in nanoseconds."""

    start: int
    end: int
    span_id: str
    parent: str
    bucket: str
    part: str


class Segments:
    """The time of one process, cut where its bucket changes; about 24 bytes each."""

    __slots__ = ("_ends", "_kinds", "_places", "_starts")

    def __init__(self) -> None:
        self._starts: array[int] = array("q")
        self._ends: array[int] = array("q")
        self._kinds: dict[tuple[str, str], int] = {}
        self._places: array[int] = array("q")

    def add(self, start: int, end: int, bucket: str, part: str) -> None:
        """Add the next segment; what goes on as before makes the last one longer."""
        place = self._kinds.setdefault((bucket, part), len(self._kinds))
        if self._ends and self._ends[-1] == start and self._places[-1] == place:
            self._ends[-1] = end
            return
        self._starts.append(start)
        self._ends.append(end)
        self._places.append(place)

    def sums(self, lost: Sequence[tuple[int, int]] = ()) -> dict[tuple[str, str], int]:
        """Nanoseconds by bucket and part.

        Args:
            lost: Windows of time whose productive work was rolled back, from start to end; they do
                not overlap.
        """
        found: dict[tuple[str, str], int] = defaultdict(int)
        kinds = list(self._kinds)
        for start, end, place in zip(self._starts, self._ends, self._places, strict=True):
            bucket, part = kinds[place]
            wasted = 0
            if bucket == PRODUCTIVE:
                wasted = sum(max(0, min(end, until) - max(start, since)) for since, until in lost)
            if wasted:
                found[WASTED, part] += wasted
            if end - start > wasted:
                found[bucket, part] += end - start - wasted
        return dict(found)


def sweep(spans: Sequence[Classified], parents: Mapping[str, str]) -> Segments:
    """Divide the time that spans cover.

    Args:
        spans: The classified spans of one process.
        parents: Parent by span id, of all its spans.

    Returns:
        Each instant that at least one span covers is in one segment, and none is in two.
    """
    spans = [span for span in spans if span.end > span.start]
    timeline = _Timeline(spans, _above(spans, parents))
    events = [(span.start, _START, place) for place, span in enumerate(spans)]
    events += [(span.end, _END, place) for place, span in enumerate(spans)]
    events.sort()
    found = Segments()
    now = 0
    for moment, kind, place in events:
        if moment > now:
            winner = timeline.winner()
            if winner is not None:
                found.add(now, moment, winner.bucket, winner.part)
            now = moment
        if kind == _START:
            timeline.start(place)
        else:
            timeline.end(place)
    return found


class _Timeline:
    """The spans that run at a moment, and which of them hides the others."""

    def __init__(self, spans: Sequence[Classified], above: Sequence[int]) -> None:
        self._spans = spans
        self._above = above
        self._running = bytearray(len(spans))
        self._inside = [0] * len(spans)
        # One heap per bucket, the latest started first; what is hidden or over goes lazily.
        self._heaps: list[list[tuple[int, int, int]]] = [[] for _bucket in BUCKETS]

    def start(self, place: int) -> None:
        """A span begins: it hides what is around it."""
        self._running[place] = True
        if not self._inside[place]:
            self._show(place)
        self._count_inside(place, 1)

    def end(self, place: int) -> None:
        """A span ends: what is around it shows again."""
        self._running[place] = False
        self._count_inside(place, -1)

    def winner(self) -> Classified | None:
        """The span to which the moment belongs."""
        for heap in self._heaps:
            while heap and not self._is_visible(heap[0][2]):
                heapq.heappop(heap)
            if heap:
                return self._spans[heap[0][2]]
        return None

    def _is_visible(self, place: int) -> bool:
        return bool(self._running[place]) and not self._inside[place]

    def _show(self, place: int) -> None:
        span = self._spans[place]
        heapq.heappush(self._heaps[_PRIORITY[span.bucket]], (-span.start, span.end, place))

    def _count_inside(self, place: int, change: int) -> None:
        above = self._above[place]
        for _level in range(_DEEPEST):
            if above < 0:
                return
            self._inside[above] += change
            if self._is_visible(above) and change < 0:
                self._show(above)
            above = self._above[above]


def _above(spans: Sequence[Classified], parents: Mapping[str, str]) -> list[int]:
    """For each span the place of the nearest classified span around it, -1 for none."""
    places = {span.span_id: place for place, span in enumerate(spans)}
    nearest: dict[str, int] = {}
    found: list[int] = []
    for span in spans:
        above = span.parent
        passed: list[str] = []
        while above and above not in places and above not in nearest and len(passed) < _DEEPEST:
            passed.append(above)
            above = parents.get(above, "")
        around = places.get(above, nearest.get(above, -1))
        nearest.update(dict.fromkeys(passed, around))
        found.append(around)
    _cut_cycles(found)
    return found


def _cut_cycles(above: list[int]) -> None:
    """Let spans that claim to lie inside each other lie beside each other."""
    checked = bytearray(len(above))
    for start in range(len(above)):
        path: dict[int, None] = {}
        place = start
        while place >= 0 and not checked[place] and place not in path:
            path[place] = None
            place = above[place]
        if place in path:
            above[place] = -1
        for place in path:
            checked[place] = True
