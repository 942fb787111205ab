# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A run as a timeline for Perfetto: one row per process, on one clock, with arrows and counters.

The spans of one process are held at a time, those of the whole run never. Arrows need the places
of spans that other processes wrote; a first pass notes which these are, so that only they are kept.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.runs.answers import Answer
from nemo.lens.runs.collect import collect
from nemo.lens.runs.host_clocks import HostClocks
from nemo.lens.runs.otlp_json import SHAPE_ERRORS, attributes, items
from nemo.lens.runs.problems import RunError
from nemo.lens.runs.quantities import plural
from nemo.lens.runs.step_windows import Windows, step_windows
from nemo.lens.runs.timeline_names import error_of, row_name, series_name, track_name
from nemo.lens.runs.trace_events import Place, TraceEvents
from nemo.lens.runs.tracks import pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from nemo.lens.runs.number_ranges import NumberRanges
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.records import Span
    from nemo.lens.runs.run import Run

# Perfetto takes process 0 and track 0 for the idle task of a machine.
_FIRST_ROW: Final = 1
_FIRST_TRACK: Final = 1
_LOG_TRACK: Final = 1_000_000
_LONGEST_NAME: Final = 120


@dataclass(frozen=True)
class TimelineReport(Answer):
    """What a timeline holds: the answer of `write_timeline`.

    Attributes:
        processes: Process rows.
        spans: Spans.
        arrows: Links, and parents in another process.
        counters: Metric points.
        logs: Log records.
    """

    processes: int
    spans: int
    arrows: int
    counters: int
    logs: int


def write_timeline(
    run: Run,
    stream: BinaryIO,
    *,
    steps: NumberRanges | None = None,
    ranks: NumberRanges | None = None,
) -> TimelineReport:
    """Write a run in the Chrome trace event format, which ui.perfetto.dev opens.

    Args:
        run: The run.
        stream: Where the JSON goes, as UTF-8.
        steps: Only what overlaps these steps; all of the run by default.
        ranks: Only these ranks; all processes by default.

    Returns:
        What was written.

    Raises:
        RunError: The run has none of these steps or ranks, or nothing at all.
    """
    records = collect(run)
    rows = _rows(run.processes, ranks)
    clocks = HostClocks(records)
    windows = step_windows([one for one in records if one.process in rows], clocks, steps)
    plan = _plan(run, rows, clocks)
    if plan.begins is None:
        raise RunError(f"no span was recorded in {str(run.path)!r}, so there is no timeline")
    with TraceEvents(stream) as events:
        timeline = _Timeline(events, rows, clocks, windows, plan)
        for process, spans in _by_process(run, rows):
            timeline.add_spans(process, spans)
        timeline.add_counters(run)
        timeline.add_logs(run)
        timeline.add_arrows()
    return timeline.report(run)


@dataclass
class _Plan:
    """What the first pass found out.

    Attributes:
        begins: The first moment, None without a span.
        wanted: Ids of spans from which an arrow may come.
    """

    begins: int | None
    wanted: set[str]


def _rows(processes: Iterable[Process], ranks: NumberRanges | None) -> dict[Process, int]:
    """The processes that are shown, numbered in order."""
    processes = tuple(processes)
    shown = [one for one in processes if _is_chosen(one, ranks)]
    if processes and not shown:
        raise RunError(f"no rank {ranks} in this run")
    return {process: number for number, process in enumerate(shown, start=_FIRST_ROW)}


def _is_chosen(process: Process, ranks: NumberRanges | None) -> bool:
    return ranks is None or (process.rank is not None and process.rank in ranks)


def _by_process(run: Run, rows: dict[Process, int]) -> Iterator[tuple[Process, list[Span]]]:
    """The spans of each process; those that a collector interleaved come last."""
    scattered: dict[Process, list[Span]] = defaultdict(list)
    for process, spans in groupby(run.spans(), key=attrgetter("process")):
        if process not in rows:
            continue
        if process.manifest:
            yield process, list(spans)
        else:
            scattered[process] += spans
    yield from scattered.items()


def _plan(run: Run, rows: dict[Process, int], clocks: HostClocks) -> _Plan:
    begins: int | None = None
    wanted: set[str] = set()
    for process, spans in _by_process(run, rows):
        own = {span.span_id for span in spans}
        wanted |= {span.parent_span_id for span in spans if span.parent_span_id} - own
        for span in spans:
            wanted.update(_linked(span))
        first = clocks.aligned(process, min(span.start_unix_nano for span in spans))
        begins = first if begins is None else min(begins, first)
    return _Plan(begins, wanted)


