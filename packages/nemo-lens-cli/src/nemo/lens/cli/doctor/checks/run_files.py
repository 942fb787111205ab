# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whether runs can be recorded to files where they are meant to go."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.doctor.delivery import deliver
from nemo.lens.cli.doctor.findings import Finding, Verdict
from nemo.lens.runs.quantities import byte_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.cli.doctor.situation import Situation

_LITTLE_SPACE_BYTES: Final = 256 * 1024 * 1024


def run_files(situation: Situation) -> Iterator[Finding]:
    """Can a run be recorded? A test run is, and deleted."""
    if not situation.is_meant_to_record or not situation.signals_to("file"):
        return
    directory = Path(situation.config.directory)
    existing = _nearest_existing(directory)
    try:
        with tempfile.TemporaryDirectory(prefix=".nemo-lens-doctor-", dir=existing) as scratch:
            free = shutil.disk_usage(scratch).free
            yield from deliver(situation, "file", directory=scratch)
    except OSError as error:
        yield _unwritable(situation, directory, existing, error)
        return
    if free < _LITTLE_SPACE_BYTES:
        yield Finding(
            "directory",
            Verdict.WARNING,
            f"Only {byte_size(free)} are free where runs are recorded ({directory})",
            "Make space, or record elsewhere. A full disk drops telemetry and never stops the job.",
        )
    yield Finding("directory", Verdict.FINE, f"Runs can be recorded below {directory}")


def _nearest_existing(directory: Path) -> Path:
    for each in (directory.absolute(), *directory.absolute().parents):
        with contextlib.suppress(OSError):  # not even to be looked at: its parent is
            if each.exists():
                return each
    return Path.cwd()


def _unwritable(situation: Situation, directory: Path, existing: Path, error: OSError) -> Finding:
    return Finding(
        "directory",
        Verdict.LOSS,
        f"Runs cannot be recorded below {directory}: {existing}: {error.strerror or error}",
        f"Make {existing} writable, or export {situation.question.prefix}_DIR=<another folder>",
    )
