# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Synthetic runs on disk: as run files, or as a collector would write them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from synthetic_runs.otlp_lines import lines
from synthetic_runs.simulation import play, simulate
from synthetic_runs.truth import Truth, truth_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from synthetic_runs.scenario import Scenario
    from synthetic_runs.simulation import Rank, SpanRow

TORN = b'{"resourceSpans":[{"resource":{"attributes":[{"key":"to'


class Made(NamedTuple):
    """A run folder, and beside it the answer to everything that can be asked of it."""

    path: Path
    truth: Truth


def make_run(
    directory: Path,
    *attempts: Scenario,
    compress: bool = False,
    torn: frozenset[int] = frozenset(),
    lines_per_file: int = 0,
) -> Made:
    """Write a run of one or several attempts and tell the answer.

    Args:
        directory: Where runs are kept.
        *attempts: The first attempt and its restarts; their `run` may differ.
        compress: Whether the files are gzipped, but for the last one of a process without an end.
        torn: Ranks whose last line is torn although they were not killed.
        lines_per_file: How many lines a file holds before the next one begins, 0 for all.

    Returns:
        The folder of the last attempt, and the truth about all of them.
    """
    played = [play(scenario) for scenario in attempts]
    for scenario, ranks in zip(attempts, played, strict=True):
        for rank in ranks:
            folder = process_folder(directory, scenario, rank.number)
            folder.mkdir(parents=True)
            found = manifest(scenario, rank.number, rank.spans) | _ending(rank)
            (folder / "manifest.json").write_bytes(orjson.dumps(found))
            written = lines(scenario, rank.number, rank.spans)
            tail = TORN if rank.number in torn or rank.end is None else b""
            _write_segments(folder, written, tail, lines_per_file, compress=compress)
    return Made(directory / attempts[-1].run, truth_of(attempts, played))


def write_run(directory: Path, scenario: Scenario) -> Path:
    """Write a scenario as run files.

    Returns:
        The run folder. A killed rank has a torn last line and no end in its manifest.
    """
    return make_run(directory, scenario).path


def manifest(scenario: Scenario, rank: int, spans: list[SpanRow]) -> dict[str, Any]:
    """The manifest of a rank, with its end unless it was killed."""
    killed = rank in scenario.killed
    start = scenario.clock(rank, scenario.begins_s)
    return {
        "schema": 1,
        "run": scenario.run,
        "role": "trainer",
        "rank": rank,
        "world_size": scenario.ranks,
        "local_rank": rank % scenario.ranks_per_host,
        "host": scenario.host_name(rank),
        "pid": scenario.pid(rank),
        "restart": scenario.restart,
        "started_unix_nano": start,
        "ended_unix_nano": None if killed else max((span.end for span in spans), default=start),
        "end": None if killed else "shutdown",
        "command": ["train.py", "--steps", str(scenario.steps)],
        "versions": {"nemo-lens-api": "0.3.0"},
        "config": {},
        "resource": {"service.name": "trainer", **_job(scenario)},
        "lost": {},
    }


def process_folder(directory: Path, scenario: Scenario, rank: int) -> Path:
    """Where a rank keeps its files."""
    name = f"trainer-{rank}-{scenario.host_name(rank)}-{scenario.pid(rank)}"
    return directory / scenario.run / str(rank // 256) / name


def write_collector_file(path: Path, scenario: Scenario) -> Path:
    """Write a scenario as the one file of a collector, the ranks interleaved.

    Returns:
        The file, compressed when its name ends in `.gz`.
    """
    written = [lines(scenario, rank, spans) for rank, spans in enumerate(simulate(scenario))]
    longest = max(map(len, written))
    mixed = [rank[place] for place in range(longest) for rank in written if place < len(rank)]
    data = b"".join(mixed)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def _job(scenario: Scenario) -> dict[str, Any]:
    return {"nv.dl.job.uuid": scenario.job_uuid} if scenario.job_uuid else {}


def _ending(rank: Rank) -> dict[str, Any]:
    return {"end": rank.end, "ended_unix_nano": rank.ended}


def _write_segments(
    folder: Path, written: Sequence[bytes], tail: bytes, lines_per_file: int, *, compress: bool
) -> None:
    size = lines_per_file or max(len(written), 1)
    parts = [written[place : place + size] for place in range(0, len(written), size)] or [()]
    for number, part in enumerate(parts):
        file = folder / f"traces-{number:05d}.jsonl"
        last = number == len(parts) - 1
        data = b"".join(part) + (tail if last else b"")
        if compress and not (last and tail):
            file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(data, 1))
        else:
            file.write_bytes(data)