class _Timeline:
    """Turns what a run holds into events, process by process."""

    def __init__(
        self,
        events: TraceEvents,
        rows: dict[Process, int],
        clocks: HostClocks,
        windows: Windows,
        plan: _Plan,
    ) -> None:
        self._events = events
        self._rows = rows
        self._clocks = clocks
        self._windows = windows
        self._begins = plan.begins or 0
        self._wanted = plan.wanted
        self._sources: dict[str, tuple[Place, int]] = {}
        self._arrivals: list[tuple[str, Place, str]] = []
        self._spans = self._arrows = self._counters = self._logs = 0
        several_roles = len({process.role for process in rows}) > 1
        for process, row in rows.items():
            events.process(row, row_name(process, several_roles=several_roles))

    def add_spans(self, process: Process, spans: list[Span]) -> None:
        """All spans of one process."""
        own = {span.span_id for span in spans}
        placed = pack(
            (
                span.span_id,
                span.parent_span_id,
                self._at(process, span.start_unix_nano),
                self._at(process, span.end_unix_nano),
            )
            for span in spans
        )
        tracks: set[int] = set()
        for one in placed:
            span = spans[one.place]
            shown = self._windows.cut(one.start + self._begins, one.end + self._begins)
            if shown is None:
                continue
            start, end = (moment - self._begins for moment in shown)
            place = Place(self._rows[process], _FIRST_TRACK + one.track, start)
            if one.track not in tracks:
                tracks.add(one.track)
                self._events.track(place.process, place.track, track_name(one.track))
            self._add_span(span, place, end - start, whole=end - start == one.end - one.start)
            self._note_arrows(span, place, end, remote=span.parent_span_id not in own)

    def _add_span(self, span: Span, place: Place, length: int, *, whole: bool) -> None:
        about: dict[str, Any] = dict(span.attributes)
        if span.failed:
            about["status"] = error_of(span)
        if not whole:
            about["cut to"] = "the chosen steps"
            about["duration_s"] = (span.end_unix_nano - span.start_unix_nano) / 1e9
        self._events.span(place, length, span.name, span.group or "", about)
        self._spans += 1
        for event in items(span.raw, "events"):
            self._add_event(span.process, place, length, event)

    def _add_event(self, process: Process, span: Place, length: int, event: dict[str, Any]) -> None:
        try:
            at = self._at(process, int(event["timeUnixNano"]))
        except SHAPE_ERRORS:
            return
        if span.at <= at <= span.at + length:
            name = event.get("name")
            about = attributes(event.get("attributes"))
            self._events.moment(span._replace(at=at), name if isinstance(name, str) else "", about)

    def _note_arrows(self, span: Span, place: Place, end: int, *, remote: bool) -> None:
        if span.span_id in self._wanted:
            self._sources[span.span_id] = (place, end)
        if remote and span.parent_span_id:
            self._arrivals.append((span.parent_span_id, place, "parent"))
        self._arrivals += [(linked, place, "link") for linked in _linked(span)]

    def add_arrows(self) -> None:
        """From each linked span, and each parent in another process, where both ends are shown."""
        for source, target, name in self._arrivals:
            if source in self._sources:
                start, end = self._sources[source]
                leaves = start._replace(at=max(start.at, min(target.at, end)))
                self._events.arrow(leaves, target, name)
                self._arrows += 1

    def add_counters(self, run: Run) -> None:
        """Every metric point that is a finite number, one counter per series."""
        for point in run.points():
            at = self._shown_at(point.process, point.time_unix_nano)
            if at is not None and math.isfinite(point.value):
                place = Place(self._rows[point.process], _FIRST_TRACK, at)
                self._events.counter(place, series_name(point.name, point.attributes), point.value)
                self._counters += 1

    def add_logs(self, run: Run) -> None:
        """Log records, on a track of their own."""
        named: set[Process] = set()
        for record in run.logs():
            at = self._shown_at(record.process, record.time_unix_nano)
            if at is None:
                continue
            place = Place(self._rows[record.process], _LOG_TRACK, at)
            if record.process not in named:
                named.add(record.process)
                self._events.track(place.process, _LOG_TRACK, "log")
            name = f"{record.severity}: {record.body}"[:_LONGEST_NAME]
            self._events.moment(place, name, {**record.attributes, "body": record.body})
            self._logs += 1

    def report(self, run: Run) -> TimelineReport:
        """What was written."""
        processes = plural(len(self._rows), "process", "processes")
        return TimelineReport(
            run=run.run_id,
            verdict=(
                f"A timeline of {processes} with {plural(self._spans, 'span')}, "
                f"{plural(self._arrows, 'arrow')} and {plural(self._counters, 'metric point')}."
            ),
            problems=run.problems,
            processes=len(self._rows),
            spans=self._spans,
            arrows=self._arrows,
            counters=self._counters,
            logs=self._logs,
        )

    def _at(self, process: Process, moment: int) -> int:
        return self._clocks.aligned(process, moment) - self._begins

    def _shown_at(self, process: Process, moment: int) -> int | None:
        """Where a moment lies; None for one that is not shown, or before everything."""
        if process not in self._rows or not moment:
            return None
        at = self._at(process, moment)
        return at if at >= 0 and at + self._begins in self._windows else None


def _linked(span: Span) -> list[str]:
    ids = (link.get("spanId") for link in items(span.raw, "links"))
    return [one for one in ids if isinstance(one, str) and one]
