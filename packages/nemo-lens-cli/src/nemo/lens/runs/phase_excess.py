# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""In which phase a rank does more than the others."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.spreads import median, median_of_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.runs.cohorts import Cohort, Row

# The typical step of a long run is known from some hundred of them.
_MOST_ROWS: Final = 400


class PhaseExcess:
    """Compares the ranks of a cohort phase by phase; what was sorted once is kept.

    Args:
        cohort: The ranks.
    """

    def __init__(self, cohort: Cohort) -> None:
        self._cohort = cohort
        self._sorted: dict[tuple[int, str], list[float]] = {}

    def largest(self, place: int, steps: frozenset[int]) -> tuple[str, float]:
        """The phase in which a rank exceeds the others most, and by how many seconds per step.

        Args:
            place: The rank, by its place in the cohort.
            steps: The numbers of the steps to look at; all of them when empty, or evenly spread
                ones of a long run.
        """
        phases = self._cohort.members[place].work.phases
        excesses: dict[str, list[float]] = defaultdict(list)
        for at in self._places_of_rows(steps):
            row = self._cohort.rows[at]
            index = _index_of(row, place)
            if index is None:
                continue
            for label, column in phases.items():
                others = median_of_others(self._ordered(at, label), column[index])
                excesses[label].append(column[index] - others if column[index] else 0.0)
        typical = {label: median(found) for label, found in excesses.items()}
        return max(typical.items(), key=lambda item: item[1], default=("step", 0.0))

    def _places_of_rows(self, steps: frozenset[int]) -> Sequence[int]:
        rows = self._cohort.rows
        if steps:
            return [at for at, row in enumerate(rows) if self._cohort.number(row) in steps]
        return range(0, len(rows), -(-len(rows) // _MOST_ROWS) or 1)

    def _ordered(self, at: int, label: str) -> list[float]:
        found = self._sorted.get((at, label))
        if found is None:
            row = self._cohort.rows[at]
            members = self._cohort.members
            found = self._sorted[at, label] = sorted(
                members[place].work.phases[label][index]
                if label in members[place].work.phases
                else 0.0
                for place, index in zip(row.places, row.indices, strict=True)
            )
        return found


def _index_of(row: Row, place: int) -> int | None:
    """Where a step is in the table of a rank, None when it did not do it."""
    try:
        return row.indices[row.places.index(place)]
    except ValueError:
        return None
