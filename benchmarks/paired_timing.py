# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Timing of statements against each other, in interleaved rounds of one process.

Every statement is compiled into a loop of its own, so that no call is added to it. Each round runs
all of them once; a ratio is taken within a round and then the median over the rounds, so that a
machine that slows down for a while slows both sides. Within a round each statement gets several
short slices and the fastest counts, and the clock is the thread's CPU time: neighbours only ever
add. The cost of the empty loop is subtracted.
"""

from __future__ import annotations

import gc
import itertools
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROUNDS = 40
SLICES = 7
SLICE_NS = 250_000
"""About how long one statement runs in one slice."""

_EMPTY = "pass"


@dataclass(frozen=True)
class PairedTimes:
    """Nanoseconds per operation, net of the loop, of each statement in each round."""

    rounds: Mapping[str, list[float]]

    def median_ns(self, name: str) -> float:
        """Return the median time of one statement in nanoseconds."""
        return statistics.median(self.rounds[name])

    def median_ratio(self, name: str, reference: str, *, minus: str | None = None) -> float:
        """Return the median over the rounds of `(name - minus) / reference`."""
        subtracted = self.rounds[minus] if minus else itertools.repeat(0.0)
        return statistics.median(
            (time_ns - other_ns) / reference_ns
            for time_ns, other_ns, reference_ns in zip(
                self.rounds[name], subtracted, self.rounds[reference], strict=False
            )
        )


def timed(
    statements: Mapping[str, str], names: Mapping[str, Any], *, rounds: int = ROUNDS
) -> PairedTimes:
    """Time `statements`, which may use `names`, against each other.

    Args:
        statements: Label to one line of Python.
        names: The globals of the statements.
        rounds: How many rounds.
    """
    loops = {label: _loop(line, names) for label, line in {"": _EMPTY, **statements}.items()}
    counts = {label: _calibrated(loop) for label, loop in loops.items()}
    gross: dict[str, list[float]] = {label: [] for label in loops}
    gc.collect()
    gc.freeze()
    try:
        for _ in range(rounds):
            for label, taken in _fastest_slices(loops, counts).items():
                gross[label].append(taken)
    finally:
        gc.unfreeze()
    empty_ns = min(gross.pop(""))
    return PairedTimes({label: [ns - empty_ns for ns in taken] for label, taken in gross.items()})


def _fastest_slices(
    loops: Mapping[str, Callable[[int], int]], counts: Mapping[str, int]
) -> dict[str, float]:
    """Run a round and return the nanoseconds per operation of each loop's fastest slice."""
    slices = [
        {label: loop(counts[label]) / counts[label] for label, loop in loops.items()}
        for _ in range(SLICES)
    ]
    return {label: min(times[label] for times in slices) for label in loops}


def _loop(statement: str, names: Mapping[str, Any]) -> Callable[[int], int]:
    """Compile a function that runs `statement` n times and returns the nanoseconds."""
    source = (
        "def loop(_n):\n"
        "    _times = _repeat(None, _n)\n"
        "    _begin = _clock()\n"
        "    for _ in _times:\n"
        f"        {statement}\n"
        "    return _clock() - _begin\n"
    )
    namespace = {**names, "_repeat": itertools.repeat, "_clock": time.thread_time_ns}
    exec(compile(source, f"<benchmark: {statement}>", "exec"), namespace)
    loop: Callable[[int], int] = namespace["loop"]
    return loop


def _calibrated(loop: Callable[[int], int]) -> int:
    """Return how many repetitions fill a round, warming the loop up on the way."""
    count = 64
    while True:
        taken_ns = min(loop(count), loop(count))
        if taken_ns > SLICE_NS / 4:
            return max(16, int(count * SLICE_NS / taken_ns))
        count *= 4
