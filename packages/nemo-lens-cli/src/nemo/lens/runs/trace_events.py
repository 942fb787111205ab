# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The Chrome trace event format, which Perfetto and chrome://tracing read, written as a stream.

Times are microseconds since the start of the timeline. The events that are used: X (a span), i (a
moment), C (a counter), s and f (an arrow), M (names and order of processes and tracks).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import orjson

from nemo.lens.runs.otlp_json import is_list

if TYPE_CHECKING:
    from typing import BinaryIO

    from typing_extensions import Self

_NANO_PER_MICRO: Final = 1000
# Long texts make a viewer slow; what they say in full is in the run.
_LONGEST_TEXT: Final = 2000
_LARGEST_EXACT: Final = 2**53


class Place(NamedTuple):
    """Where on the timeline something is.

    Attributes:
        process: Number of the process row.
        track: Number of the track in it.
        at: Nanoseconds since the start of the timeline.
    """

    process: int
    track: int
    at: int


class TraceEvents:
    """Writes events one by one; nothing but the current one is held.

    Args:
        stream: Where the JSON goes, as UTF-8.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._write = stream.write
        self._between = b""
        self._arrows = 0

    def __enter__(self) -> Self:
        """Begin the document."""
        self._write(b'{"displayTimeUnit":"ms","traceEvents":[\n')
        return self

    def __exit__(self, kind: object, _error: object, _traceback: object) -> None:
        """End the document, unless it could not be completed."""
        if kind is None:
            self._write(b"\n]}\n")

    def process(self, number: int, name: str) -> None:
        """Name a process row; rows are shown in the order of their numbers."""
        self._metadata("process_name", number, 0, name=name)
        self._metadata("process_sort_index", number, 0, sort_index=number)

    def track(self, process: int, number: int, name: str) -> None:
        """Name a track of a process."""
        self._metadata("thread_name", process, number, name=name)
        self._metadata("thread_sort_index", process, number, sort_index=number)

    def span(self, place: Place, length: int, name: str, group: str, about: dict[str, Any]) -> None:
        """A span of `length` nanoseconds."""
        content = {"dur": length / _NANO_PER_MICRO, "cat": group or "span", "args": _plain(about)}
        self._event("X", place, name, **content)

    def moment(self, place: Place, name: str, about: dict[str, Any]) -> None:
        """Something without a length, on its track."""
        self._event("i", place, name, s="t", args=_plain(about))

    def counter(self, place: Place, name: str, value: float) -> None:
        """A finite value that a counter track draws."""
        self._event("C", place, name, args={"value": value})

    def arrow(self, start: Place, end: Place, name: str) -> None:
        """An arrow between two spans; each end lies within its span."""
        self._arrows += 1
        self._event("s", start, name, id=self._arrows, cat="flow")
        self._event("f", end, name, id=self._arrows, cat="flow", bp="e")

    def _metadata(self, what: str, process: int, track: int, **content: Any) -> None:
        self._line({"ph": "M", "name": what, "pid": process, "tid": track, "args": content})

    def _event(self, kind: str, place: Place, name: str, **content: Any) -> None:
        at = place.at / _NANO_PER_MICRO
        head = {"ph": kind, "name": name, "pid": place.process, "tid": place.track, "ts": at}
        self._line({**head, **content})

    def _line(self, event: dict[str, Any]) -> None:
        self._write(self._between + orjson.dumps(event))
        self._between = b",\n"


def _plain(value: Any) -> Any:
    """What JSON readers in a browser take: no NaN, no integer that they would round."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, Any]", value).items()}
    if is_list(value):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}..."
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and abs(value) > _LARGEST_EXACT:
        return str(value)
    return value
