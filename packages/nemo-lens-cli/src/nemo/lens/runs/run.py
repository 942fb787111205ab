# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`Run`: the processes, spans, metric points and log records of one recorded run."""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import orjson

from nemo.lens.runs.lines import COMPRESSIONS, json_lines
from nemo.lens.runs.locate import SIGNALS, RunLocation, locate, segments
from nemo.lens.runs.otlp_json import items
from nemo.lens.runs.problems import Problems, RunError
from nemo.lens.runs.process import Process, from_folder, from_resource
from nemo.lens.runs.quantities import noun, plural
from nemo.lens.runs.records import (
    LogRecord,
    Point,
    Span,
    SpanBlock,
    decode_logs,
    decode_points,
    decode_span_blocks,
    decode_spans,
)
from nemo.lens.semconv import SERVICE_INSTANCE_ID

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

_KEYS: Final = {"traces": "resourceSpans", "metrics": "resourceMetrics", "logs": "resourceLogs"}
_NOUNS: Final = {"traces": "span", "metrics": "metric point", "logs": "log record"}
# How many times smaller spans are when they are compressed, roughly.
_PACKED: Final = 12

_Record = TypeVar("_Record")


@dataclass(frozen=True)
class _Source:
    """Files that are read together: one process folder, or what a collector wrote."""

    process: Process | None
    files: dict[str, tuple[Path, ...]]


