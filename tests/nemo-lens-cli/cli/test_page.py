# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The layout of pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.cli.page import Cell, Column, Page

WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=40)


@given(WORDS, st.integers(40, 100))
def test_paragraphs_fit_and_keep_every_word(words, width):
    """Lines stay within the width, no word is cut, none is lost."""
    page = Page(width, blocks=True)

    page.paragraph(" ".join(words), first="- ")

    text = page.plain_text()
    assert all(len(line) <= width for line in text.splitlines())
    assert text.removeprefix("- ").split() == words


@given(st.lists(st.tuples(WORDS, st.integers(0, 10**6)), min_size=1, max_size=5))
def test_wide_tables_are_folded_to_the_width(rows):
    """Text columns give way until the table fits, and whole words remain."""
    page = Page(60, blocks=True)

    page.table(
        [Column("what"), Column("count", "right")],
        [[Cell(" ".join(words)), Cell(str(count))] for words, count in rows],
    )

    text = page.plain_text()
    assert all(len(line) <= 60 for line in text.splitlines())
    assert all(word in text.split() for words, _ in rows for word in words)


def test_a_narrow_screen_loses_optional_columns_from_the_right():
    """Only as many as are needed, and none of the others."""
    columns = [
        Column("metric"),
        Column("first", "right", optional=True),
        Column("last", "right"),
        Column("highest", "right", optional=True),
    ]
    rows = [[Cell("loss"), Cell("1.25"), Cell("0.5"), Cell("1.75")]]
    titles = {}
    for width in (60, 25, 15):
        page = Page(width, blocks=True)
        page.table(columns, rows)
        assert all(len(line) <= width for line in page.plain_text().splitlines())
        titles[width] = page.plain_text().splitlines()[0].split()

    assert titles == {
        60: ["metric", "first", "last", "highest"],
        25: ["metric", "first", "last"],
        15: ["metric", "last"],
    }


def test_lines_have_no_trailing_blanks():
    """Not on a terminal either, where styles end with the text."""
    page = Page(60, blocks=True)

    page.table([Column("a"), Column("b")], [[Cell("long", "red"), Cell("")], [Cell(""), Cell("")]])

    lines = ["".join(text for text, _ in line) for line in page.lines]
    assert lines == [line.rstrip() for line in lines]
    assert page.lines[1] == [("long", "red")]


def test_columns_are_aligned():
    """Numbers end in one column, texts begin in one."""
    page = Page(80, blocks=True)

    page.table(
        [Column("rank", "right"), Column("host")],
        [[Cell("7"), Cell("a")], [Cell("1024"), Cell("b")]],
    )

    assert page.plain_text() == "rank  host\n   7  a\n1024  b"


def test_a_word_longer_than_the_page_stands_out_whole():
    """A path can be copied from the output even when it is longer than a line."""
    page = Page(40, blocks=True)

    page.pairs([("run", "/a" * 40)])

    assert page.plain_text() == "run  " + "/a" * 40


def test_bars_show_their_share_and_never_hide_a_little():
    """A bar is proportional; ASCII stands in where blocks cannot be printed."""
    blocks, ascii_only = Page(80, blocks=True), Page(80, blocks=False)

    assert blocks.bar(0.5, 10) == "█████"
    assert blocks.bar(0.001, 10) == "▏"
    assert blocks.bar(0, 10) == ""
    assert blocks.bar(1.5, 10) == "█" * 10
    assert ascii_only.bar(0.3, 10) == "###"
    assert ascii_only.bar(0.001, 10) == "."


def test_headings_are_set_apart():
    """A heading has an empty line before it, except at the top."""
    page = Page(80, blocks=True)

    page.heading("One")
    page.paragraph("text")
    page.heading("Two")

    assert page.plain_text() == "One\ntext\n\nTwo"
