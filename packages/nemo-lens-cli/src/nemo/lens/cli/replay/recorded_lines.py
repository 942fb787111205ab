# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The lines of a run that are still to be delivered, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nemo.lens.cli.replay.journal import Position
from nemo.lens.cli.replay.requests import signal_of
from nemo.lens.runs.lines import raw_lines, uncompressed_name
from nemo.lens.runs.locate import segments

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from nemo.lens.runs.locate import RunLocation
    from nemo.lens.runs.problems import Problems


class RecordedFile(NamedTuple):
    """One file of a run.

    Attributes:
        path: Where it is now; it may get compressed later.
        name: What it is called in a journal, whether compressed or not.
    """

    path: Path
    name: str


class Line(NamedTuple):
    """One line to deliver.

    Attributes:
        file: Name of its file.
        signal: What it carries, "" when that cannot be told.
        number: How many complete lines of the file it and those before it make up.
        skip: Items of it that were delivered before.
        body: The line.
    """

    file: str
    signal: str
    number: int
    skip: int
    body: bytes


def recorded_files(location: RunLocation, signals: Collection[str]) -> list[RecordedFile]:
    """The files of a run: process by process, or those of a collector.

    Args:
        location: The run.
        signals: Which signals to take.

    Raises:
        OSError: A process folder cannot be listed.
    """
    if location.files:
        return [RecordedFile(path, uncompressed_name(path)) for path in location.files]
    return [
        RecordedFile(
            path, f"{folder.relative_to(location.path).as_posix()}/{uncompressed_name(path)}"
        )
        for folder in location.folders
        for signal, paths in segments(folder).items()
        if signal in signals
        for path in paths
    ]


def lines_to_deliver(
    file: RecordedFile,
    signals: Collection[str],
    done: Mapping[tuple[str, str], Position],
    problems: Problems,
) -> Iterator[Line]:
    """The lines of a file that were not delivered yet.

    Args:
        file: The file.
        signals: Lines that carry another signal are passed over.
        done: How far each signal of each file was delivered.
        problems: Gets a line about what cannot be read, and about a last line without an end, which
            is left for the next time: it is torn, or still being written.
    """
    for number, body in enumerate(raw_lines(file.path, file.name, problems), start=1):
        signal = signal_of(body)
        lines, items = done.get((file.name, signal), Position())
        if number <= lines:
            continue
        if not body.endswith(b"\n"):
            problems.add(f"{file.name}: the last line is torn or still being written; not sent")
            return
        if not body.isspace() and (not signal or signal in signals):
            yield Line(file.name, signal, number, items if number == lines + 1 else 0, body)
