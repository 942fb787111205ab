# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A typical step and the slowest one, span by span, of the ranks that tell most.

Only the files of those ranks are read a second time. The first step of an attempt warms up and is
chosen only when there is no other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.host_clocks import HostClocks
from nemo.lens.runs.spreads import median
from nemo.lens.runs.step_spans import is_truncated, is_waiting, watched_attributes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from nemo.lens.runs import Run, Span
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.step_records import ProcessRecord

MOST_RANKS: Final = 10
MOST_BLOCKS: Final = 400
TYPICAL: Final = "typical"
SLOWEST: Final = "slowest"

_Key = tuple[str, int, int, int]


class Block(NamedTuple):
    """A span within a step.

    Attributes:
        name: Its name.
        phase: Its group, or its name where that is unknown.
        waiting: Whether the rank waits for others in it.
        start_s: Start, seconds since the first shown rank began the step.
        end_s: End.
    """

    name: str
    phase: str
    waiting: bool
    start_s: float
    end_s: float


class Lane(NamedTuple):
    """The step as one rank went through it.

    Attributes:
        rank: The rank.
        host: Where it ran.
        slow: Whether it is a straggler of this run.
        start_s: When it began the step.
        end_s: When it ended it.
        blocks: Phases, and over them the waiting inside of them.
    """

    rank: int
    host: str
    slow: bool
    start_s: float
    end_s: float
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Excerpt:
    """One step.

    Attributes:
        kind: `TYPICAL` or `SLOWEST`.
        step: Its number.
        restart: The attempt, 0 for the first.
        ranks: How many ranks did it.
        length_s: From the first start to the last end over all of them, clock offsets removed.
        lanes: Those that are shown, by rank.
    """

    kind: str
    step: int
    restart: int
    ranks: int
    length_s: float
    lanes: tuple[Lane, ...]


@dataclass(frozen=True)
class _Part:
    """One step of one rank, on the common clock."""

    record: ProcessRecord
    start: int
    end: int
    own: int

    @property
    def process(self) -> Process:
        return self.record.process


def step_excerpts(
    run: Run, records: Sequence[ProcessRecord], slow: Collection[tuple[str, int]]
) -> tuple[Excerpt, ...]:
    """The typical step and the slowest, without a second one when they are the same.

    Args:
        run: The run.
        records: What `collect(run)` returned.
        slow: Role and rank of the stragglers, which are always shown.
    """
    clocks = HostClocks(records)
    chosen = _choose(_steps(records, clocks))
    shown = {kind: _telling(parts, slow) for kind, (_key, parts) in chosen.items()}
    spans = _spans_of(run, [part for parts in shown.values() for part in parts], clocks)
    found: list[Excerpt] = []
    for kind, ((_role, restart, step, _again), parts) in chosen.items():
        lanes = shown[kind]
        zero = min(part.start for part in lanes)
        found.append(
            Excerpt(
                kind=kind,
                step=step,
                restart=restart,
                ranks=len(parts),
                length_s=_length(parts) / 1e9,
                lanes=tuple(_lane(part, spans[part.process], zero, slow, clocks) for part in lanes),
            )
        )
    return tuple(found)


def _steps(records: Iterable[ProcessRecord], clocks: HostClocks) -> dict[_Key, list[_Part]]:
    """All steps, those that warm up left out where there are others."""
    steps: dict[_Key, list[_Part]] = defaultdict(list)
    first: set[_Key] = set()
    for record in records:
        process = record.process
        if process.rank is None:
            continue
        for place, step in enumerate(record.steps):
            key = (process.role, process.restart, step.step, step.again)
            own = sum(length for phase, length in step.phases.items() if not phase.waiting)
            start, end = (clocks.aligned(process, at) for at in (step.start, step.end))
            steps[key].append(_Part(record, start, end, own))
            if place == 0:
                first.add(key)
    warm = {key: parts for key, parts in steps.items() if key not in first}
    return warm or steps


