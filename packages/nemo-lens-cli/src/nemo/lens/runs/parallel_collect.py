# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reads a large run with one process per core; a small one is read faster without.

Each reading process gets whole process folders and hands back one record per folder as soon as it
is done, so memory stays what the records take, plus one folder per reading process. What a reading
process does not hand back (it was killed, it cannot be started here) is read by the caller.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from nemo.lens.runs.step_records import ProcessRecord

    Parts = list[list[str]]

# Below this, starting other processes takes longer than it saves; a second and more on one core.
_WORTHWHILE_BYTES: Final = 64 * 1024 * 1024
_MOST_READERS: Final = 8
_COMMAND: Final = (sys.executable, "-m", "nemo.lens.runs.collect_worker")


def cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):  # not on Linux
        return os.cpu_count() or 1


def shares(sizes: dict[str, int], readers: int) -> Parts:
    """Divide folders among reading processes, by size; one share where that is not worth it.

    Args:
        sizes: Bytes to parse, by folder.
        readers: How many processes there may be.
    """
    readers = min(readers, _MOST_READERS, len(sizes))
    if readers < 2 or sum(sizes.values()) < _WORTHWHILE_BYTES:  # noqa: PLR2004 - one reads alone
        return [list(sizes)]
    found: Parts = [[] for _reader in range(readers)]
    filled = [0] * readers
    for folder in sorted(sizes, key=sizes.__getitem__, reverse=True):
        least = filled.index(min(filled))
        found[least].append(folder)
        filled[least] += sizes[folder]
    return found


def read_shares(path: Path, parts: Parts) -> tuple[dict[str, ProcessRecord], tuple[str, ...]]:
    """Read shares of a run in processes of their own.

    Returns:
        What they handed back, by folder, and what they could not read. Folders may be missing.
    """
    with ThreadPoolExecutor(len(parts)) as threads:
        answers = list(threads.map(partial(_read_share, path), parts))
    records = {folder: record for found, _problems in answers for folder, record in found.items()}
    return records, tuple(line for _found, problems in answers for line in problems)


def _read_share(
    path: Path, folders: Sequence[str]
) -> tuple[dict[str, ProcessRecord], tuple[str, ...]]:
    records: dict[str, ProcessRecord] = {}
    problems: tuple[str, ...] = ()
    try:
        reader = subprocess.Popen(  # noqa: S603 - this interpreter, our own module
            [*_COMMAND, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return records, problems
    with reader:
        try:
            assert reader.stdin is not None
            assert reader.stdout is not None
            pickle.dump(list(folders), reader.stdin)
            reader.stdin.close()
            while (answer := pickle.load(reader.stdout)) is not None:  # noqa: S301 - our own child
                folder, record = answer
                records[folder] = record
            problems = pickle.load(reader.stdout)  # noqa: S301
        except (OSError, EOFError, pickle.UnpicklingError):
            pass  # what it did not hand back is read by the caller
        finally:
            reader.kill()
    return records, problems
