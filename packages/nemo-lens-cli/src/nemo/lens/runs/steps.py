# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a step goes: durations, phases, truncated spans."""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from nemo.lens.runs.answers import PhaseRow, StepRow, StepsReport, TruncatedRow
from nemo.lens.runs.collect import collect
from nemo.lens.runs.missing import no_step
from nemo.lens.runs.quantities import duration, plural
from nemo.lens.runs.spreads import median, spread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.phases import Phase
    from nemo.lens.runs.run import Run
    from nemo.lens.runs.step_records import ProcessRecord, Truncated
    from nemo.lens.runs.step_table import StepTable


def analyse_steps(run: Run, records: list[ProcessRecord] | None = None) -> StepsReport:
    """Divide the steps of a run into their phases.

    Args:
        run: The run.
        records: What `collect(run)` returned, to read the run only once for several analyses.

    Returns:
        Durations, phases and one row per step. Truncated spans are listed apart and are in no
        percentile.
    """
    records = collect(run) if records is None else records
    lengths = durations(records)
    phases = phase_rows(records)
    truncated = truncated_rows(records)
    rows = _step_rows(records)
    return StepsReport(
        run=run.run_id,
        verdict=_verdict(len(rows), phases, lengths, records),
        problems=run.problems,
        duration_s=spread(lengths),
        phases=phases,
        steps=rows,
        truncated=truncated,
    )


def durations(records: Iterable[ProcessRecord]) -> list[float]:
    """How long each step of each process took, in seconds."""
    return [
        (end - start) / 1e9
        for record in records
        for start, end in zip(record.steps.starts, record.steps.ends, strict=True)
    ]


def phase_rows(records: list[ProcessRecord]) -> tuple[PhaseRow, ...]:
    """The phases of all steps, largest first; named work between steps counts to the next."""
    lengths: dict[Phase, array[float]] = {}
    names: dict[Phase, set[str]] = defaultdict(set)
    for record in records:
        for phase, found in record.names.items():
            names[phase] |= found
        for phase in record.failed:
            lengths.setdefault(phase, array("d"))
        for phase, column in record.steps.parts().items():
            taken = lengths.setdefault(phase, array("d"))
            taken.extend(length / 1e9 for length in column if length)
    total = sum(sum(found) for found in lengths.values())
    rows = [
        PhaseRow(
            phase=phase.label,
            names=tuple(sorted(names[phase])),
            waiting=phase.waiting,
            share=sum(found) / total,
            per_step_s=spread(found),
            failed=sum(record.failed.get(phase, 0) for record in records),
            rest=any(phase in record.rest for record in records),
        )
        for phase, found in lengths.items()
        if total > 0
    ]
    return tuple(sorted(rows, key=lambda row: (-row.share, row.phase, row.waiting)))


def truncated_rows(records: list[ProcessRecord]) -> tuple[TruncatedRow, ...]:
    """Spans that were still open when telemetry shut down, longest first."""
    found: dict[tuple[str, str | None], list[tuple[ProcessRecord, Truncated]]] = defaultdict(list)
    for record in records:
        for span in record.truncated:
            found[span.name, span.group].append((record, span))
    rows = [
        TruncatedRow(
            name=name,
            group=group,
            count=len(spans),
            ranks=ranks_of(record for record, _span in spans),
            longest_s=max(span.duration for _record, span in spans) / 1e9,
        )
        for (name, group), spans in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.longest_s, row.name)))


def ranks_of(records: Iterable[ProcessRecord]) -> tuple[int, ...]:
    """The ranks of some processes, each once, sorted."""
    ranks = {record.process.rank for record in records}
    return tuple(sorted(rank for rank in ranks if rank is not None))


def _step_rows(records: list[ProcessRecord]) -> tuple[StepRow, ...]:
    by_step: dict[int, list[tuple[_Member, int]]] = defaultdict(list)
    for record in records:
        member = _Member(record.process.rank, record.steps, record.steps.parts())
        for place, number in enumerate(record.steps.numbers):
            by_step[number].append((member, place))
    return tuple(_step_row(number, by_step[number]) for number in sorted(by_step))


class _Member(NamedTuple):
    """The steps of one process and their parts."""

    rank: int | None
    steps: StepTable
    parts: dict[Phase, array[int]]


def _step_row(number: int, done: list[tuple[_Member, int]]) -> StepRow:
    lengths: dict[str, list[float]] = defaultdict(list)
    for member, place in done:
        for phase, column in member.parts.items():
            if column[place]:
                lengths[phase.label].append(column[place] / 1e9)
    taken = [
        (member.steps.ends[place] - member.steps.starts[place]) / 1e9 for member, place in done
    ]
    longest = max(taken)
    return StepRow(
        step=number,
        ranks=len({member.rank for member, _place in done}),
        duration_s=median(taken),
        longest_s=longest,
        slowest_rank=done[taken.index(longest)][0].rank,
        phases_s={label: median(found) for label, found in sorted(lengths.items())},
    )


def _verdict(
    steps: int,
    phases: tuple[PhaseRow, ...],
    lengths: list[float],
    records: list[ProcessRecord],
) -> str:
    if not steps or not phases:
        return no_step(records)
    largest = phases[0]
    waiting = " (waiting)" if largest.waiting else ""
    return (
        f"{plural(steps, 'step')}, {duration(median(lengths))} at the median; the largest part is "
        f"{largest.phase}{waiting} with {largest.share:.0%}."
    )
