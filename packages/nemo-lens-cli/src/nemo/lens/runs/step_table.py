# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The steps of one process in columns: a tenth of the memory of one record per step.

A run of a thousand ranks has millions of steps. Whoever looks at single steps iterates over the
table and gets a `StepRecord` for each; whoever adds up all of them uses the columns.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from operator import add
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.runs.phases import Phase

_NANO = "q"


class StepRecord(NamedTuple):
    """One finished step of one process.

    Attributes:
        step: Its number.
        again: How often this process had done the number before (after a rollback).
        start: Start, nanoseconds since 1970.
        end: End.
        released: End of the last waiting in it, 0 when it has none.
        phases: Nanoseconds by phase within the step; they sum to its duration.
        between: The same for named work between the step before and this one.
    """

    step: int
    again: int
    start: int
    end: int
    released: int
    phases: dict[Phase, int]
    between: dict[Phase, int]


class StepTable(Sequence[StepRecord]):
    """The steps of one process, in order of time.

    Attributes:
        numbers: Their numbers.
        again: How often the number had been done before.
        starts: Start, nanoseconds since 1970.
        ends: End.
        released: End of the last waiting, 0 for none.
        phases: Nanoseconds within each step by phase; 0 where a step has none of it. A column may
            be shorter than the table: the rest is 0.
        between: The same for named work between the step before and this one.
    """

    __slots__ = ("again", "between", "ends", "numbers", "phases", "released", "starts")

    def __init__(self) -> None:
        self.numbers: array[int] = array(_NANO)
        self.again: array[int] = array(_NANO)
        self.starts: array[int] = array(_NANO)
        self.ends: array[int] = array(_NANO)
        self.released: array[int] = array(_NANO)
        self.phases: dict[Phase, array[int]] = {}
        self.between: dict[Phase, array[int]] = {}

    def append(self, record: StepRecord) -> None:
        """Add the next step."""
        place = len(self.numbers)
        self.numbers.append(record.step)
        self.again.append(record.again)
        self.starts.append(record.start)
        self.ends.append(record.end)
        self.released.append(record.released)
        _append(self.phases, place, record.phases)
        if record.between:
            _append(self.between, place, record.between)

    def parts(self) -> dict[Phase, array[int]]:
        """Nanoseconds by phase for each step, named work since the step before included."""
        found: dict[Phase, array[int]] = {}
        for columns in (self.phases, self.between):
            for phase, column in columns.items():
                whole = column + array(_NANO, bytes(8 * (len(self) - len(column))))
                known = found.get(phase)
                found[phase] = whole if known is None else array(_NANO, map(add, known, whole))
        return found

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> StepRecord: ...
    @overload
    def __getitem__(self, index: slice) -> list[StepRecord]: ...
    def __getitem__(self, index: int | slice) -> StepRecord | list[StepRecord]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        return StepRecord(
            self.numbers[place],
            self.again[place],
            self.starts[place],
            self.ends[place],
            self.released[place],
            _row(self.phases, place),
            _row(self.between, place),
        )

    def __iter__(self) -> Iterator[StepRecord]:
        return map(self.__getitem__, range(len(self)))


def _append(columns: dict[Phase, array[int]], place: int, lengths: dict[Phase, int]) -> None:
    for phase, length in lengths.items():
        column = columns.get(phase)
        if column is None:
            column = columns[phase] = array(_NANO, bytes(8 * place))
        elif len(column) < place:
            column.frombytes(bytes(8 * (place - len(column))))
        column.append(length)


def _row(columns: dict[Phase, array[int]], place: int) -> dict[Phase, int]:
    return {
        phase: column[place]
        for phase, column in columns.items()
        if place < len(column) and column[place]
    }