class Run:
    """One recorded run, read when it is asked for; what is damaged becomes a line in `problems`.

    Args:
        path: A run folder, a folder that holds exactly one run, a process folder, or a file or
            folder of OTLP-JSON lines as a collector's file exporter writes them.
        run_id: Which run, where a collector wrote several into the same files.

    Attributes:
        path: The folder or file that is read.
        run_id: The run id.

    Raises:
        RunError: There is no run at the path, or more than one; one clear line.
    """

    def __init__(self, path: str | Path, *, run_id: str | None = None) -> None:
        location = locate(path)
        self.path = location.path
        self._problems = Problems()
        self._by_resource: dict[bytes, Process] = {}
        self._by_identity: dict[tuple[object, ...], Process] = {}
        self._wanted: str | None = None
        if location.files:
            self._sources = [_Source(None, dict.fromkeys(SIGNALS, location.files))]
            self.run_id = self._choose_run(location, run_id)
        else:
            self._sources = [self._folder_source(folder) for folder in location.folders]
            self.run_id = self._agreed_run_id(location.name)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read so far, one clear line each."""
        return self._problems.lines()

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes that left a record, by role, rank, restart and pid."""
        if self._sources and self._sources[0].process is None:
            found = [
                process
                for process in self._by_identity.values()
                if self._wanted is None or process.run == self._wanted
            ]
        else:
            found = [source.process for source in self._sources if source.process is not None]
        return tuple(sorted(found, key=_process_order))

    def trace_bytes(self) -> dict[str, int]:
        """About how many bytes of spans there are to parse, by process folder."""
        return {
            source.process.folder: sum(map(_unpacked_bytes, source.files.get("traces", ())))
            for source in self._sources
            if source.process is not None
        }

    def narrowed(self, folders: Collection[str]) -> Run:
        """The same run, of which only these process folders are read."""
        part = copy(self)
        part._sources = [  # noqa: SLF001 - of its own kind
            source
            for source in self._sources
            if source.process is not None and source.process.folder in folders
        ]
        return part

    def add_problems(self, lines: Iterable[str]) -> None:
        """Keep what somebody else who read a part of this run could not read."""
        for line in lines:
            self._problems.add(line)

    def spans(self) -> Iterator[Span]:
        """Every finished span, process by process, in the order in which they were exported."""
        return self._records("traces", decode_spans)

    def span_blocks(self) -> Iterator[SpanBlock]:
        """The same spans, undecoded: for analyses that read millions of them."""
        return self._records("traces", decode_span_blocks)

    def points(self) -> Iterator[Point]:
        """Every metric data point, process by process, in the order of export."""
        return self._records("metrics", decode_points)

    def logs(self) -> Iterator[LogRecord]:
        """Every log record, process by process, in the order of export."""
        return self._records("logs", decode_logs)

    def _label(self, path: Path) -> str:
        if path == self.path:
            return path.name
        return path.relative_to(self.path).as_posix()

    def _folder_source(self, folder: Path) -> _Source:
        label = "" if folder == self.path else self._label(folder)
        process = from_folder(folder, label, self._problems)
        try:
            files = segments(folder)
        except OSError as error:
            self._problems.add(f"{label}: the folder could not be listed: {error.strerror}")
            files = {}
        source = _Source(process, files)
        if process.manifest:
            return source
        entry = next(self._entries(source, "traces", Problems()), None)
        return source if entry is None else _Source(from_resource(entry[0], process), files)

    def _agreed_run_id(self, folder_name: str) -> str:
        named = Counter(process.run for process in self.processes if process.run)
        if len(named) > 1:
            self._problems.add(f"the folder mixes records of {len(named)} runs: {', '.join(named)}")
        return named.most_common(1)[0][0] if named else folder_name

    def _choose_run(self, location: RunLocation, run_id: str | None) -> str:
        for signal in SIGNALS:
            for _entry in self._entries(self._sources[0], signal, Problems()):
                pass
        named = sorted({process.run for process in self.processes if process.run})
        if run_id is not None and run_id not in named:
            raise RunError(
                f"no run {run_id!r} in {str(location.path)!r}; found: {', '.join(named) or 'none'}"
            )
        if run_id is None and len(named) > 1:
            raise RunError(
                f"{str(location.path)!r} holds {len(named)} runs ({', '.join(named[:10])}); "
                "name one of them with run_id"
            )
        self._wanted = run_id
        return run_id or (named[0] if named else location.name)

    def _process_of(self, entry: dict[str, Any]) -> Process:
        key = orjson.dumps(entry.get("resource"))
        process = self._by_resource.get(key)
        if process is None:
            found = from_resource(entry)
            instance = found.resource.get(SERVICE_INSTANCE_ID)
            identity = (found.run, found.role, found.rank, found.host, found.pid, found.restart)
            process = self._by_identity.setdefault((*identity, str(instance)), found)
            self._by_resource[key] = process
        return process

    def _entries(
        self, source: _Source, signal: str, problems: Problems
    ) -> Iterator[tuple[dict[str, Any], Process, str]]:
        key = _KEYS[signal]
        loose = source.process is None
        marker = f'"{key}"'.encode() if loose else b""
        for path in source.files.get(signal, ()):
            label = self._label(path)
            foreign = 0
            for request in json_lines(path, label, problems, marker=marker):
                if not loose and key not in request:
                    foreign += 1
                for entry in items(request, key):
                    process = source.process or self._process_of(entry)
                    if self._wanted is None or process.run == self._wanted:
                        yield entry, process, label
            if foreign:
                lines = plural(foreign, "line holds", "lines hold")
                was = noun(foreign, "was", "were")
                problems.add(f"{label}: {lines} no {key} and {was} skipped")

    def _records(
        self,
        signal: str,
        decode: Callable[[dict[str, Any], Process, Callable[[], None]], Iterator[_Record]],
    ) -> Iterator[_Record]:
        damaged: Counter[str] = Counter()
        for source in self._sources:
            for entry, process, label in self._entries(source, signal, self._problems):
                yield from decode(entry, process, partial(damaged.update, (label,)))
        for label, count in damaged.items():
            found = plural(count, _NOUNS[signal])
            self._problems.add(f"{label}: {found} of a wrong shape left out")


def _unpacked_bytes(path: Path) -> int:
    try:
        size = path.stat().st_size
    except OSError:
        return 0
    return size * _PACKED if path.suffix in COMPRESSIONS else size


def _process_order(process: Process) -> tuple[object, ...]:
    rank = -1 if process.rank is None else process.rank
    return (process.role, rank, process.restart, process.pid or 0, process.folder)
