# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One process of a running job: what it appends, and whether it is still there."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from nemo.lens.runs.layout import MANIFEST
from nemo.lens.runs.otlp_json import items
from nemo.lens.runs.problems import Problems
from nemo.lens.runs.process import from_folder
from nemo.lens.runs.records import decode_points
from nemo.lens.runs.tailing import SegmentTail, overlook
from nemo.lens.runs.tailing_steps import RecentSteps
from nemo.lens.semconv import NEMO_LENS_QUEUE, NEMO_LENS_REASON

if TYPE_CHECKING:
    from typing import Any

RUNNING: Final = "running"
ENDED: Final = "ended"
GONE: Final = "gone"
SILENT: Final = "silent"

LOST_METRIC: Final = "nemo.lens.export.lost"
"""The metric in which nemo-lens-sdk tells what it had to drop; a test compares the two."""

GONE_S: Final = 5.0
"""A process whose id is gone and that appended nothing for so long is gone: in another process
namespace the id says nothing, and then it goes on writing."""
SILENCE_S: Final = 60.0
"""A process that appended nothing for so long counts as silent."""

_BACKLOG_BYTES: Final = 512 * 1024


class ProcessTail:
    """Follows one process folder.

    Args:
        folder: The folder.
        label: The folder relative to the run.

    Attributes:
        process: Its identity and, once it is recorded, its end.
        steps: Its latest steps.
    """

    def __init__(self, folder: Path, label: str) -> None:
        self._folder = folder
        self._label = label
        self._manifest_state: tuple[int, int] | None = None
        self._traces = SegmentTail(folder, "traces", _BACKLOG_BYTES)
        self._metrics = SegmentTail(folder, "metrics", _BACKLOG_BYTES)
        self._counted: dict[tuple[str, str], int] = {}
        self._last_heard = time.monotonic() - _age_s(folder)
        self._last_step = self._last_heard
        self._caught_up = False
        self.process = from_folder(folder, label, Problems())
        self.steps = RecentSteps()

    def read(self) -> None:
        """Take in what was appended."""
        self._read_manifest()
        for line in self._traces.lines():
            self._hear()
            if self.steps.add(items(_parsed(line), "resourceSpans"), self.process):
                self._last_step = self._last_heard
        for line in self._metrics.lines():
            self._hear()
            if LOST_METRIC.encode() in line:
                self._count_lost(items(_parsed(line), "resourceMetrics"))
        self._caught_up = True

    @property
    def quiet_s(self) -> float:
        """Seconds since it last appended anything."""
        return time.monotonic() - self._last_heard

    @property
    def step_quiet_s(self) -> float:
        """Seconds since a step of it was last heard of."""
        return time.monotonic() - self._last_step

    @property
    def state(self) -> str:
        """`RUNNING`, `ENDED`, `GONE` (its process id is, on this host) or `SILENT`."""
        process = self.process
        if process.end is not None:
            return ENDED
        here = process.host == socket.gethostname() and process.pid is not None
        if here and self.quiet_s >= GONE_S and not _is_running(process.pid or 0):
            return GONE
        return SILENT if self.quiet_s >= SILENCE_S else RUNNING

    @property
    def lost(self) -> dict[str, int]:
        """Telemetry counted as lost so far, by reason."""
        if self.process.lost:
            return self.process.lost
        found: dict[str, int] = {}
        for (_queue, reason), count in self._counted.items():
            found[reason] = found.get(reason, 0) + count
        return found

    def _hear(self) -> None:
        # What was there at the first look is as old as its file.
        if self._caught_up:
            self._last_heard = time.monotonic()

    def _read_manifest(self) -> None:
        try:
            status = (self._folder / MANIFEST).stat()
        except OSError:
            return
        state = (status.st_mtime_ns, status.st_ino)
        if state != self._manifest_state:
            self._manifest_state = state
            self.process = from_folder(self._folder, self._label, Problems())

    def _count_lost(self, entries: list[dict[str, Any]]) -> None:
        for entry in entries:
            for point in decode_points(entry, self.process, overlook):
                if point.name == LOST_METRIC:
                    queue, reason = (
                        str(point.attributes.get(key, ""))
                        for key in (NEMO_LENS_QUEUE, NEMO_LENS_REASON)
                    )
                    self._counted[queue, reason] = int(point.value)


def _age_s(folder: Path) -> float:
    """How long ago something in a folder changed last."""
    try:
        newest = max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
    except OSError:
        return 0.0
    return max(0.0, time.time() - newest)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    try:
        # A zombie has ended; only nobody has asked for its exit status yet.
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:1]
    except OSError:
        return True
    return state != [b"Z"]


def _parsed(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return None
