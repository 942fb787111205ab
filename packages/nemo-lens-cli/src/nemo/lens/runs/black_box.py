# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a process was doing when it ended: its black box."""

from __future__ import annotations

import os
import socket
import stat
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

import orjson

from nemo.lens.runs import black_box_bytes as layout
from nemo.lens.runs.layout import BLACK_BOX, BLACK_BOX_POINTER

if TYPE_CHECKING:
    from nemo.lens.runs.black_box_bytes import Box
    from nemo.lens.runs.problems import Problems

KILLED: Final = "killed"
RUNNING: Final = "running"
STOPPED: Final = "stopped"
UNKNOWN: Final = "unknown"
_MOST_BYTES: Final = 64 * 1024 * 1024
_Record: TypeAlias = "tuple[int, int, int, int, int, int, int, int, int]"
_BEGUN: Final = 0
_START: Final = 1
_STEP: Final = 4
_DURATION: Final = 5
_CHECK: Final = 8
_LONG_AGO: Final = -(2**64)
_START_TICKS: Final = 19
"""Place of the start time in /proc/PID/stat, counted after the command."""

_DEAD: Final = frozenset({"Z", "X", "x"})
"""States of a process that has ended and is only not waited for."""

_HELD: Final = frozenset({"T", "t"})
"""States of a process that is held by SIGSTOP or by a debugger."""

_UNNAMED: Final = layout.Name("", None)
_NO_THREAD: Final = layout.Thread("", 0)


class BoxSpan(NamedTuple):
    """One span of a black box.

    Attributes:
        name: Span name, at most 92 bytes of it; "" when the table of names was full.
        group: Span group, None where there is none.
        span_id: 16 hex digits, the same as in the run files.
        parent_span_id: 16 hex digits, "" for a root.
        start_unix_nano: Start, nanoseconds since 1970 by the clock of its host.
        start_monotonic_ns: Start by the host's monotonic clock, which nobody sets.
        end_unix_nano: End, None while the span is open.
        step: The training step it started in, None when none was known.
        thread: Name of the thread that started it.
        thread_id: Id of that thread as the operating system counts, 0 when unknown.
        waits: Whether it carries `nemo.wait`.
    """

    name: str
    group: str | None
    span_id: str
    parent_span_id: str
    start_unix_nano: int
    start_monotonic_ns: int
    end_unix_nano: int | None
    step: int | None
    thread: str
    thread_id: int
    waits: bool


class BlackBox:
    """The black box of one process, as it is at the moment of reading.

    Args:
        path: The file.
        box: What it holds.

    Attributes:
        path: The file that was read.
        identity: What the process said of itself: `run_id`, `role`, `rank`, `host`, `pid`, ...
        ended: How the process ended: "shutdown", "exit" or "signal:SIGTERM" in order; "killed"
            when it said nothing and is gone; "running"; "stopped" while SIGSTOP or a debugger holds
            it; "unknown" when only its host can tell.
        ended_unix_nano: When it ended in order, None otherwise.
        last_ns: When a span last started or ended, nanoseconds since 1970; None when none did.
        step: The training step of the last record that has one, None without any.
        unlisted: Spans that found no place in it; 0 unless very many were open at once.
        torn: Records that were cut off while they were stored; a killed process may leave one.
    """

    def __init__(self, path: Path, box: Box) -> None:
        self.path = path
        self.identity = box.identity
        self.ended = box.end or _state_of(box.identity)
        self.ended_unix_nano = box.ended_unix_nano or None
        self.torn = 0
        self.unlisted = box.unlisted
        self.last_ns: int | None = None
        self.step: int | None = None
        self._box = box
        self._open = self._scan()

    @cached_property
    def open_spans(self) -> tuple[BoxSpan, ...]:
        """The spans that were open at the end, the one that started first in front."""
        return tuple(map(self._span, self._open))

    @cached_property
    def finished_spans(self) -> tuple[BoxSpan, ...]:
        """The spans that ended last, in the order in which they ended; at most some thousands."""
        ended = [
            record
            for record in layout.RECORD.iter_unpack(self._box.spans)
            if _is_whole(record) and record[_DURATION] != layout.STILL_OPEN
        ]
        return tuple(map(self._span, sorted(ended, key=_end_order)))

    def _scan(self) -> list[_Record]:
        """Look at every record once; return those of open spans."""
        opened: list[_Record] = []
        last = stepped = _LONG_AGO
        for record in layout.RECORD.iter_unpack(self._box.spans):
            if not _is_whole(record):
                self.torn += record[_BEGUN] != 0
                continue
            since_start = record[_DURATION]
            if since_start == layout.STILL_OPEN:
                opened.append(record)
                since_start = 0
            # By the clock that nobody sets: the other one may have been put back meanwhile.
            moment = record[_BEGUN] + since_start
            if moment >= last:
                last, self.last_ns = moment, record[_START] + since_start
            if moment >= stepped and record[_STEP] != layout.NO_STEP:
                stepped, self.step = moment, record[_STEP]
        return sorted(opened)

    def _span(self, record: _Record) -> BoxSpan:
        begun, start, span_id, parent_id, step, duration, name, thread, _check = record
        named = self._box.names.get(name & layout.NAME_MASK, _UNNAMED)
        seat = self._box.threads.get(thread, _NO_THREAD)
        return BoxSpan(
            named.name,
            named.group,
            f"{span_id:016x}",
            f"{parent_id:016x}" if parent_id else "",
            start,
            begun,
            None if duration == layout.STILL_OPEN else start + max(0, duration),
            None if step == layout.NO_STEP else step,
            seat.name,
            seat.native_id,
            bool(name & layout.WAITS),
        )


