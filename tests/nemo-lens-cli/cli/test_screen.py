# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where answers are printed."""

from __future__ import annotations

import io
import json

import pytest

from nemo.lens.cli.screen import Screen


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        """Say yes."""
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


def show(stream):
    screen = Screen(stream)
    page = screen.page()
    page.paragraph("slow", "bold yellow")
    page.blank()
    screen.show(page)
    return stream.getvalue()


def test_a_terminal_gets_colours():
    """Styles become escape codes where somebody can see them."""
    assert "\x1b[" in show(Terminal())


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_can_be_declined(monkeypatch, name, value):
    """NO_COLOR and a dumb terminal mean plain text."""
    monkeypatch.setenv(name, value)

    assert "\x1b" not in show(Terminal())


def test_a_pipe_gets_plain_text():
    """Nothing but the words when standard output is no terminal."""
    assert show(io.StringIO()) == "slow\n\n"


@pytest.mark.parametrize(("columns", "width"), [("20", 40), ("80", 80), ("500", 100)])
def test_the_page_is_as_wide_as_the_terminal_within_reason(monkeypatch, columns, width):
    """Very wide lines are hard to read, very narrow ones cannot hold a table."""
    monkeypatch.setenv("COLUMNS", columns)

    assert Screen(io.StringIO()).page().width == width


def test_ascii_streams_get_ascii_bars():
    """A bar never makes the output fail to encode."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")

    assert Screen(stream).page().bar(1, 3) == "###"


def test_json_is_one_line():
    """A script can read the answer line by line."""
    stream = io.StringIO()

    Screen(stream).json({"schema": 1, "verdict": "ä"})

    assert stream.getvalue().count("\n") == 1
    assert json.loads(stream.getvalue()) == {"schema": 1, "verdict": "ä"}
