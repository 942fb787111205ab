# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where answers are printed: styled on a terminal, plain text everywhere else."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, TextIO

from nemo.lens.cli.page import Page

if TYPE_CHECKING:
    from collections.abc import Mapping

_NARROWEST = 40
_WIDEST = 100


class Screen:
    """Standard output as the commands see it.

    Args:
        stream: Where to print. Styles are used only when it is a terminal, ``NO_COLOR`` is unset
            or empty, and ``TERM`` is not ``dumb``.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.styled = is_styled(stream)
        self.width = max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns))

    def page(self) -> Page:
        """An empty page that fits this screen."""
        return Page(self.width, blocks=_can_print(self._stream, "█·—"))

    def write(self, text: str) -> None:
        """Print one line of plain text."""
        self._stream.write(f"{text}\n")

    def json(self, answer: Mapping[str, Any]) -> None:
        """Print an answer as one line of JSON."""
        import orjson

        self.write(orjson.dumps(answer).decode())

    def show(self, page: Page) -> None:
        """Print a page."""
        if not self.styled:
            self.write(page.plain_text())
            return
        from rich.console import Console
        from rich.text import Text

        console = Console(file=self._stream, highlight=False, width=self.width)
        for line in page.lines:
            console.print(Text.assemble(*line), soft_wrap=True)


def say(line: str) -> None:
    """Print what accompanies the work on standard error; standard output holds the answer."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def is_styled(stream: TextIO) -> bool:
    """Whether colours and moving progress may be printed to ``stream``."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _can_print(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