def read_black_box(folder: Path, label: str, problems: Problems) -> BlackBox | None:
    """The black box of a process folder, None when it has none that can be read. Never raises.

    Args:
        folder: The process folder.
        label: How it is called in problems.
        problems: Gets a line when there should be a black box and it cannot be read.
    """
    packed = folder / BLACK_BOX
    content = _content(packed)
    if content is not None:
        return _decoded(packed, content, label, problems)
    pointer = _pointer(folder / BLACK_BOX_POINTER)
    path = Path(_text((pointer or {}).get("path")))
    content = _content(path)
    if content is None:
        # Between the two looks the process may have ended in order and put it away.
        content = _content(packed)
        if content is not None:
            return _decoded(packed, content, label, problems)
    if pointer is None:
        return None
    if content is None:
        problems.add(
            f"{label}: its black box is {str(path)!r} on host {_text(pointer.get('host'))!r}, "
            "which cannot be read here: read the run on that host, or copy the file to "
            f"{str(packed)!r}"
        )
        return None
    found = layout.decode(content)
    if found is not None and found.identity.get("token") != pointer.get("token"):
        problems.add(f"{label}: {str(path)!r} is the black box of another process; not read")
        return None
    return _decoded(path, content, label, problems)


def _decoded(path: Path, content: bytes, label: str, problems: Problems) -> BlackBox | None:
    box = layout.decode(content)
    if box is None:
        problems.add(f"{label}: {str(path)!r} is no black box of a format that is known here")
        return None
    return BlackBox(path, box)


def _is_whole(record: _Record) -> bool:
    """Whether the place is in use, and its record was stored to the end."""
    begun = record[_BEGUN]
    return begun != 0 and begun & layout.LOWER_HALF == record[_CHECK]


def _end_order(record: _Record) -> int:
    return record[_BEGUN] + record[_DURATION]


def _content(path: Path) -> bytes | None:
    """The first part of a regular file; a pipe or device of that name is not opened for long."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return file.read(_MOST_BYTES)
    except (OSError, ValueError):
        return None


def _pointer(path: Path) -> dict[str, Any] | None:
    try:
        pointer = orjson.loads(_content(path) or b"")
    except ValueError:
        return None
    return cast("dict[str, Any]", pointer) if isinstance(pointer, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _state_of(identity: dict[str, Any]) -> str:
    """Whether a process that said nothing of its end still runs."""
    if identity.get("host") != socket.gethostname():
        return UNKNOWN
    if identity.get("boot_id") != _first_line("/proc/sys/kernel/random/boot_id"):
        return KILLED
    namespace = identity.get("pid_namespace")
    if namespace and namespace != _pid_namespace():
        return UNKNOWN  # in a container of its own, where its number means something else
    pid, ticks = identity.get("pid"), identity.get("start_ticks")
    _before, _closing, after = _first_line(f"/proc/{pid}/stat").rpartition(")")
    fields = after.split()
    if len(fields) <= _START_TICKS or fields[_START_TICKS] != ticks or fields[0] in _DEAD:
        return KILLED
    return STOPPED if fields[0] in _HELD else RUNNING


def _pid_namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except (OSError, ValueError):
        return ""
