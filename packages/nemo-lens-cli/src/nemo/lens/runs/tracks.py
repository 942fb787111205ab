# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans of one process on as few tracks as show them truly: what overlaps lies apart.

A viewer takes a span that lies within another on the same track for its child. So a span goes onto
a track that is free, or right under its parent there, and never under a stranger: concurrent tasks
and threads get tracks of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Placed(NamedTuple):
    """A span and its track.

    Attributes:
        span_id: Its id.
        parent: The id of its parent, "" for a root.
        start: Start in nanoseconds.
        end: End.
        track: Number of the track, 0 for the first.
        place: Where it stood in what was given.
    """

    span_id: str
    parent: str
    start: int
    end: int
    track: int
    place: int


def pack(spans: Iterable[tuple[str, str, int, int]]) -> list[Placed]:
    """Give each span a track.

    Args:
        spans: Id, parent id, start and end of each, in the order of export.

    Returns:
        All of them in order of their starts; on each track they are nested or follow one another.
    """
    # What was exported later is the parent of what covers the same time.
    ordered = sorted(enumerate(spans), key=lambda item: (item[1][2], -item[1][3], -item[0]))
    tracks: list[list[Placed]] = []
    track_of: dict[str, int] = {}
    found: list[Placed] = []
    for place, (span_id, parent, start, end) in ordered:
        track = _choose(tracks, track_of.get(parent, 0), parent, start, end)
        if track == len(tracks):
            tracks.append([])
        placed = Placed(span_id, parent, start, end, track, place)
        tracks[track].append(placed)
        track_of[span_id] = track
        found.append(placed)
    return found


def _choose(tracks: list[list[Placed]], first: int, parent: str, start: int, end: int) -> int:
    """The track of the parent where there is room, else the first free one, else a new one."""
    if first < len(tracks) and _has_room(tracks[first], parent, start, end):
        return first
    for number, track in enumerate(tracks):
        if _has_room(track, parent, start, end):
            return number
    return len(tracks)


def _has_room(open_spans: list[Placed], parent: str, start: int, end: int) -> bool:
    while open_spans and open_spans[-1].end <= start:
        open_spans.pop()
    if not open_spans:
        return True
    innermost = open_spans[-1]
    return innermost.span_id == parent and end <= innermost.end
