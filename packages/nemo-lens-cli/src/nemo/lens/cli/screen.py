# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where answers are printed: styled on a terminal, plain text everywhere else."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from nemo.lens.cli.exits import ProblemError
from nemo.lens.cli.page import Page

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

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
        with printing():
            self._stream.write(f"{text}\n")

    def json(self, answer: Mapping[str, Any]) -> None:
        """Print an answer as one line of JSON, of ASCII where the stream cannot print more."""
        import orjson

        try:
            text = orjson.dumps(answer).decode()
        except TypeError:  # a path that is no valid UTF-8
            text = json.dumps(answer)
        self.write(text if _can_print(self._stream, text) else json.dumps(answer))

    def show(self, page: Page) -> None:
        """Print a page."""
        if not self.styled:
            self.write(page.plain_text())
            return
        from rich.console import Console
        from rich.text import Text

        console = Console(file=self._stream, highlight=False, width=self.width)
        with printing():
            for line in page.lines:
                console.print(Text.assemble(*line), soft_wrap=True)


@contextmanager
def printing() -> Generator[None]:
    """Printing to standard output, whose refusal is a problem like any other.

    Raises:
        ProblemError: What was printed cannot be written, e.g. the disk is full.
        BrokenPipeError: Nobody reads it any more.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output(sys.stdout)
        raise ProblemError(f"cannot print the answer: {error.strerror or error}") from error


def discard_output(stream: TextIO) -> None:
    """Let what is still to be written go nowhere: the interpreter flushes once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_anything() -> None:
    """Make the standard streams escape what their encoding lacks, instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(line: str) -> None:
    """Print what accompanies the work on standard error; standard output holds the answer."""
    say_to(sys.stderr, line)


def say_to(stream: TextIO | None, line: str) -> None:
    """Print a line that nobody depends on: where it cannot be written, the work goes on."""
    if stream is None:  # closed by the shell: 2>&-
        return
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError:
        discard_output(stream)


def is_styled(stream: TextIO | None) -> bool:
    """Whether colours and moving progress may be printed to ``stream``."""
    if stream is None or not stream.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _can_print(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
