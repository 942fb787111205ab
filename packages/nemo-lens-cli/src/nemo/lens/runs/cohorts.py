# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Ranks that step together: their steps side by side, own work told from waiting."""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from nemo.lens.runs.answers import ARRIVAL, DURATION, OWN_WORK
from nemo.lens.runs.clocks import ClockOffset, clock_offsets
from nemo.lens.runs.spreads import medians_of_others
from nemo.lens.runs.stragglers import Excess
from nemo.lens.runs.synchrony import Stretch, are_synchronous
from nemo.lens.runs.work_columns import NANO, WorkColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nemo.lens.runs.step_records import ProcessRecord
    from nemo.lens.runs.step_table import StepTable


class Row(NamedTuple):
    """One step that was compared: which members did it, and where it is in their tables."""

    places: Sequence[int]
    indices: Sequence[int]


@dataclass
class Member:
    """One rank of a cohort.

    Attributes:
        record: What it left.
        rank: Its rank.
        work: Own work and waiting of all its steps.
        compared: The places of the steps that count: all but the first of the run.
        wait_s: Waiting in those.
        excess: What it did beyond the others in those that others did too.
    """

    record: ProcessRecord
    rank: int
    work: WorkColumns
    compared: array[int] = field(default_factory=lambda: array("q"))
    wait_s: array[float] = field(default_factory=lambda: array("d"))
    excess: Excess = field(default_factory=Excess)

    @property
    def own_s(self) -> Iterator[float]:
        """Own work in the steps that count."""
        return map(self.work.own.__getitem__, self.compared)


@dataclass(frozen=True)
class Cohort:
    """The ranks of one role in one attempt.

    Attributes:
        role: The role.
        restart: The attempt.
        members: Sorted by rank.
        rows: The steps that at least two ranks did, in order.
        offsets: Clock offset by host.
        compared: What the excess is one of: `OWN_WORK`, `ARRIVAL` or `DURATION`.
    """

    role: str
    restart: int
    members: list[Member]
    rows: list[Row]
    offsets: dict[str, ClockOffset]
    compared: str

    @property
    def steps(self) -> int:
        """How many steps were compared between at least two ranks."""
        return len(self.rows)

    def number(self, row: Row) -> int:
        """The number of a step."""
        return self.members[row.places[0]].record.steps.numbers[row.indices[0]]


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
    members = [
        Member(record, record.process.rank or 0, WorkColumns(record.steps)) for record in records
    ]
    tables = [record.steps for record in records]
    # The first step warms up: imports, compilation, caches.
    rows = _rows(tables)[1:]
    marked = any(_marks_waiting(record) for record in records)
    together = [row for row in rows if len(row.places) > 1]
    hosts = [record.process.host for record in records]
    released = [marked and all(_column(tables, "released", row)) for row in together]
    offsets = clock_offsets(
        [
            _shared_moments(
                row, hosts, _column(tables, "released" if all_released else "ends", row)
            )
            for row, all_released in zip(together, released, strict=True)
        ],
        hosts[0],
    )
    compared = OWN_WORK
    if not marked:
        zeros = [offsets.get(host) or ClockOffset() for host in hosts]
        compared = ARRIVAL if are_synchronous(_stretches(tables, together), zeros) else DURATION
    sparse = _sparse_phases(members)
    for row in rows:
        for place, index in zip(row.places, row.indices, strict=True):
            members[place].compared.append(index)
            members[place].wait_s.append(members[place].work.wait[index])
        if len(row.places) < 2:  # noqa: PLR2004 - nothing to compare one rank with
            continue
        if compared == ARRIVAL:
            _compare_arrival(members, row, [offsets[hosts[place]] for place in row.places])
        else:
            _compare_work(members, row, sparse)
    # Ranks that do not step together share no moment that could tell their clocks apart.
    known = {} if compared == DURATION else offsets
    return Cohort(role, restart, members, together, known, compared)


