# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What was delivered is known after any crash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.cli.exits import ProblemError
from nemo.lens.cli.replay.journal import Journal, Position, Receipt

ABOUT = {"run": "r", "endpoint": "http://x:1"}


def receipts():
    return [
        Receipt("0/a/traces-0.jsonl", Position(1), "traces", delivered=10),
        Receipt("0/a/traces-0.jsonl", Position(1, 4), "traces", delivered=4, rejected=1),
        Receipt("0/a/traces-0.jsonl", Position(2), "traces", delivered=5),
        Receipt("0/a/logs-0.jsonl", Position(1), "", delivered=0),
    ]


@given(cut=st.integers(0, 600), tail=st.binary(max_size=20))
def test_after_any_cut_what_is_whole_counts_and_more_can_be_written(tmp_path_factory, cut, tail):
    """A torn end is passed over; what is written later is read later."""
    path = tmp_path_factory.mktemp("journal") / "j"
    journal = Journal(path, ABOUT, 0)
    for receipt in receipts():
        journal.write(receipt)
    journal.close()
    content = path.read_bytes()
    head = content.index(b"\n") + 1
    cut = max(head, cut)
    path.write_bytes(content[:cut] + tail.replace(b"\n", b""))
    whole = content[:cut].count(b"\n") - 1
    again = Journal(path, ABOUT, 0)
    known = again.progress.delivered.get("traces", 0)
    again.write(Receipt("z", Position(7), "logs", delivered=2))
    again.close()
    last = Journal(path, ABOUT, 0)
    last.close()
    assert known >= sum(one.delivered for one in receipts()[:whole])
    assert last.progress.done["z", "logs"] == Position(7)
    assert last.progress.delivered["logs"] == 2


def test_positions_and_counts_are_those_of_the_last_receipts(tmp_path):
    """A line that went in parts is known by part."""
    journal = Journal(tmp_path / "j", ABOUT, 0)
    for receipt in receipts():
        journal.write(receipt)
    journal.close()
    journal = Journal(tmp_path / "j", ABOUT, 0)
    progress = journal.progress
    journal.close()
    assert progress.done == {
        ("0/a/traces-0.jsonl", "traces"): Position(2),
        ("0/a/logs-0.jsonl", ""): Position(1),
    }
    assert (progress.delivered, progress.rejected, progress.refused) == ({"traces": 19}, 1, 0)


def test_a_journal_serves_one_process_at_a_time(tmp_path):
    """The second one waits, and then says so."""
    journal = Journal(tmp_path / "j", ABOUT, 0)
    with pytest.raises(ProblemError, match="another replay is under way"):
        Journal(tmp_path / "j", ABOUT, 0.1)
    journal.close()
    Journal(tmp_path / "j", ABOUT, 0).close()
