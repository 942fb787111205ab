# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: SLF001 - it reads the fields of the spans of fast_spans
# pyright: reportPrivateUsage=false
"""What is stored in the black box when a span starts and when it ends.

Both run for every span, in the thread that works. They take no lock: places are taken from a deque
and given back to it, which is atomic under the interpreter's lock, and a record is stored by one
call of `struct`, which holds that lock from its first byte to its last.
"""

from __future__ import annotations

from collections import deque
from time import monotonic_ns, time_ns
from typing import TYPE_CHECKING, Any, Final, Protocol

from nemo.lens import state
from nemo.lens.sdk.black_box.layout import (
    DURATION,
    DURATION_IN_RECORD,
    IS_STEP,
    NO_STEP,
    RECORD,
    RECORD_BYTES,
    SIZES,
    STILL_OPEN,
    UNLISTED,
    UNLISTED_AT,
    WAITS,
)
from nemo.lens.sdk.black_box.seats import UNKNOWN, Names, Threads, all_seats
from nemo.lens.semconv import DL_ITERATION, NEMO_WAIT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from mmap import mmap

_store = RECORD.pack_into
_store_duration = DURATION.pack_into
_LOWER_HALF: Final = 0xFFFF_FFFF
_STEP_KEYS: Final = (DL_ITERATION, "iteration")


class Recordable(Protocol):
    """What is stored of a span; a fast span has it all."""

    _parent_id: int
    """0 for none."""
    _name: str
    _begun: int
    """Start by the monotonic clock, in nanoseconds."""
    _start_time: int
    """Start, in nanoseconds since 1970."""
    _attributes: Any
    _place: int
    """Where it is stored; set here."""


class Recorder:
    """Stores spans in a mapped file, while there is one.

    A span that starts takes the place of the span that ended longest ago. Its end is stored in the
    same place, which then goes to the back of the queue. So the places work as a ring that leaves
    out the spans that are open, for hours if need be.
    """

    __slots__ = (
        "_ask",
        "_give_place",
        "_memory",
        "_names",
        "_number_of",
        "_step_of_spans",
        "_take_place",
        "_threads",
        "_unlisted",
    )

    def __init__(self) -> None:
        self._memory: mmap | None = None
        self._ask: Callable[[], object] | None = None

    def attach(self, memory: mmap) -> None:
        """Store in a fresh file from now on."""
        self._names: Any = Names()
        self._number_of = self._names.number_of
        self._threads: Any = Threads(memory, all_seats())
        places = deque(range(SIZES.spans_at, SIZES.file_bytes, RECORD_BYTES))
        self._take_place, self._give_place = places.popleft, places.append
        self._step_of_spans = NO_STEP
        self._unlisted = 0
        self._ask = None
        self._memory = memory

    def detach(self) -> None:
        """Store nothing any more and let go of the file; what is stored stays as it is."""
        self._memory = self._ask = None
        self._threads = _NOBODY

    def ask_for_file(self, ask: Callable[[], object]) -> None:
        """Let go of the file, and store nothing until another one is attached.

        Args:
            ask: Called when the next span starts, in the thread that works; it must have `attach`
                called in another thread.
        """
        self._memory = None
        self._threads = self._names = None
        self._ask = ask

    def speak_for(self, thread_name: str, native_id: int) -> None:
        """Have what the current thread stores count as that of another one, for good."""
        self._threads.speak_for(thread_name, native_id)

    def opened(self, span_id: int, span: Recordable) -> None:
        """Store that a span has started. Never raises."""
        memory = self._memory
        if memory is None:
            if self._ask is not None:
                self._ask_once()
            return
        try:
            name = self._number_of(span._name)
            if name is None:
                name = self._names.add(span._name, memory)
            attributes = span._attributes
            if attributes:
                name = self._look_at(attributes, name)
            step = state._step
            if step is None:
                step = self._step_of_spans
            begun = span._begun
            span._place = place = self._take_place()
            _store(
                memory, place, begun, span._start_time, span_id, span._parent_id, step, STILL_OPEN,
                name, self._threads.seat, begun & _LOWER_HALF,
            )  # fmt: skip
        except Exception:  # no place, or a number beyond 64 bits: the span itself is worth more
            self._leave_out(memory, span)

    def finished(self, span: Recordable, duration_ns: int) -> None:
        """Store that a span has ended. Never raises."""
        memory = self._memory
        if memory is None:
            return
        try:
            place = span._place
            _store_duration(memory, place + DURATION_IN_RECORD, duration_ns)
        except Exception:  # it started before there was a file, or has a duration beyond 64 bits
            self._forget(memory, span)
        else:
            self._give_place(place)

    def opened_span(self, span: Any) -> None:
        """Store the start of a span that any factory has built. Never raises."""
        if self._memory is not None or self._ask is not None:
            try:
                described = _Described(span)
                self.opened(span.get_span_context().span_id, described)
                if hasattr(described, "_place"):
                    span._place = described._place
            except Exception:  # a hostile subclass
                return

    def finished_span(self, span: Any) -> None:
        """Store the end of a span that any factory has built. Never raises."""
        try:
            self.finished(span, span.end_time - span.start_time)
        except Exception:  # as above
            return

    def _leave_out(self, memory: mmap, span: Recordable) -> None:
        self._forget(memory, span)
        self._unlisted += 1
        UNLISTED.pack_into(memory, UNLISTED_AT, self._unlisted)

    def _forget(self, memory: mmap, span: Recordable) -> None:
        place: int | None = getattr(span, "_place", None)
        if place is not None:
            _store_duration(memory, place + DURATION_IN_RECORD, 0)
            self._give_place(place)
            del span._place

    def _ask_once(self) -> None:
        ask, self._ask = self._ask, None
        if ask is not None:
            try:
                ask()
            except Exception:  # an interpreter that is shutting down starts no thread
                return

    def _look_at(self, attributes: Mapping[str, Any], name: int) -> int:
        """Take the step from a span of group `step`, and the flag of a span that waits."""
        if name & IS_STEP:
            for key in _STEP_KEYS:
                step = attributes.get(key)
                if type(step) is int and abs(step) <= -NO_STEP - 1:
                    self._step_of_spans = step
                    break
        return name | WAITS if attributes.get(NEMO_WAIT) is True else name


class _Nobody:
    """Stands for the threads where another thread has just called `detach`."""

    seat = UNKNOWN

    def speak_for(self, name: str, native_id: int) -> None:
        """Do nothing."""


_NOBODY: Final = _Nobody()


class _Described:
    """A span of any factory, with the fields of a fast one."""

    __slots__ = ("_attributes", "_begun", "_name", "_parent_id", "_place", "_start_time")

    _place: int

    def __init__(self, span: Any) -> None:
        self._parent_id = 0 if span.parent is None else span.parent.span_id
        self._name = span.name
        self._start_time = span.start_time
        self._begun = monotonic_ns() - (time_ns() - span.start_time)
        self._attributes = span.attributes