def _rows(tables: list[StepTable]) -> list[Row]:
    """The steps of all ranks, in order of their numbers."""
    first = tables[0]
    if all(table.numbers == first.numbers and table.again == first.again for table in tables):
        order = sorted(range(len(first)), key=list(zip(first.numbers, first.again)).__getitem__)  # noqa: B905 - columns of one table
        everybody = range(len(tables))
        return [Row(everybody, [index] * len(tables)) for index in order]
    found: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
    for place, table in enumerate(tables):
        for index, key in enumerate(zip(table.numbers, table.again, strict=True)):
            places, indices = found.setdefault(key, ([], []))
            places.append(place)
            indices.append(index)
    return [Row(*found[key]) for key in sorted(found)]


def _column(tables: list[StepTable], name: str, row: Row) -> list[int]:
    """One column of a row of steps."""
    return [
        getattr(tables[place], name)[index]
        for place, index in zip(row.places, row.indices, strict=True)
    ]


def _marks_waiting(record: ProcessRecord) -> bool:
    return any(phase.waiting for phase in (*record.names, *record.steps.phases))


def _shared_moments(row: Row, hosts: list[str], moments: list[int]) -> dict[str, list[int]]:
    """When the ranks went on together: after the last waiting, else at the end of the step."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, moment in zip(row.places, moments, strict=True):
        found[hosts[place]].append(moment)
    return found


def _stretches(tables: list[StepTable], rows: list[Row]) -> list[list[Stretch]]:
    return [
        [
            Stretch(place, tables[place].starts[index], tables[place].ends[index])
            for place, index in zip(row.places, row.indices, strict=True)
        ]
        for row in rows
    ]


def _sparse_phases(members: list[Member]) -> list[str]:
    """Phases that not every step of every rank has."""
    labels = {label for member in members for label in member.work.phases}
    return sorted(label for label in labels if any(one.work.absent(label) for one in members))


def _compare_work(members: list[Member], row: Row, sparse: list[str]) -> None:
    """Excess of own work: all of it, and that in phases which most ranks have."""
    works = [
        (members[place].work, index) for place, index in zip(row.places, row.indices, strict=True)
    ]
    own = [work.own[index] for work, index in works]
    shared = own
    for label in sparse:
        lengths = [
            work.phases[label][index] if label in work.phases else 0.0 for work, index in works
        ]
        owners = len(lengths) - lengths.count(0.0)
        if 0 < 2 * owners <= len(lengths):
            shared = [rest - length for rest, length in zip(shared, lengths, strict=True)]
    others = medians_of_others(own)
    shared_others = others if shared is own else medians_of_others(shared)
    for at, (place, index) in enumerate(zip(row.places, row.indices, strict=True)):
        member = members[place]
        member.excess.add(
            own[at] - others[at],
            shared[at] - shared_others[at],
            others[at],
            member.record.steps.numbers[index],
        )


def _compare_arrival(members: list[Member], row: Row, offsets: list[ClockOffset]) -> None:
    """Without marked waiting: how much later a rank comes to the end of the step than the others.

    What a rank is earlier than the last, it waits in the next step; how long it really waits is not
    known, but never longer than a step.
    """
    ends = _column([member.record.steps for member in members], "ends", row)
    base = ends[0]
    arrivals = [
        (end - base - offset.at(end)) / NANO for end, offset in zip(ends, offsets, strict=True)
    ]
    last = max(arrivals)
    others = medians_of_others(arrivals)
    works = [
        members[place].work.own[index] for place, index in zip(row.places, row.indices, strict=True)
    ]
    own = medians_of_others(works)
    for at, (place, index) in enumerate(zip(row.places, row.indices, strict=True)):
        member = members[place]
        member.wait_s[-1] = min(last - arrivals[at], works[at])
        excess = arrivals[at] - others[at]
        member.excess.add(excess, excess, own[at], member.record.steps.numbers[index])
