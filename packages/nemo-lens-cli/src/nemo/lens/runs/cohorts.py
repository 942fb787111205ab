# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Ranks that step together: their steps side by side, own work told from waiting."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.answers import ARRIVAL, DURATION, OWN_WORK
from nemo.lens.runs.clocks import ClockOffset, clock_offsets
from nemo.lens.runs.spreads import medians_of_others
from nemo.lens.runs.stragglers import Excess
from nemo.lens.runs.synchrony import are_synchronous

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.phases import Phase
    from nemo.lens.runs.step_records import ProcessRecord, StepRecord

NANO: Final = 1e9


class Work:
    """One rank's share of one step, in seconds.

    Attributes:
        step: Number of the step.
        phases: Own work by phase, named work since the step before included.
        own: Their sum; where waiting is not marked, all of the step.
        wait: Waiting for others.
    """

    __slots__ = ("own", "phases", "step", "wait")

    def __init__(self, record: StepRecord) -> None:
        self.step = record.step
        self.phases: dict[str, float] = {}
        self.wait = 0.0
        for parts in (record.phases, record.between):
            for phase, length in parts.items():
                if phase.waiting:
                    self.wait += length / NANO
                else:
                    self.phases[phase.label] = self.phases.get(phase.label, 0.0) + length / NANO
        self.own = sum(self.phases.values())


@dataclass
class Member:
    """One rank of a cohort and its compared steps, in order."""

    record: ProcessRecord
    rank: int
    works: list[Work]
    excess: Excess


@dataclass(frozen=True)
class Cohort:
    """The ranks of one role in one attempt.

    Attributes:
        role: The role.
        restart: The attempt.
        members: Sorted by rank.
        steps: How many steps were compared between at least two ranks.
        offsets: Clock offset by host.
        compared: What the excess is one of: `OWN_WORK`, `ARRIVAL` or `DURATION`.
    """

    role: str
    restart: int
    members: list[Member]
    steps: int
    offsets: dict[str, ClockOffset]
    compared: str


def cohorts(records: Iterable[ProcessRecord]) -> list[Cohort]:
    """Group ranked processes that have steps by role and attempt, and compare their steps."""
    groups: dict[tuple[str, int], dict[int, ProcessRecord]] = defaultdict(dict)
    for record in records:
        rank = record.process.rank
        if rank is None or not record.steps:
            continue
        ranks = groups[record.process.role, record.process.restart]
        # Two processes of one rank in one attempt: the one that did more is the rank.
        if rank not in ranks or len(ranks[rank].steps) < len(record.steps):
            ranks[rank] = record
    return [
        _compare(role, restart, [ranks[rank] for rank in sorted(ranks)])
        for (role, restart), ranks in sorted(groups.items())
    ]


def _compare(role: str, restart: int, records: list[ProcessRecord]) -> Cohort:
    members = [Member(record, record.process.rank or 0, [], Excess()) for record in records]
    table: dict[tuple[int, int], list[tuple[int, StepRecord]]] = defaultdict(list)
    for place, record in enumerate(records):
        for step in record.steps:
            table[step.step, step.again].append((place, step))
    # The first step warms up: imports, compilation, caches.
    rows = [table[key] for key in sorted(table)[1:]]
    marked = any(phase.waiting for record in records for phase in _phases(record))
    together = [row for row in rows if len(row) > 1]
    hosts = [record.process.host for record in records]
    offsets = clock_offsets(
        [_shared_moments(row, hosts, marked=marked) for row in together], hosts[0]
    )
    compared = OWN_WORK
    if not marked:
        zeros = [offsets.get(host) or ClockOffset() for host in hosts]
        compared = ARRIVAL if are_synchronous(together, zeros) else DURATION
    for row in rows:
        works = [Work(step) for _place, step in row]
        for (place, _step), work in zip(row, works, strict=True):
            members[place].works.append(work)
        if len(row) < 2:  # noqa: PLR2004 - nothing to compare one rank with
            continue
        if compared == ARRIVAL:
            _compare_arrival(members, row, works, [offsets[hosts[place]] for place, _step in row])
        else:
            _compare_work(members, row, works)
    # Ranks that do not step together share no moment that could tell their clocks apart.
    known = {} if compared == DURATION else offsets
    return Cohort(role, restart, members, len(together), known, compared)


def _phases(record: ProcessRecord) -> set[Phase]:
    return set(record.names) | {phase for step in record.steps for phase in step.phases}


def _shared_moments(
    row: list[tuple[int, StepRecord]], hosts: list[str], *, marked: bool
) -> dict[str, list[int]]:
    """When the ranks went on together: after the last waiting, else at the end of the step."""
    moments: dict[str, list[int]] = defaultdict(list)
    released = marked and all(step.released for _place, step in row)
    for place, step in row:
        moments[hosts[place]].append(step.released if released else step.end)
    return moments


def _compare_work(
    members: list[Member], row: list[tuple[int, StepRecord]], works: list[Work]
) -> None:
    """Excess of own work: all of it, and that in phases which most ranks have."""
    owners: dict[str, int] = defaultdict(int)
    for work in works:
        for label in work.phases:
            owners[label] += 1
    rare = {label for label, count in owners.items() if 2 * count <= len(works)}
    own = [work.own for work in works]
    shared = own
    if rare:
        shared = [
            work.own - sum(work.phases[label] for label in rare & work.phases.keys())
            for work in works
        ]
    others = medians_of_others(own)
    shared_others = medians_of_others(shared) if rare else others
    for index, (place, _step) in enumerate(row):
        excess = members[place].excess
        excess.all_s.append(own[index] - others[index])
        excess.shared_s.append(shared[index] - shared_others[index])
        excess.others_s.append(others[index])
        excess.steps.append(works[index].step)


def _compare_arrival(
    members: list[Member],
    row: list[tuple[int, StepRecord]],
    works: list[Work],
    offsets: list[ClockOffset],
) -> None:
    """Without marked waiting: how much later a rank comes to the end of the step than the others.

    What a rank is earlier than the last, it waits in the next step; how long it really waits is not
    known, but never longer than a step.
    """
    base = row[0][1].end
    arrivals = [
        (step.end - base - offset.at(step.end)) / NANO
        for (_place, step), offset in zip(row, offsets, strict=True)
    ]
    last = max(arrivals)
    others = medians_of_others(arrivals)
    own = medians_of_others([work.own for work in works])
    for index, (place, _step) in enumerate(row):
        works[index].wait = min(last - arrivals[index], works[index].own)
        excess = members[place].excess
        excess.all_s.append(arrivals[index] - others[index])
        excess.shared_s.append(arrivals[index] - others[index])
        excess.others_s.append(own[index])
        excess.steps.append(works[index].step)
