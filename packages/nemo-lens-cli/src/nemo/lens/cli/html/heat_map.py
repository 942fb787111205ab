# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Who was slow when: ranks by steps, small enough to be drawn for any number of both.

The value of a rank in a step is how much more it did than the others, as a share of what they did,
measured as `nemo.lens.runs.ranks` compares the ranks: by own work where waiting is marked. Many
steps share a column, which shows their mean: time lost, not the noisiest step. Many ranks share a
row, which shows the slowest of them, so that one slow rank among thousands is seen.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.cohorts import cohorts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nemo.lens.runs.cohorts import Cohort, Member
    from nemo.lens.runs.step_records import ProcessRecord

MOST_ROWS: Final = 128
MOST_COLUMNS: Final = 96

_Step = tuple[int, int]


@dataclass(frozen=True)
class Band:
    """One row: neighbouring ranks, of which each cell shows the slowest.

    Attributes:
        ranks: The ranks, sorted.
        host: Where they ran; "" when on several hosts.
        excess: By column, as a share of what the other ranks did; None where nothing is recorded.
    """

    ranks: tuple[int, ...]
    host: str
    excess: tuple[float | None, ...]


@dataclass(frozen=True)
class HeatMap:
    """The ranks of one role over the whole run, restarts included.

    Attributes:
        role: The role.
        compared: What the ranks were compared by, as in `RankRow.compared_by`.
        columns: First and last step of each column, in order of time.
        bands: The rows, by rank.
    """

    role: str
    compared: str
    columns: tuple[tuple[int, int], ...]
    bands: tuple[Band, ...]


def heat_maps(records: Iterable[ProcessRecord]) -> tuple[HeatMap, ...]:
    """One map per role whose ranks could be compared."""
    by_role: dict[str, list[Cohort]] = defaultdict(list)
    for cohort in cohorts(records):
        if cohort.steps:
            by_role[cohort.role].append(cohort)
    return tuple(_heat_map(role, attempts) for role, attempts in by_role.items())


def _heat_map(role: str, attempts: Sequence[Cohort]) -> HeatMap:
    steps: list[_Step] = sorted(
        {(cohort.restart, cohort.number(row)) for cohort in attempts for row in cohort.rows}
    )
    shared = -(-len(steps) // MOST_COLUMNS)
    column_of = {step: place // shared for place, step in enumerate(steps)}
    columns = [steps[place : place + shared] for place in range(0, len(steps), shared)]
    rows: dict[int, list[list[float]]] = {}
    hosts: dict[int, str] = {}
    for cohort in attempts:
        for member in cohort.members:
            cells = rows.setdefault(member.rank, [[] for _column in columns])
            hosts[member.rank] = member.record.process.host
            _add(member, cohort.restart, column_of, cells)
    return HeatMap(
        role=role,
        compared=attempts[-1].compared,
        columns=tuple((column[0][1], column[-1][1]) for column in columns),
        bands=tuple(_bands(rows, hosts)),
    )


def _add(
    member: Member, restart: int, column_of: dict[_Step, int], cells: list[list[float]]
) -> None:
    excess = member.excess
    for step, more, others in zip(excess.steps, excess.shared_s, excess.others_s, strict=True):
        if others > 0:
            cells[column_of[restart, step]].append(more / others)


def _bands(rows: dict[int, list[list[float]]], hosts: dict[int, str]) -> Iterable[Band]:
    ranks = sorted(rows)
    shared = -(-len(ranks) // MOST_ROWS)
    for first in range(0, len(ranks), shared):
        band = ranks[first : first + shared]
        there = {hosts[rank] for rank in band}
        means = [[_mean(cell) for cell in rows[rank]] for rank in band]
        yield Band(
            ranks=tuple(band),
            host=there.pop() if len(there) == 1 else "",
            excess=tuple(_largest(column) for column in zip(*means, strict=True)),
        )


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
