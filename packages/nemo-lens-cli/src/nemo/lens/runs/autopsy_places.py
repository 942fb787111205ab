# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where one process stood: the spans that it had open, and which of them tells most.

They are those of its black box. Where there is none, they are the spans that telemetry cut short
when it shut down, or those that an error left, one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.spreads import median
from nemo.lens.runs.step_records import JOB_GROUP, STEP_GROUP
from nemo.lens.runs.step_spans import is_waiting
from nemo.lens.semconv import NEMO_WAIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nemo.lens.runs.black_box import BlackBox, BoxSpan
    from nemo.lens.runs.step_records import ProcessRecord, Truncated

BLACK_BOX: Final = "black_box"
FILES: Final = "files"
_MOST_LEVELS: Final = 1000


class Frame(NamedTuple):
    """One span that was open.

    Attributes:
        name: Its name.
        group: Its group, None where that is unknown.
        span_id: 16 hex digits.
        parent: The span around it, "" for none.
        start: Start, nanoseconds since 1970 by the clock of its host.
        step: The step it belongs to, None when unknown.
        waiting: Whether the rank waits for others in it.
        thread_id: The thread that began it, 0 when unknown.
    """

    name: str
    group: str | None
    span_id: str
    parent: str
    start: int
    step: int | None
    waiting: bool
    thread_id: int


class Place(NamedTuple):
    """Where a process stood.

    Attributes:
        path: The open spans of the thread that trains, the outermost first.
        step: The step, None when unknown.
        meetings: How many waits of this step it had left, None when that is not known.
        typical_ns: How long a span like the innermost one took otherwise, 0 when there is none.
        source: `BLACK_BOX`, `FILES`, or "" when nothing tells it.
        failed: Whether an error, and not the end of the process, ended the spans.
    """

    path: tuple[Frame, ...] = ()
    step: int | None = None
    meetings: int | None = None
    typical_ns: float = 0.0
    source: str = ""
    failed: bool = False

    @property
    def wait(self) -> Frame | None:
        """The outermost span in which it waits for others, None when it does not."""
        return next((frame for frame in self.path if frame.waiting), None)

    @property
    def in_step(self) -> bool:
        """Whether it was inside of a step."""
        return any(frame.group == STEP_GROUP for frame in self.path)

    @property
    def phase(self) -> Frame | None:
        """What it did: the span right below the step, as in the other analyses.

        Outside of a step the outermost span that is not the job; None between all of these.
        """
        steps = [at for at, frame in enumerate(self.path) if frame.group == STEP_GROUP]
        if steps:
            return self.path[steps[0] + 1] if steps[0] + 1 < len(self.path) else None
        return next((frame for frame in self.path if frame.group != JOB_GROUP), None)


def place_in_box(box: BlackBox, pid: int | None) -> Place:
    """Where the black box says that a process stood."""
    frames = [_of_box(span) for span in box.open_spans]
    path = _telling(frames, pid)
    step = path[-1].step if path and _has_own_step(path) else box.step
    if not path:
        return Place(step=step, source=BLACK_BOX)
    lengths = [
        (span.end_unix_nano or 0) - span.start_unix_nano
        for span in box.finished_spans
        if span.name == path[-1].name
    ]
    return Place(path, step, _meetings(box, path, step), median(lengths), BLACK_BOX)


def place_in_files(record: ProcessRecord) -> Place:
    """Where the run files say that a process stood when telemetry shut down."""
    path = _telling([_cut_short(span) for span in record.truncated], record.process.pid)
    if path:
        return Place(path, _step_of(path, record), source=FILES)
    path = _left_by_error(record)
    return Place(path, _step_of(path, record), source=FILES if path else "", failed=bool(path))


def _of_box(span: BoxSpan) -> Frame:
    watched = {NEMO_WAIT: True} if span.waits else {}
    return Frame(
        span.name,
        span.group,
        span.span_id,
        span.parent_span_id,
        span.start_unix_nano,
        span.step,
        is_waiting(span.name, span.group, watched),
        span.thread_id,
    )


def _cut_short(span: Truncated) -> Frame:
    return Frame(
        span.name, span.group, span.span_id, span.parent, span.start, span.step, span.waiting, 0
    )


def _telling(frames: Sequence[Frame], pid: int | None) -> tuple[Frame, ...]:
    """The chain of open spans that says where the training stands.

    Inside of a step rather than not, in the thread of the step (or the main one) rather than
    beside it, and of those the one that began last.
    """
    by_id = {frame.span_id: frame for frame in frames}
    around = {frame.parent for frame in frames}
    chains = [_chain(frame, by_id) for frame in frames if frame.span_id not in around]

    def preference(chain: tuple[Frame, ...]) -> tuple[bool, bool, int]:
        step = next((frame for frame in chain if frame.group == STEP_GROUP), None)
        thread = step.thread_id if step is not None else pid
        return step is not None, chain[-1].thread_id == thread, chain[-1].start

    return max(chains, key=preference, default=())


def _chain(tip: Frame, by_id: dict[str, Frame]) -> tuple[Frame, ...]:
    chain = [tip]
    for _level in range(_MOST_LEVELS):
        above = by_id.get(chain[-1].parent)
        if above is None:
            break
        chain.append(above)
    return tuple(reversed(chain))


def _has_own_step(path: Sequence[Frame]) -> bool:
    """Whether the innermost span began in the step; that of a whole job began in an earlier one."""
    return path[-1].step is not None and path[-1].group != JOB_GROUP


def _meetings(box: BlackBox, path: Sequence[Frame], step: int | None) -> int | None:
    """The waits of this step that had ended; None when the box may not hold all of them."""
    whole = next((frame for frame in path if frame.group == STEP_GROUP), None)
    finished = box.finished_spans
    if whole is None or not finished or finished[0].start_unix_nano > whole.start:
        return None
    return sum(
        span.step == step and span.start_unix_nano >= whole.start and _of_box(span).waiting
        for span in finished
    )


def _left_by_error(record: ProcessRecord) -> tuple[Frame, ...]:
    """The spans that the last error passed, if nothing was done after it."""
    frames = [_cut_short(span) for span in record.failures]
    ends = {span.span_id: span.start + span.duration for span in record.failures}
    below: dict[str, Frame] = {}
    for frame in frames:
        known = below.get(frame.parent)
        if known is None or ends[known.span_id] <= ends[frame.span_id]:
            below[frame.parent] = frame
    last = max(frames, key=lambda frame: (ends[frame.span_id], -frame.start), default=None)
    if last is None or ends[last.span_id] < record.last_finished:
        return ()
    path = [last]
    while len(path) < _MOST_LEVELS and (inner := below.get(path[-1].span_id)) is not None:
        path.append(inner)
    return tuple(path)


def _step_of(path: Iterable[Frame], record: ProcessRecord) -> int | None:
    own = [frame.step for frame in path if frame.step is not None]
    return own[-1] if own else max(record.steps.numbers, default=None)
