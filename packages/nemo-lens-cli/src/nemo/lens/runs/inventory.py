# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which runs a folder holds: from names, sizes and manifests alone, no recorded line is read."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.runs.locate import RunLocation, find_runs
from nemo.lens.runs.problems import Problems
from nemo.lens.runs.process import from_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from nemo.lens.runs.process import Process

ENDED: Final = "ended"
NO_END: Final = "no end"
UNKNOWN: Final = "unknown"


@dataclass(frozen=True)
class RunEntry:
    """One run of a folder.

    Attributes:
        id: The run id; the name of the folder or file where no manifest says it.
        path: Where it lies.
        state: `ended` when every process left an orderly end; `no end` when one did not, because
            it runs still or was killed; `unknown` for files of a collector.
        started_unix_nano: Start of the first process, None when no manifest says it.
        written_unix_nano: When something was last written, None when nothing was.
        processes: Processes that left a folder.
        ended: Those that left an orderly end.
        ranks: Different ranks among them.
        world_size: Ranks that the job has, None when no manifest says it.
        bytes: Size of all files.
    """

    id: str
    path: str
    state: str
    started_unix_nano: int | None
    written_unix_nano: int | None
    processes: int
    ended: int
    ranks: int
    world_size: int | None
    bytes: int


@dataclass(frozen=True)
class Inventory:
    """The runs of a folder, the newest first, and what could not be read of them."""

    path: str
    runs: tuple[RunEntry, ...]
    problems: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """What there is, in one sentence."""
        count = len(self.runs)
        without_end = sum(run.state == NO_END for run in self.runs)
        return (
            f"{self.path} holds {count:,} {'run' if count == 1 else 'runs'}"
            + (f", {without_end:,} without an orderly end" if without_end else "")
            + "."
        )

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON shows it."""
        return {
            "schema": 1,
            "run": None,
            "verdict": self.verdict,
            "path": self.path,
            "runs": [asdict(run) for run in self.runs],
            "problems": list(self.problems),
        }


def take_inventory(path: str | Path) -> Inventory:
    """List the runs at a path.

    One manifest per process is read, and the sizes of files are asked for; ten thousand processes
    take seconds.

    Args:
        path: A folder of runs, or one run.

    Raises:
        RunError: The path does not exist or cannot be listed.
    """
    problems = Problems()
    runs = [_entry(location, problems) for location in find_runs(path)]
    runs.sort(key=lambda run: run.started_unix_nano or run.written_unix_nano or 0, reverse=True)
    return Inventory(str(path), tuple(runs), problems.lines())


def _entry(location: RunLocation, problems: Problems) -> RunEntry:
    processes = [
        from_folder(folder, _label(folder, location.path), problems) for folder in location.folders
    ]
    size, written = _size_and_age([*location.folders, *location.files])
    starts = [p.started_unix_nano for p in processes if p.started_unix_nano is not None]
    ended = sum(process.end is not None for process in processes)
    return RunEntry(
        id=next((process.run for process in processes if process.run), location.name),
        path=str(location.path),
        state=_state(processes, ended),
        started_unix_nano=min(starts, default=None),
        written_unix_nano=written,
        processes=len(processes),
        ended=ended,
        ranks=len({process.rank for process in processes if process.rank is not None}),
        world_size=max((process.world_size or 0 for process in processes), default=0) or None,
        bytes=size,
    )


def _label(folder: Path, run: Path) -> str:
    return str(folder.relative_to(run.parent)) if folder != run else folder.name


def _state(processes: Sequence[Process], ended: int) -> str:
    if not processes:
        return UNKNOWN
    return ENDED if ended == len(processes) else NO_END


def _size_and_age(paths: Sequence[Path]) -> tuple[int, int | None]:
    found = [status for path in paths for status in _files_of(path)]
    newest = max((status.st_mtime_ns for status in found), default=None)
    return sum(status.st_size for status in found), newest


def _files_of(path: Path) -> Iterator[os.stat_result]:
    """The status of a file, or of each file in a folder; one that vanishes meanwhile is left out."""
    try:
        if not path.is_dir():
            yield path.stat()
            return
        with os.scandir(path) as entries:
            yield from (each.stat() for each in entries if each.is_file(follow_symlinks=False))
    except OSError:
        return
