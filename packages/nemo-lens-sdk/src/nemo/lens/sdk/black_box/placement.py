# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where a black box lies: on the node, outside the run, where a store into memory never waits.

A mapped file on a disk or a shared filesystem can stop the thread that stores into it while the
kernel writes the page back. Memory-backed folders do not have that, so they are preferred.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
import tempfile
from pathlib import Path

MOST_LEFT_BEHIND = 64
"""Boxes of dead processes that stay on a node; the oldest beyond that go when one is made."""

_BOX_NAME = re.compile(r"[0-9]+-[0-9a-f]{16}\.box")
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder in it is checked to be ours


def node_folders(chosen: str) -> list[Path]:
    """The folders to try, in order.

    Args:
        chosen: The folder that the configuration names, or "" for the node's own ones. Where others
            may write to it, the box gets a folder of its own in it.
    """
    name = f"nemo-lens-{os.getuid()}"
    if chosen:
        folder = Path(chosen).expanduser().absolute()
        return [folder if _is_private(folder) else folder / name]
    return [parent / name for parent in (_SHARED_MEMORY, Path(tempfile.gettempdir()))]


def make_private(folder: Path) -> None:
    """Create a folder for this user alone.

    Raises:
        OSError: It cannot be made, or somebody else may write to it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_private(folder):
        raise PermissionError(f"{folder} is not a folder that only this user can write to")


def _is_private(folder: Path) -> bool:
    """Whether a folder is this user's alone, or is not there yet."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return True
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def box_name(pid: int, token: str) -> str:
    """The name of the box of a process in a node's folder."""
    return f"{pid}-{token}.box"


def remove_oldest(folder: Path) -> None:
    """Delete what dead processes have left in a node's folder, but for the newest."""
    with contextlib.suppress(OSError):
        left = sorted(filter(_is_box, folder.iterdir()), key=_age)
        for path in left[: max(0, len(left) - MOST_LEFT_BEHIND)]:
            if not _is_in_use(path):
                path.unlink(missing_ok=True)


def _is_box(path: Path) -> bool:
    """Whether a file is called like a box; a folder that was chosen may hold others."""
    return _BOX_NAME.fullmatch(path.name) is not None


def hold(descriptor: int) -> None:
    """Mark an open box as in use, for as long as the process lives and has it mapped."""
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_in_use(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _age(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
