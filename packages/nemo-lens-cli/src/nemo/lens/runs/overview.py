# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A run at a glance: what `nemo-lens report` shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.answers import EventRow, ProcessRow, RunSummary
from nemo.lens.runs.collect import collect
from nemo.lens.runs.quantities import noun, plural
from nemo.lens.runs.rank_names import ranks_in_words
from nemo.lens.runs.ranks import analyse_ranks
from nemo.lens.runs.signals import log_rows, metric_rows
from nemo.lens.runs.spreads import spread
from nemo.lens.runs.step_records import PLANNED_GROUPS
from nemo.lens.runs.steps import durations, phase_rows, ranks_of, truncated_rows

if TYPE_CHECKING:
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.run import Run
    from nemo.lens.runs.step_records import Outside, ProcessRecord

NO_END: Final = "no end recorded: killed or still running"
NO_MANIFEST: Final = "not known how it ended: no manifest could be read"
_ORDERLY: Final = {"shutdown": "orderly shutdown", "exit": "orderly end at interpreter exit"}
_SIGNAL: Final = "signal:"
_MAX_MISSING: Final = 1000
_MOST_LAST_SEEN: Final = 4


def summarise(run: Run, records: list[ProcessRecord] | None = None) -> RunSummary:
    """Tell what a run is, how far each process came and what stands out.

    Args:
        run: The run.
        records: What `collect(run)` returned, to read the run only once for several analyses.

    Returns:
        Identity, processes and their ends, steps, phases, metrics, events, logs, losses and
        stragglers. The verdict says first which processes did not end, then who is slow.
    """
    records = collect(run) if records is None else records
    metrics, left_out = metric_rows(run.points())
    logs = log_rows(run.logs())
    ranks = analyse_ranks(run, records)
    processes = tuple(_process_row(record) for record in records)
    steps = sorted({step for record in records for step in record.steps.numbers})
    lost: Counter[str] = Counter()
    for record in records:
        lost.update(record.process.lost)
    started, ended = _extent(records)
    expected = max((record.process.world_size or 0 for record in records), default=0)
    present = ranks_of(records)
    missing = sorted(set(range(min(expected, _MAX_MISSING + len(present)))) - set(present))
    lowest = _lowest(records)
    return RunSummary(
        run=run.run_id,
        verdict=_verdict(records, processes, ranks.verdict),
        problems=(*ranks.problems, *_notes(records, left_out)),
        path=str(run.path),
        started_unix_nano=started,
        duration_s=(ended - started) / 1e9 if started is not None and ended > started else 0.0,
        ranks_expected=expected or None,
        ranks_present=present,
        ranks_missing=tuple(missing[:_MAX_MISSING]),
        spans=sum(record.spans for record in records),
        steps_done=len(steps),
        last_step=steps[-1] if steps else None,
        step_s=spread(durations(records)),
        phases=phase_rows(records),
        processes=processes,
        metrics=metrics,
        events=_event_rows(records),
        failed_jobs=sum(span.job and span.failed for record in records for span in record.outside),
        logs=logs,
        truncated=truncated_rows(records),
        lost=dict(lost),
        stragglers=ranks.stragglers,
        ranks=ranks.ranks,
        versions=dict(lowest.versions) if lowest else {},
        command=lowest.command if lowest else (),
    )


def ending(process: Process) -> str:
    """In words how a process ended, as far as its record says."""
    end = process.end
    if end is None:
        return NO_END if process.manifest else NO_MANIFEST
    if end.startswith(_SIGNAL):
        return f"ended by {end[len(_SIGNAL) :]}, telemetry flushed"
    return _ORDERLY.get(end, f"ended: {end}")


def _process_row(record: ProcessRecord) -> ProcessRow:
    process = record.process
    return ProcessRow(
        role=process.role,
        rank=process.rank,
        host=process.host,
        pid=process.pid,
        restart=process.restart,
        end=process.end,
        ending=ending(process),
        orderly=process.end in _ORDERLY,
        started_unix_nano=process.started_unix_nano,
        ended_unix_nano=process.ended_unix_nano,
        spans=record.spans,
        last_span=record.last_name,
        last_span_unix_nano=record.last_finished if record.last_name is not None else None,
        last_step=max(record.steps.numbers, default=None),
        steps=len(record.steps),
        lost=process.lost,
        folder=process.folder,
    )


def _extent(records: list[ProcessRecord]) -> tuple[int | None, int]:
    starts = [record.process.started_unix_nano for record in records]
    starts += [record.first_start for record in records]
    known = [start for start in starts if start is not None]
    ends = [record.last_end for record in records]
    ends += [record.process.ended_unix_nano or 0 for record in records]
    return min(known, default=None), max(ends, default=0)


