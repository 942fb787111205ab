# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The parts of the steps of a run as series in order of time, for comparisons between runs.

What ranks do themselves is averaged over the ranks. Of waiting the smallest of all ranks counts:
the last to come waits for the operation alone. What the ranks wait beyond that, on average, is the
imbalance between them. So the mean step is own work, waiting and imbalance.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.step_records import is_event, phase_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nemo.lens.runs.step_records import ProcessRecord
    from nemo.lens.runs.step_table import StepRecord

STEP: Final = "step"
OWN_WORK: Final = "own_work"
WAITING: Final = "waiting"
IMBALANCE: Final = "imbalance"
OUTSIDE: Final = "outside"

_NANO: Final = 1e9


class Part(NamedTuple):
    """Something that both runs may have.

    Attributes:
        role: The role of the processes.
        label: Span group or name; "" for the whole step and for the imbalance.
        kind: `STEP`, `OWN_WORK`, `WAITING`, `IMBALANCE`, or `OUTSIDE` of the steps.
    """

    role: str
    label: str
    kind: str


class Series(NamedTuple):
    """The values of one part.

    Attributes:
        values: Seconds, one value per step (or occurrence, outside of the steps) that has the part.
        steps: How many steps were looked at.
    """

    values: list[float]
    steps: int


def step_series(records: Iterable[ProcessRecord]) -> dict[Part, Series]:
    """Every part of the steps of a run and its values; empty for a run without steps."""
    by_role: dict[str, list[ProcessRecord]] = defaultdict(list)
    for record in records:
        by_role[record.process.role].append(record)
    found: dict[Part, Series] = {}
    for role, members in sorted(by_role.items()):
        rows = _rows(members)
        if rows:
            found.update(_inside(role, rows))
            found.update(_outside(role, members))
    return found


def by_rank(records: Iterable[ProcessRecord], part: Part) -> dict[int, list[float]]:
    """The values of one part of own work for each rank apart."""
    found: dict[int, list[float]] = defaultdict(list)
    for record in records:
        if record.process.rank is None or record.process.role != part.role:
            continue
        for step in record.steps[1:]:
            lengths = _lengths(step, waiting=False)
            if part.label in lengths:
                found[record.process.rank].append(lengths[part.label])
    return found


def _rows(records: Sequence[ProcessRecord]) -> list[list[StepRecord]]:
    """What the ranks did in each step, in order of time; the first of an attempt warms up."""
    rows: dict[tuple[int, int, int], list[StepRecord]] = defaultdict(list)
    for record in records:
        for step in record.steps:
            rows[record.process.restart, step.again, step.step].append(step)
    kept: list[list[StepRecord]] = []
    begun: set[int] = set()
    for key in sorted(rows):
        restart = key[0]
        if restart in begun:
            kept.append(rows[key])
        begun.add(restart)
    return kept or list(rows.values())


def _inside(role: str, rows: Sequence[Sequence[StepRecord]]) -> dict[Part, Series]:
    values: dict[Part, list[float]] = defaultdict(list)
    for row in rows:
        values[Part(role, "", STEP)].append(_mean([_whole(step) for step in row]))
        for label, lengths in _by_label(row, waiting=False).items():
            values[Part(role, label, OWN_WORK)].append(_mean(lengths))
        waits = _by_label(row, waiting=True)
        imbalance = 0.0
        for label, lengths in waits.items():
            least = min(lengths) if len(lengths) == len(row) else 0.0
            values[Part(role, label, WAITING)].append(least)
            imbalance += math.fsum(lengths) / len(row) - least
        if waits:
            values[Part(role, "", IMBALANCE)].append(imbalance)
    return {part: Series(found, len(rows)) for part, found in values.items()}


def _outside(role: str, records: Sequence[ProcessRecord]) -> dict[Part, Series]:
    """Checkpoints and the like: the n-th of each rank belong together, and the longest counts."""
    phases = phase_labels(records)
    longest: dict[tuple[str, int, int], float] = {}
    for record in records:
        counts: dict[str, int] = defaultdict(int)
        for span in sorted(record.outside, key=lambda span: span.start):
            if span.job or not is_event(span, phases):
                continue
            key = (span.label, record.process.restart, counts[span.label])
            counts[span.label] += 1
            longest[key] = max(longest.get(key, 0.0), (span.end - span.start) / _NANO)
    values: dict[Part, list[float]] = defaultdict(list)
    for key in sorted(longest):
        values[Part(role, key[0], OUTSIDE)].append(longest[key])
    return {part: Series(found, len(found)) for part, found in values.items()}


def _by_label(row: Sequence[StepRecord], *, waiting: bool) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for step in row:
        for label, length in _lengths(step, waiting=waiting).items():
            found[label].append(length)
    return found


def _lengths(step: StepRecord, *, waiting: bool) -> dict[str, float]:
    """Seconds by label in one step of one rank, named work since the step before included."""
    found: dict[str, float] = {}
    for parts in (step.phases, step.between):
        for phase, length in parts.items():
            if phase.waiting is waiting:
                found[phase.label] = found.get(phase.label, 0.0) + length / _NANO
    return found


def _whole(step: StepRecord) -> float:
    return (step.end - step.start + sum(step.between.values())) / _NANO


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