def _choose(steps: dict[_Key, list[_Part]]) -> dict[str, tuple[_Key, list[_Part]]]:
    if not steps:
        return {}
    lengths = {key: _length(parts) for key, parts in steps.items()}
    usual = median(lengths.values())
    # A step that only some ranks did is no typical one.
    fullest = max(map(len, steps.values()))
    full = [key for key, parts in steps.items() if len(parts) == fullest]
    typical = min(full, key=lambda key: (abs(lengths[key] - usual), key))
    slowest = max(lengths, key=lambda key: (lengths[key], key))
    found = {TYPICAL: (typical, steps[typical]), SLOWEST: (slowest, steps[slowest])}
    if typical == slowest:
        del found[SLOWEST]
    return found


def _length(parts: Iterable[_Part]) -> int:
    parts = tuple(parts)
    return max(part.end for part in parts) - min(part.start for part in parts)


def _telling(parts: list[_Part], slow: Collection[tuple[str, int]]) -> list[_Part]:
    """All ranks, or of many the stragglers, those that work most, and the least busy."""
    parts = sorted(parts, key=lambda part: part.process.rank or 0)
    if len(parts) <= MOST_RANKS:
        return parts
    by_work = sorted(parts, key=lambda part: (not _is_slow(part, slow), -part.own))
    kept = [*by_work[: MOST_RANKS // 2], by_work[len(by_work) // 2], by_work[-1], parts[0]]
    return [part for part in parts if any(part is one for one in kept)]


def _is_slow(part: _Part, slow: Collection[tuple[str, int]]) -> bool:
    return (part.process.role, part.process.rank or 0) in slow


def _spans_of(run: Run, parts: Sequence[_Part], clocks: HostClocks) -> dict[Process, list[Span]]:
    """The spans of some processes that lie within some steps of theirs."""
    windows: dict[Process, list[tuple[int, int]]] = defaultdict(list)
    for part in parts:
        windows[part.process].append((part.start, part.end))
    folders = {process.folder for process in windows}
    source = run if "" in folders else run.narrowed(folders)
    found: dict[Process, list[Span]] = {process: [] for process in windows}
    for span in source.spans():
        process = span.process
        if process in windows:
            start = clocks.aligned(process, span.start_unix_nano)
            end = clocks.aligned(process, span.end_unix_nano)
            if any(first <= start and end <= last for first, last in windows[process]):
                found[process].append(span)
    return found


def _lane(
    part: _Part,
    spans: Sequence[Span],
    zero: int,
    slow: Collection[tuple[str, int]],
    clocks: HostClocks,
) -> Lane:
    process = part.process
    inside = [
        span
        for span in spans
        if part.start <= clocks.aligned(process, span.start_unix_nano)
        and clocks.aligned(process, span.end_unix_nano) <= part.end
    ]
    ids = {span.span_id for span in inside}
    step_ids = {span.span_id for span in inside if span.parent_span_id not in ids}
    blocks: list[Block] = []
    for span in inside:
        watched = watched_attributes(span.raw.get("attributes"))
        waiting = is_waiting(span.name, span.group, watched)
        shown = span.parent_span_id in step_ids or (waiting and span.span_id not in step_ids)
        if shown and not is_truncated(watched):
            start, end = (
                (clocks.aligned(process, at) - zero) / 1e9
                for at in (span.start_unix_nano, span.end_unix_nano)
            )
            blocks.append(Block(span.name, span.group or span.name, waiting, start, end))
    longest = sorted(blocks, key=lambda block: block.start_s - block.end_s)[:MOST_BLOCKS]
    return Lane(
        rank=process.rank or 0,
        host=process.host,
        slow=_is_slow(part, slow),
        start_s=(part.start - zero) / 1e9,
        end_s=(part.end - zero) / 1e9,
        blocks=tuple(sorted(longest, key=lambda block: (block.start_s, -block.end_s))),
    )
