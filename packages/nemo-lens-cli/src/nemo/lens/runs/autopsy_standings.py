# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How each process of a job ended or whether it lives, where it stood, and since when."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from nemo.lens.runs import black_box
from nemo.lens.runs.autopsy_places import Place, place_in_box, place_in_files
from nemo.lens.runs.clocks import ClockOffset
from nemo.lens.runs.cohorts import cohorts
from nemo.lens.runs.problems import Problems
from nemo.lens.runs.spreads import median

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nemo.lens.runs.black_box import BlackBox
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.run import Run
    from nemo.lens.runs.step_records import ProcessRecord

FINISHED: Final = "finished"
FAILED: Final = "failed"
INTERRUPTED: Final = "interrupted"
SIGNAL: Final = "signal:"
KILLED: Final = black_box.KILLED
RUNNING: Final = black_box.RUNNING
STOPPED: Final = black_box.STOPPED
UNKNOWN: Final = black_box.UNKNOWN
ALIVE: Final = frozenset({RUNNING, STOPPED})

_NANO: Final = 10**9
# How long something may take before it counts as standing still: so many times what is usual here
# and a moment more; where nothing tells what is usual, as long as a slow start takes.
_MANIFOLD: Final = 10
_MOMENT_NS: Final = 2 * _NANO
_UNPRECEDENTED_NS: Final = 120 * _NANO


@dataclass(frozen=True)
class Standing:
    """One process; all moments by the clock of the lowest rank's host.

    Attributes:
        process: The process.
        status: As in `Stand`.
        place: Where it stood.
        main: Whether it is the process of its rank.
        since: When the innermost open span, or the wait, began.
        last: When a span last began or ended.
        ended: Its end in order.
        until: The end, or now for a process that may live; None for a killed one, where nobody saw
            the moment.
        patience_ns: How long it may stay there before that is strange.
        last_span: Name of the span that ended last, "" for none.
        unfinished: Spans that are recorded of the step that it did not finish.
        offset_s: How far its clock was ahead.
        boxed: Whether its black box was read.
    """

    process: Process
    status: str
    place: Place
    main: bool
    since: int | None
    last: int | None
    ended: int | None
    until: int | None
    patience_ns: float
    last_span: str
    unfinished: int
    offset_s: float
    boxed: bool

    @property
    def rank(self) -> int | None:
        """Its rank."""
        return self.process.rank

    @property
    def waits(self) -> bool:
        """Whether it stood waiting for others, and did not end in order."""
        return self.place.wait is not None and self.status != FINISHED

    @property
    def alive(self) -> bool:
        """Whether it is known to live."""
        return self.status in ALIVE

    @property
    def overdue(self) -> bool:
        """Whether it stood in one place for strangely long; never known of a killed one."""
        moment = self.since if self.place.path else self.last
        if self.until is None or moment is None or self.status == FINISHED:
            return False
        return self.until - moment > self.patience_ns

    @property
    def position(self) -> tuple[int, int]:
        """How far it had come: the step, and the waits of it that it had left."""
        step = self.place.step
        return (-1 if step is None else step, self.place.meetings or 0)


def standings(run: Run, records: Sequence[ProcessRecord], now: int) -> list[Standing]:
    """Where every process stood.

    Args:
        run: The run; gets a problem for each black box that should be there and cannot be read.
        records: What is recorded of the processes.
        now: Nanoseconds since 1970, for those that live.
    """
    offsets = {
        (cohort.role, cohort.restart, host): offset
        for cohort in cohorts(records)
        for host, offset in cohort.offsets.items()
    }
    usual = median(
        end - start
        for record in records
        for start, end in zip(record.steps.starts, record.steps.ends, strict=True)
    )
    problems = Problems()
    found: list[Standing] = []
    for record in records:
        process = record.process
        # One at a time, and not the cached one of the process: a thousand of them are large.
        box = black_box.read_black_box(run.path / process.folder, process.label, problems)
        offset = offsets.get((process.role, process.restart, process.host), ClockOffset())
        found.append(_standing(record, box, offset, usual, now))
    run.add_problems(problems.lines())
    return _mark_main(found)


def _standing(
    record: ProcessRecord, box: BlackBox | None, offset: ClockOffset, usual: float, now: int
) -> Standing:
    process = record.process
    place = place_in_box(box, process.pid) if box is not None else Place()
    if not place.path:
        place = _from_files(record, place)
    status = _status(record, box, place)
    last = max(record.last_finished, (box.last_ns or 0) if box is not None else 0) or None
    ended = process.ended_unix_nano or (box.ended_unix_nano if box is not None else None)
    shown = place.wait or (place.path[-1] if place.path else None)

    def aligned(moment: int | None) -> int | None:
        return None if moment is None else moment - round(offset.at(moment))

    until = now if status in {*ALIVE, UNKNOWN} else aligned(ended)
    return Standing(
        process=process,
        status=status,
        place=place,
        main=True,
        since=aligned(shown.start) if shown is not None else None,
        last=aligned(last),
        ended=aligned(ended),
        until=until,
        patience_ns=_patience(place, usual),
        last_span=record.last_name or "",
        unfinished=_unfinished(record),
        offset_s=offset.at(last) / _NANO if last is not None else 0.0,
        boxed=box is not None,
    )


def _from_files(record: ProcessRecord, in_box: Place) -> Place:
    """What the files tell of a process whose black box has no open span, or that has none."""
    place = place_in_files(record)
    if place.path or not in_box.source:
        return place
    return in_box


def _status(record: ProcessRecord, box: BlackBox | None, place: Place) -> str:
    end = record.process.end or (box.ended if box is not None else None)
    if end is None:
        done = any(
            span.job and not span.failed and span.end >= record.last_finished
            for span in record.outside
        )
        # Without a manifest only the span of the whole job can tell.
        return FINISHED if done and not record.process.manifest else UNKNOWN
    if end in {*ALIVE, KILLED, UNKNOWN} or end.startswith(SIGNAL):
        return end
    if place.failed:
        return FAILED
    return INTERRUPTED if place.in_step and place.source else FINISHED


def _patience(place: Place, usual: float) -> float:
    typical = max(_MANIFOLD * usual, _MANIFOLD * place.typical_ns)
    return _MOMENT_NS + typical if typical else _UNPRECEDENTED_NS


def _unfinished(record: ProcessRecord) -> int:
    """Spans after the last finished step that are phases of a step: what is left of the next."""
    end = max(record.steps.ends, default=0)
    phases = {phase.label for phase in record.names}
    return sum(span.start >= end and span.label in phases for span in record.outside)


def _mark_main(found: list[Standing]) -> list[Standing]:
    """Of several processes of one rank the one that steps is the rank; the others are workers."""
    by_rank: dict[tuple[str, int], list[Standing]] = defaultdict(list)
    for standing in found:
        if standing.rank is not None:
            by_rank[standing.process.role, standing.rank].append(standing)
    workers = {
        id(standing)
        for several in by_rank.values()
        for standing in several
        if standing is not max(several, key=_importance)
    }
    return [replace(one, main=id(one) not in workers) for one in found]


def _importance(standing: Standing) -> tuple[bool, int]:
    steps = standing.place.in_step or standing.place.step is not None
    return steps, standing.process.started_unix_nano or 0


def mains(found: Iterable[Standing]) -> dict[str, list[Standing]]:
    """The processes of the ranks, and unranked ones, by role."""
    by_role: dict[str, list[Standing]] = defaultdict(list)
    for standing in found:
        if standing.main:
            by_role[standing.process.role].append(standing)
    return by_role
