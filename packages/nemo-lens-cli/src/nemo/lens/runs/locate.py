# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where runs lie: run folders, folders of runs, and files of a collector."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from nemo.lens.runs.layout import MANIFEST, PROCESS_FOLDER
from nemo.lens.runs.lines import raw_lines, uncompressed_name
from nemo.lens.runs.problems import Problems, RunError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SIGNALS: Final = ("traces", "metrics", "logs")
_SEGMENT: Final = re.compile(r"(traces|metrics|logs)-(\d+)\.jsonl")
_FORMS: Final = (".gz", ".jsonl", ".zst")
_SHARD: Final = re.compile(r"\d+|x")
_LOOSE_SUFFIXES: Final = (".jsonl", ".json")
_OTLP_MARKERS: Final = (b'"resourceSpans"', b'"resourceMetrics"', b'"resourceLogs"')
_PEEK_BYTES: Final = 65_536
_LISTED: Final = 10
ACCEPTED: Final = (
    "expected a run folder, a folder that holds exactly one run, or OTLP-JSON lines of a collector"
)


@dataclass(frozen=True)
class RunLocation:
    """A run that was found.

    Attributes:
        path: The run folder, or the file or folder of a collector.
        name: Name of the folder or file: the run id for run folders.
        folders: Process folders, sorted.
        files: OTLP-JSON files of a collector, sorted; empty for run folders.
    """

    path: Path
    name: str
    folders: tuple[Path, ...]
    files: tuple[Path, ...]


class SeveralRunsError(RunError):
    """The path holds more than one run.

    Attributes:
        newest_first: All of them.
    """

    def __init__(self, message: str, newest_first: tuple[RunLocation, ...]) -> None:
        super().__init__(message)
        self.newest_first = newest_first


def find_runs(path: str | Path) -> list[RunLocation]:
    """The runs at a path or directly below it, sorted by name.

    Args:
        path: A run folder, a folder of run folders, a process folder, or a file or folder of
            OTLP-JSON lines as a collector's file exporter writes them.

    Raises:
        RunError: The path does not exist or cannot be listed.
    """
    root = Path(path)
    try:
        if not root.exists():
            raise RunError(f"no run at {str(path)!r}: no such file or folder; {ACCEPTED}")
        if root.is_file():
            return _loose(root, [root])
        if not root.is_dir():
            raise RunError(f"no run at {str(path)!r}: neither a file nor a folder; {ACCEPTED}")
        children = sorted(root.iterdir())
        own = _run_at(root, children)
        if own is not None:
            return [own]
        below = [_run_below(child) for child in children if child.is_dir()]
        runs = [run for run in below if run is not None]
        return runs or _loose(root, children)
    except OSError as error:
        raise RunError(f"cannot read {str(path)!r}: {error.strerror}; {ACCEPTED}") from error


def locate(path: str | Path) -> RunLocation:
    """The one run at a path.

    Raises:
        RunError: There is none, or more than one; the message lists them.
    """
    runs = find_runs(path)
    if not runs:
        raise RunError(f"no run at {str(path)!r}: {_why_none(Path(path))}; {ACCEPTED}")
    if len(runs) > 1:
        runs.sort(key=_started, reverse=True)
        names = ", ".join(run.name for run in runs[:_LISTED])
        more = f" and {len(runs) - _LISTED} more" if len(runs) > _LISTED else ""
        raise SeveralRunsError(
            f"{str(path)!r} holds {len(runs)} runs, the newest first: {names}{more}; name one of "
            f"them, for example {str(runs[0].path)!r}",
            tuple(runs),
        )
    return runs[0]


def _why_none(path: Path) -> str:
    if path.is_dir():
        return "no recorded telemetry there"
    return "the file is empty" if path.stat().st_size == 0 else "the file holds no OTLP-JSON"


def _started(run: RunLocation) -> tuple[int, str]:
    """When a run began, for sorting: by its first manifest, else by the age of its folder."""
    try:
        manifest = orjson.loads((run.folders[0] / MANIFEST).read_bytes())
        return int(manifest["started_unix_nano"]), run.name
    except (IndexError, OSError, ValueError, KeyError, TypeError):
        return run.path.stat().st_mtime_ns, run.name


def segments(folder: Path) -> dict[str, tuple[Path, ...]]:
    """The files of a process folder by signal, in the order in which they were written.

    Of a segment that is there twice the `.gz` counts, before the plain one: the writer packs into
    a `.gz.part`, renames that once it is whole, and only then deletes the plain file, so a reader
    that meets both came in between. A `.gz.part` is never read.
    """
    best: dict[str, Path] = {}
    for path in folder.iterdir():
        name = uncompressed_name(path)
        if _SEGMENT.fullmatch(name) and (
            name not in best or _preference(path) < _preference(best[name])
        ):
            best[name] = path
    ordered = sorted(best)
    return {
        signal: tuple(best[name] for name in ordered if name.startswith(f"{signal}-"))
        for signal in SIGNALS
    }


def missing_segments(files: Mapping[str, tuple[Path, ...]]) -> int:
    """How many segments of a process folder are gone: the writer leaves out no number."""
    missing = 0
    for paths in files.values():
        numbers = [_SEGMENT.fullmatch(uncompressed_name(path)) for path in paths]
        missing += max((int(number[2]) + 1 for number in numbers if number), default=0) - len(paths)
    return max(0, missing)


def _preference(path: Path) -> int:
    """Say how early a form of a segment is taken; what others compressed may be half done."""
    return _FORMS.index(path.suffix)


def _run_below(folder: Path) -> RunLocation | None:
    try:
        return _run_at(folder, sorted(folder.iterdir()))
    except OSError:
        return None


def _run_at(root: Path, children: list[Path]) -> RunLocation | None:
    if _is_process_folder(children):
        return RunLocation(root, root.name or root.resolve().name, (root,), ())
    folders: list[Path] = []
    for child in children:
        if child.is_dir() and _SHARD.fullmatch(child.name):
            folders += [path for path in sorted(child.iterdir()) if _looks_like_process(path)]
        elif _looks_like_process(child) and _is_process_folder(child.iterdir()):
            folders.append(child)
    if not folders:
        return None
    return RunLocation(root, root.name or root.resolve().name, tuple(folders), ())


def _looks_like_process(path: Path) -> bool:
    return path.is_dir() and PROCESS_FOLDER.fullmatch(path.name) is not None


def _is_process_folder(children: Iterable[Path]) -> bool:
    names = (uncompressed_name(child) for child in children)
    return any(name == MANIFEST or _SEGMENT.fullmatch(name) for name in names)


def _loose(root: Path, candidates: list[Path]) -> list[RunLocation]:
    files = tuple(path for path in candidates if path.is_file() and _holds_otlp(path))
    return [RunLocation(root, root.name or root.resolve().name, (), files)] if files else []


def _holds_otlp(path: Path) -> bool:
    if not uncompressed_name(path).endswith(_LOOSE_SUFFIXES):
        return False
    head = _first_bytes(path)
    return any(marker in head for marker in _OTLP_MARKERS)


def _first_bytes(path: Path) -> bytes:
    return next(raw_lines(path, path.name, Problems(), limit=_PEEK_BYTES), b"")
