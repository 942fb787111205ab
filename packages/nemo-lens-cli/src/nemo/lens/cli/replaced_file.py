# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A file that appears under its name only when it is whole."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from nemo.lens.cli.exits import ProblemError

if TYPE_CHECKING:
    from collections.abc import Generator


@contextlib.contextmanager
def replaced_file(target: str) -> Generator[BinaryIO]:
    """A file to write, put in the place of ``target`` at the end; nothing of it stays otherwise.

    A pipe or a device is written itself.

    Raises:
        ProblemError: It cannot be written.
    """
    path = Path(target)
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as file:
                yield file
        else:
            with _whole(path) as file:
                yield file
    except OSError as error:
        raise ProblemError(f"cannot write {target!r}: {error.strerror or error}") from error


@contextlib.contextmanager
def _whole(path: Path) -> Generator[BinaryIO]:
    unfinished = Path(f"{path}.part")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink()
