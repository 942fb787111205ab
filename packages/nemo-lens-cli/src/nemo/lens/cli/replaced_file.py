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

    Raises:
        ProblemError: It cannot be written.
    """
    unfinished = Path(f"{target}.part")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(target)
    except OSError as error:
        raise ProblemError(f"cannot write {target!r}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink()
