# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans that show when a device worked, not when the host launched the work.

Two events are recorded around the launches. Whether the device has passed them is asked later, and
never waited for, so the training loop is not slowed down. Where the wall clock of the host stands
for a moment of the device follows from three facts: work starts after its launch, ends before its
end was seen, and the distance between two events is known.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from nemo.lens.span_utilities import emit_span
from nemo.lens.spans.discards import discard
from nemo.lens.state import is_span_group_enabled

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from opentelemetry.context import Context

    class Event(Protocol):
        """A device event that measures time, such as `torch.cuda.Event(enable_timing=True)`."""

        def record(self) -> object:
            """Put the event behind what has been launched on the current stream."""
            ...

        def query(self) -> bool:
            """Say whether the device has passed the event."""
            ...

        def elapsed_time(self, end: Any, /) -> float:
            """Return the milliseconds from this event to `end`, both passed."""
            ...


_NANOSECONDS_PER_MS = 1_000_000
_NANOSECONDS_PER_SECOND = Decimal(1_000_000_000)


def cuda_clock(max_pending: int = 1024) -> DeviceClock:
    """Return a clock for the current CUDA device; every span is skipped where there is none.

    Work that is captured into a CUDA graph is not measured.

    Args:
        max_pending: How many spans may wait for the device.
    """
    torch: Any = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return DeviceClock(None, max_pending=max_pending)
    return DeviceClock(
        lambda: torch.cuda.Event(enable_timing=True),
        is_capturing=torch.cuda.is_current_stream_capturing,
        max_pending=max_pending,
    )


class DeviceClock:
    """Makes spans of device work; for one thread.

    Args:
        new_event: Makes a device event; None where there is no device.
        is_capturing: Says whether launches are only captured now.
        max_pending: How many spans may wait for the device; further ones push the oldest out,
            which are counted as lost.
    """

    def __init__(
        self,
        new_event: Callable[[], Event] | None,
        *,
        is_capturing: Callable[[], bool] | None = None,
        max_pending: int = 1024,
    ) -> None:
        self._new_event = new_event
        self._is_capturing = is_capturing
        self._max_pending = max_pending
        self._pending: deque[_Work] = deque()
        self._unused: list[Event] = []
        self._last: _Moment | None = None

    def span(self, group: str, name: str, **attributes: Any) -> AbstractContextManager[None]:
        """Measure what is launched in a `with` block, as a span under the current one.

        Args:
            group: The span group. While it is off, nothing else is looked at.
            name: The span's name.
            **attributes: Attributes of the span.

        Returns:
            A context manager that yields None. The span is exported when a later call of `span`
            or `resolve` finds that the device is done.
        """
        if not is_span_group_enabled(group) or self._new_event is None:
            return nullcontext()
        if self._is_capturing is not None and self._is_capturing():
            return nullcontext()
        from nemo.lens.spans.recording import name_text

        # The group is noted now: when the device is done, another step may have thinned it out.
        return _Launch(self, name_text(group, name), attributes)

    def resolve(self) -> int:
        """Export the spans of what the device has finished; never waits.

        Call it once per step, and at the end after the job's own last synchronisation.

        Returns:
            How many spans still wait.
        """
        try:
            while self._pending and self._pending[0].end.query():
                self._export(self._pending.popleft())
        except Exception as error:  # a failed device tells so at every call; the job will notice
            self._lose_all(error)
        return len(self._pending)

    def take_event(self) -> Event | None:
        """Return a recorded event, made anew only when none can be used again; None on failure."""
        if self._new_event is None:
            return None
        try:
            event = self._unused.pop() if self._unused else self._new_event()
            event.record()
        except Exception as error:  # as above
            self._lose_all(error)
            return None
        return event

    def add(self, work: _Work) -> None:
        """Let `work` wait for the device."""
        self._pending.append(work)
        self.resolve()
        while len(self._pending) > self._max_pending:
            self._pending.popleft()
            discard("device span", "A device span was dropped: too many wait for the device.")

    def _lose_all(self, error: Exception) -> None:
        discard("device span", "Device spans were lost: the device raised %s.", error)
        self._pending.clear()
        self._unused.clear()
        self._last = None

    def _export(self, work: _Work) -> None:
        duration_ns = round(work.start.elapsed_time(work.end) * _NANOSECONDS_PER_MS)
        start_ns = self._wall_time(work, latest=time.time_ns() - duration_ns)
        emit_span(
            None,
            work.name,
            start_ns / _NANOSECONDS_PER_SECOND,
            (start_ns + duration_ns) / _NANOSECONDS_PER_SECOND,
            context=work.context,
            attributes=work.attributes,
        )
        if self._last is not None:
            self._unused.append(self._last.event)
        self._unused.append(work.end)
        self._last = _Moment(work.start, start_ns)

    def _wall_time(self, work: _Work, *, latest: int) -> int:
        """Return when the device started `work`, in nanoseconds of the host's wall clock."""
        earliest = work.launched_ns
        if self._last is not None:
            since_last_ms = self._last.event.elapsed_time(work.start)
            from_last = self._last.wall_ns + round(since_last_ms * _NANOSECONDS_PER_MS)
            earliest = max(earliest, from_last)
        return min(earliest, latest)


class _Moment(NamedTuple):
    """An event whose wall time is known; the next one is placed relative to it."""

    event: Event
    wall_ns: int


class _Work(NamedTuple):
    """Device work between two events."""

    name: str
    attributes: dict[str, Any]
    context: Context
    launched_ns: int
    start: Event
    end: Event


class _Launch(AbstractContextManager[None]):
    """The host's side of device work: the block that launches it."""

    def __init__(self, clock: DeviceClock, name: str, attributes: dict[str, Any]) -> None:
        self._clock = clock
        self._name = name
        self._attributes = attributes

    def __enter__(self) -> None:
        self._launched_ns = time.time_ns()
        self._start = self._clock.take_event()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        from opentelemetry.context import get_current

        start, end = self._start, self._clock.take_event()
        if start is not None and end is not None:
            launched = (self._launched_ns, start, end)
            self._clock.add(_Work(self._name, self._attributes, get_current(), *launched))
