# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How the training is followed: a moving bar on a terminal, a few plain lines elsewhere."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from nemo.lens.cli.demo.messages import Evaluated, Progress
from nemo.lens.cli.screen import is_styled, say_to

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from nemo.lens.cli.demo.messages import Message

_PLAIN_LINES = 10


@contextmanager
def progress(stream: TextIO | None, steps: int) -> Generator[Callable[[Message], None]]:
    """Show the training on ``stream`` while the block runs.

    Args:
        stream: Where to; standard error, so that standard output holds only the answer.
        steps: How many steps the training has.

    Yields:
        What to call with each message of the training.
    """
    if not is_styled(stream):
        yield _PlainLines(stream, steps)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=Console(file=stream)) as bar:
        task = bar.add_task("starting the ranks", total=steps)

        def show(message: Message) -> None:
            if isinstance(message, Progress):
                bar.update(task, completed=message.step, description=f"loss {message.loss:.4f}")

        yield show


class _PlainLines:
    """About ten lines for a whole training, whatever its length."""

    def __init__(self, stream: TextIO | None, steps: int) -> None:
        self._stream = stream
        self._steps = steps
        self._every = max(1, steps // _PLAIN_LINES)

    def __call__(self, message: Message) -> None:
        if isinstance(message, Progress):
            if message.step % self._every == 0 or message.step == self._steps:
                self._say(f"step {message.step} of {self._steps}, loss {message.loss:.4f}")
        elif isinstance(message, Evaluated):
            self._say(
                f"after step {message.step}: {message.correct} of {message.total} held-out "
                "examples predicted correctly"
            )

    def _say(self, line: str) -> None:
        say_to(self._stream, line)