def _lowest(records: list[ProcessRecord]) -> Process | None:
    processes = [record.process for record in records]
    ranked = [process for process in processes if process.rank is not None]
    return min(ranked, key=lambda process: process.rank or 0, default=next(iter(processes), None))


def _event_rows(records: list[ProcessRecord]) -> tuple[EventRow, ...]:
    phases = {phase.label for record in records for phase in record.names}
    found: dict[str, list[tuple[ProcessRecord, Outside]]] = defaultdict(list)
    for record in records:
        for span in record.outside:
            # What is left of a step that never ended is no event.
            if span.label in PLANNED_GROUPS or span.label not in phases:
                found[span.label].append((record, span))
    rows = [
        EventRow(
            group=label,
            names=tuple(sorted({span.name for _record, span in spans})),
            count=len(spans),
            ranks=ranks_of(record for record, _span in spans),
            duration_s=spread((span.end - span.start) / 1e9 for _record, span in spans),
            last_unix_nano=max(span.end for _record, span in spans),
            failed=sum(span.failed for _record, span in spans),
        )
        for label, spans in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.duration_s.total, row.group)))


def _notes(records: list[ProcessRecord], left_out: int) -> list[str]:
    notes: list[str] = []
    for record in records:
        if count := record.unnumbered_steps:
            spans = plural(count, "step span carries", "step spans carry")
            was = noun(count, "was", "were")
            notes.append(
                f"{record.process.label}: {spans} no dl.iteration or iteration and {was} not compared"
            )
    if left_out:
        notes.append(f"metrics: {left_out} points of further series are not shown")
    return notes


def _verdict(
    records: list[ProcessRecord], processes: tuple[ProcessRow, ...], ranks_verdict: str
) -> str:
    """What went wrong with the run comes first, then who is slow."""
    if not processes:
        return "No process left a record."
    sentences = [*_open_ends(records), *_signals(records), *_failed_jobs(records)]
    return " ".join([*sentences, ranks_verdict])


def _open_ends(records: list[ProcessRecord]) -> list[str]:
    """The processes of run folders of which no end is known; a collector's files never tell."""
    open_ended = [
        record
        for record in records
        if record.process.end is None and (record.process.manifest or record.process.folder)
    ]
    sentences = [_last_seen(record) for record in open_ended[:_MOST_LAST_SEEN]]
    if len(open_ended) > len(sentences):
        more = len(open_ended) - len(sentences)
        others = plural(more, "more process has", "more processes have")
        sentences.append(f"{others} no recorded end.")
    return sentences


def _signals(records: list[ProcessRecord]) -> list[str]:
    by_signal: dict[str, list[ProcessRecord]] = defaultdict(list)
    for record in records:
        end = record.process.end or ""
        if end.startswith(_SIGNAL):
            by_signal[end[len(_SIGNAL) :]].append(record)
    return [
        f"{_who(ended)} {noun(len(ended), 'was', 'were')} ended by {name}."
        for name, ended in by_signal.items()
    ]


def _failed_jobs(records: list[ProcessRecord]) -> list[str]:
    failed: dict[str, list[ProcessRecord]] = defaultdict(list)
    for record in records:
        names = {span.name for span in record.outside if span.job and span.failed}
        for name in sorted(names):
            failed[name].append(record)
    return [
        f"The job ended early with an error: {name} failed on {_where(found)}."
        for name, found in failed.items()
    ]


def _who(records: list[ProcessRecord]) -> str:
    where = _where(records)
    return where[0].upper() + where[1:]


def _where(records: list[ProcessRecord]) -> str:
    ranks = ranks_of(records)
    if ranks:
        return ranks_in_words(ranks)
    return f"process {records[0].process.pid}" if len(records) == 1 else f"{len(records)} processes"


def _last_seen(record: ProcessRecord) -> str:
    process = record.process
    who = f"Process {process.pid}" if process.rank is None else f"Rank {process.rank}"
    where = f" on {process.host}" if process.host else ""
    if not process.manifest:
        return f"Of {who[0].lower()}{who[1:]}{where} it is {NO_MANIFEST}."
    if record.last_name is None:
        return f"{who}{where} has no recorded end (killed or still running) and left no span."
    last_step = max(record.steps.numbers, default=None)
    step = "" if last_step is None else f"; its last recorded step is {last_step}"
    return (
        f"{who}{where} has no recorded end (killed or still running): the last span seen is "
        f"{record.last_name}{step}."
    )
