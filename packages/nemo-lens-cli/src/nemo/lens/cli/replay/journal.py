# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What was delivered already, kept beside the run: one line per request, synced to the disk.

A line is written after the receiver confirmed a request and before the next one is sent. Of a line
that was torn by a crash nothing is known, so its request is sent again.
"""

from __future__ import annotations

import fcntl
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import orjson

from nemo.lens.cli.exits import ProblemError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

SCHEMA: Final = 1
_LOCK_PAUSE_S: Final = 0.05


class Position(NamedTuple):
    """How far one signal of a file was delivered.

    Attributes:
        lines: Complete lines of the file that are done.
        items: Items of the next line that are done too, when it had to be sent in parts.
    """

    lines: int = 0
    items: int = 0


class Receipt(NamedTuple):
    """What became of one request, or of a part of it.

    Attributes:
        file: The file, relative to the run and without a compression suffix.
        position: How far the lines of that signal are done.
        signal: "traces", "metrics" or "logs"; "" for a line of which that cannot be told.
        delivered: Items that the receiver took.
        rejected: Items that it did not keep although it took the request.
        refused: Items of requests that it would not take.
    """

    file: str
    position: Position
    signal: str
    delivered: int
    rejected: int = 0
    refused: int = 0


@dataclass
class Progress:
    """Everything that a journal tells.

    Attributes:
        done: How far each signal of each file was delivered.
        delivered: Items by signal.
        rejected: Items that were not kept.
        refused: Items of requests that were not taken.
    """

    done: dict[tuple[str, str], Position] = field(default_factory=dict[tuple[str, str], Position])
    delivered: dict[str, int] = field(default_factory=dict[str, int])
    rejected: int = 0
    refused: int = 0

    def add(self, receipt: Receipt) -> None:
        """Take one more receipt into account."""
        self.done[receipt.file, receipt.signal] = receipt.position
        if receipt.signal:
            before = self.delivered.get(receipt.signal, 0)
            self.delivered[receipt.signal] = before + receipt.delivered
        self.rejected += receipt.rejected
        self.refused += receipt.refused


class Journal:
    """The journal of one run and one endpoint, locked while it is open.

    Args:
        path: The file; made when it is not there.
        about: What is replayed, and where to: a journal serves one replay only.
        patience_s: How long to wait for another process that still has it.

    Raises:
        ProblemError: It cannot be written, belongs to something else, or another process has it.
    """

    def __init__(self, path: Path, about: dict[str, Any], patience_s: float) -> None:
        self.path = path
        self._head = {"schema": SCHEMA, **about}
        try:
            self._file: BinaryIO = path.open("a+b")
            try:
                self._lock(patience_s)
                self.progress = self._read()
            except BaseException:
                self._file.close()
                raise
        except OSError as error:
            raise ProblemError(
                f"cannot keep the journal {str(path)!r}: {error.strerror or error}; name another "
                "place with --journal FILE"
            ) from error

    def write(self, receipt: Receipt) -> None:
        """Note a receipt, and return when it is on the disk.

        Raises:
            OSError: It could not be written.
        """
        self._append({**receipt._asdict(), "position": list(receipt.position)})
        self.progress.add(receipt)

    def close(self) -> None:
        """Give the journal back."""
        self._file.close()

    def _append(self, entry: dict[str, Any]) -> None:
        self._file.write(orjson.dumps(entry) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _lock(self, patience_s: float) -> None:
        deadline = time.monotonic() + patience_s
        while not self._try_to_lock():
            if time.monotonic() > deadline:
                raise ProblemError(f"another replay is under way: {str(self.path)!r} is in use")
            time.sleep(_LOCK_PAUSE_S)

    def _try_to_lock(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _read(self) -> Progress:
        self._file.seek(0)
        content = self._file.read()
        lines = content.split(b"\n")
        if lines[-1]:
            self._file.write(b"\n")  # a torn end must not swallow what comes next
        entries = [entry for entry in map(_entry, lines) if entry]
        if not entries:
            self._append(self._head)
            return Progress()
        self._check(entries[0])
        progress = Progress()
        for entry in entries[1:]:
            receipt = _receipt(entry)
            if receipt is not None:
                progress.add(receipt)
        return progress

    def _check(self, head: dict[str, Any]) -> None:
        if head != self._head:
            there = ", ".join(f"{key} {value!r}" for key, value in head.items())
            raise ProblemError(
                f"the journal {str(self.path)!r} is of another replay ({there}); name another one "
                "with --journal FILE"
            )


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = orjson.loads(line)
    except ValueError:
        return None
    return cast("dict[str, Any]", entry) if isinstance(entry, dict) else None


def _receipt(entry: dict[str, Any]) -> Receipt | None:
    try:
        fields: dict[str, Any] = {**entry, "position": Position(*entry["position"])}
        return Receipt(**fields)
    except (TypeError, KeyError):
        return None
