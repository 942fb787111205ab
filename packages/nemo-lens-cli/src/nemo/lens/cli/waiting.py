# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is being waited for, while it takes: one moving line on a terminal, nothing elsewhere."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from nemo.lens.cli.screen import is_styled

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


@contextmanager
def waiting(stream: TextIO | None, text: str) -> Generator[Callable[[str], object]]:
    """Say on `stream` that something takes time, as long as the block runs.

    Args:
        stream: Where to; standard error, so that standard output holds only the answer.
        text: What is being done.

    Yields:
        What to call with another text, when something else is being done.
    """
    if not is_styled(stream):
        yield str
        return
    from rich.console import Console

    with Console(file=stream).status(text) as status:
        yield status.update
