# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is stored in the black box when a span starts and when it ends.

Both run for every span, in the thread that works. They take no lock: numbers and places are
claimed by `itertools.count` and `deque`, which are atomic under the interpreter's lock, and a
record is stored by one call of `struct`, which holds that lock from its first byte to its last.
"""

from __future__ import annotations

import itertools
import struct
from collections import deque
from time import monotonic_ns, time_ns
from typing import TYPE_CHECKING, Any, Final

from nemo.lens import state
from nemo.lens.sdk.black_box.layout import (
    INT64_MAX,
    INT64_MIN,
    IS_STEP,
    NO_STEP,
    RECORD,
    SIZES,
    STILL_OPEN,
    WAITS,
)
from nemo.lens.sdk.black_box.seats import UNKNOWN, Names, Threads, all_seats
from nemo.lens.semconv import DL_ITERATION, NEMO_WAIT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from mmap import mmap

_pack = RECORD.pack_into
_clear = struct.Struct("<Q").pack_into
_IN_RING: Final = SIZES.finished * RECORD.size - 1
_RING_AT: Final = SIZES.finished_at
_LOWER_HALF: Final = 0xFFFF_FFFF
_NO_PLACE: Final = 0
_UNLISTED: Final = (_NO_PLACE, 0, NO_STEP, UNKNOWN)
_STEP_KEYS: Final = (DL_ITERATION, "iteration")


class Recorder:
    """Stores spans in a mapped file, while there is one.

    A span that starts takes a place in the table of open spans; when it ends, it becomes a record
    in the ring and the place is free again. So a span that is open for hours stays known however
    often the ring comes round. Beyond the table's room a start goes into the ring as well.

    """

    __slots__ = (
        "_ask",
        "_free_place",
        "_memory",
        "_names",
        "_number_of",
        "_places",
        "_step_of_spans",
        "_take_number",
        "_take_place",
        "_take_start_number",
        "_threads",
    )

    def __init__(self) -> None:
        self._memory: mmap | None = None
        self._ask: Callable[[], object] | None = None

    def attach(self, memory: mmap) -> None:
        """Store in a fresh file from now on."""
        self._names = Names()
        self._number_of = self._names.number_of
        self._threads = Threads(memory, all_seats())
        places = deque(range(SIZES.open_at, SIZES.finished_at, RECORD.size))
        self._take_place, self._free_place = places.popleft, places.appendleft
        self._take_number = itertools.count(_IN_RING + 1, RECORD.size).__next__
        self._take_start_number = itertools.count(1).__next__
        self._places: dict[int, tuple[int, int, int, int]] = {}
        self._step_of_spans = NO_STEP
        self._ask = None
        self._memory = memory

    def detach(self) -> None:
        """Store nothing any more; what is stored stays as it is."""
        self._memory = self._ask = None

    def ask_for_file(self, ask: Callable[[], object]) -> None:
        """Store nothing until a file is attached.

        Args:
            ask: Called when the next span starts, in the thread that works; it must have `attach`
                called in another thread.
        """
        self._memory = None
        self._ask = ask

    def opened(  # noqa: PLR0917 - called for every span, by position
        self,
        span_id: int,
        parent_id: int,
        name: str,
        started: int,
        begun: int,
        attributes: Mapping[str, Any] | None,
    ) -> None:
        """Store that a span has started. Never raises.

        Args:
            span_id: Its id.
            parent_id: That of its parent, 0 for none.
            name: Its name.
            started: When, in nanoseconds since 1970.
            begun: When by the monotonic clock, in nanoseconds.
            attributes: What it has so far.
        """
        memory = self._memory
        if memory is None:
            if self._ask is not None:
                self._ask_once()
            return
        try:
            number = self._number_of(name)
            if number is None:
                number = self._names.add(name, memory)
            if attributes:
                number = self._look_at(attributes, number)
            step = state._step  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- a call less
            if step is None:
                step = self._step_of_spans
            thread = self._threads.seat
            try:
                place = self._take_place()
            except IndexError:
                self._open_in_ring(memory, span_id, parent_id, started, begun, step, number, thread)
                return
            self._places[span_id] = (place, begun, step, thread)
            n = self._take_start_number()
            _pack(
                memory, place, n, started, begun, STILL_OPEN, span_id, parent_id, step, number,
                thread, n & _LOWER_HALF,
            )  # fmt: skip
        except Exception:  # a number beyond 64 bits: the span itself is worth more
            self.forget(span_id)

    def finished(self, span_id: int, parent_id: int, name: str, started: int, ended: int) -> None:
        """Store that a span has ended, times in nanoseconds since 1970. Never raises."""
        memory = self._memory
        if memory is None:
            return
        place, begun, step, thread = self._places.pop(span_id, _UNLISTED)
        try:
            n = self._take_number()
            _pack(
                memory, _RING_AT + (n & _IN_RING), n, started, begun, ended - started, span_id,
                parent_id, step, self._number_of(name) or UNKNOWN, thread, n & _LOWER_HALF,
            )  # fmt: skip
        except Exception:  # as above
            n = 0  # it is a number less in the ring, and nothing else
        if place:
            _clear(memory, place, 0)
            self._free_place(place)

    def opened_span(self, span: Any) -> None:
        """Store the start of a span that any factory has built. Never raises."""
        if self._memory is None and self._ask is None:
            return
        try:
            parent, started = span.parent, span.start_time
            self.opened(
                span.get_span_context().span_id,
                0 if parent is None else parent.span_id,
                span.name,
                started,
                monotonic_ns() - (time_ns() - started),
                span.attributes,
            )
        except Exception:  # a hostile subclass
            return

    def finished_span(self, span: Any) -> None:
        """Store the end of a span that any factory has built. Never raises."""
        try:
            parent, span_id = span.parent, span.get_span_context().span_id
            parent_id = 0 if parent is None else parent.span_id
            self.finished(span_id, parent_id, span.name, span.start_time, span.end_time)
        except Exception:  # as above
            return

    def knows(self, span_id: int) -> bool:
        """Whether a span is in the table of open spans."""
        return self._memory is not None and span_id in self._places

    def forget(self, span_id: int) -> None:
        """Take a span out of the table of open spans."""
        memory = self._memory
        place = _NO_PLACE if memory is None else self._places.pop(span_id, _UNLISTED)[0]
        if memory is not None and place:
            _clear(memory, place, 0)
            self._free_place(place)

    def _ask_once(self) -> None:
        ask, self._ask = self._ask, None
        if ask is not None:
            try:
                ask()
            except Exception:  # an interpreter that is shutting down starts no thread
                return

    def _look_at(self, attributes: Mapping[str, Any], number: int) -> int:
        """Take the step from a span of group `step`, and the flag of a span that waits."""
        if number & IS_STEP:
            for key in _STEP_KEYS:
                step = attributes.get(key)
                if type(step) is int and INT64_MIN < step <= INT64_MAX:
                    self._step_of_spans = step
                    break
        return number | WAITS if attributes.get(NEMO_WAIT) is True else number

    def _open_in_ring(self, memory: mmap, *fields: int) -> None:
        span_id, parent_id, started, begun, step, number, thread = fields
        n = self._take_number()
        _pack(
            memory, _RING_AT + (n & _IN_RING), n, started, begun, STILL_OPEN, span_id, parent_id,
            step, number, thread, n & _LOWER_HALF,
        )  # fmt: skip
