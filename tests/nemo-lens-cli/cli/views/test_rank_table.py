# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How the ranks of a run look."""

from __future__ import annotations

import pytest

from nemo.lens.cli.views import rank_table


def lines_of(page):
    return page.plain_text().splitlines()


def test_own_work_stands_beside_waiting(answers, page):
    """Each rank has one line with both times, and a bar against the hardest working rank."""
    rows = [answers.rank_row(0, own=0.02, wait=0.02), answers.rank_row(1, own=0.04, wait=0.0001)]

    rank_table.ranks(page, rows, [])

    _, titles, first, second = lines_of(page)
    assert titles.split() == ["rank", "host", "own", "work", "waiting"]
    assert first.split()[:6] == ["0", "node-0123.example", "20.0", "ms", "20.0", "ms"]
    assert second.split()[:6] == ["1", "node-0123.example", "40.0", "ms", "100", "us"]
    assert second.count("█") == 2 * first.count("█")


@pytest.mark.parametrize(
    ("kind", "steps", "note"),
    [
        ("chronic", (), "slow in forward_backward"),
        ("once", (17,), "slow in forward_backward in step 17"),
        ("once", (3, 5, 7, 9), "slow in forward_backward in steps 3, 5, 7, ..."),
    ],
)
def test_a_straggler_is_pointed_out_with_its_phase(answers, page, kind, steps, note):
    """Only the slow rank carries a note, and a one-off says in which steps it was."""
    rows = [answers.rank_row(rank) for rank in range(3)]

    rank_table.ranks(page, rows, [answers.straggler(1, kind, steps)])

    text = " ".join(page.plain_text().split())
    assert text.count("slow in") == 1
    assert all(word in text for word in note.split())
    assert [style for line in page.lines for _, style in line if style == "yellow"]


def test_a_large_run_shows_the_ranks_that_work_most(answers, page):
    """A thousand ranks fit a screen, the straggler among them, and the rest is counted."""
    summary = answers.large_summary()

    rank_table.ranks(page, summary.ranks, summary.stragglers)

    text = page.plain_text()
    assert len(text.splitlines()) < 24
    assert " 700  " in text
    assert "1,008 more ranks with 33.0 ms to 33.0 ms of own work" in " ".join(text.split())


def test_every_rank_is_listed_on_request(answers, page):
    """Nothing is left out with everything=True."""
    summary = answers.large_summary(ranks=100)

    rank_table.ranks(page, summary.ranks, (), everything=True)

    assert len(lines_of(page)) == 102


def test_columns_that_say_nothing_are_left_out(answers, page):
    """Roles, restarts and clock offsets appear only where they differ."""
    rows = [
        answers.rank_row(0, role="trainer", restart=1, clock_offset_s=0.25),
        answers.rank_row(0, role="generator"),
    ]

    rank_table.ranks(page, rows, [])

    assert lines_of(page)[1].split() == [
        "rank",
        "role",
        "restart",
        "host",
        "own",
        "work",
        "waiting",
        "clock",
    ]
    assert "+250 ms" in page.plain_text()


@pytest.mark.parametrize(
    ("way", "titles", "cells"),
    [
        ("arrival", ["step", "time", "early", "by"], ["40.0", "ms", "3.00", "ms"]),
        ("duration", ["step", "time"], ["40.0", "ms", "██"]),
    ],
)
def test_without_marked_waiting_no_column_claims_own_work(answers, page, way, titles, cells):
    """What is shown is the step time, and how early a rank was where that is known."""
    rows = [answers.rank_row(rank, own=0.04, wait=0.003, compared_by=way) for rank in range(2)]

    rank_table.ranks(page, rows, [])

    _, head, first, _ = lines_of(page)
    assert head.split() == ["rank", "host", *titles]
    assert first.replace("█" * 16, "██").split()[2 : 2 + len(cells)] == cells


def test_roles_with_and_without_marks_share_a_table(answers, page):
    """The waiting of a role that marks none is unknown, not zero."""
    rows = [
        answers.rank_row(0, role="trainer"),
        answers.rank_row(0, role="generator", compared_by="duration", wait=0.0),
    ]

    rank_table.ranks(page, rows, [])

    assert "waiting" in lines_of(page)[1]
    assert "unknown" in lines_of(page)[3]


def test_nothing_is_written_about_no_ranks(page):
    """A run without ranked steps has no table."""
    rank_table.ranks(page, [], [])
    rank_table.problems(page, [])

    assert page.plain_text() == ""
