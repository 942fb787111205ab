# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reading environment variables that other programs wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.resources.environment import (
    clean_text,
    parse_count,
    read_count,
    read_file,
    read_identity,
    read_text,
)


def test_the_first_spelling_that_says_something_counts():
    """Blank values and the (null) of SLURM say nothing."""
    environ = {"A": " ", "B": "(null)", "C": " x ", "D": "y"}
    assert read_text(environ, "MISSING", "A", "B", "C", "D") == "x"
    assert read_text(environ, "A", "B") is None


@given(st.text(), st.integers(min_value=4, max_value=64))
def test_cleaned_text_is_short_valid_utf_8(text, limit):
    """Whatever came in, it can be exported."""
    assert len(clean_text(text, limit).encode()) <= limit


def test_cleaning_leaves_good_text_alone_and_marks_what_it_changes():
    """Surrogates are written out, and a cut shows."""
    assert clean_text("grün") == "grün"
    assert clean_text("a\udc80") == "a\\udc80"
    assert clean_text("x" * 2000) == "x" * 1021 + "..."


@pytest.mark.parametrize(("text", "count"), [("0", 0), (" +007 ", 7), (str(2**63 - 1), 2**63 - 1)])
def test_digits_are_counts(text, count):
    """A sign and blanks are fine."""
    assert parse_count(text) == count


@pytest.mark.parametrize("text", ["", "-1", "1.0", "1e3", "٣", "0x1", str(2**63), "9" * 9999])
def test_other_text_is_no_count(text):
    """Neither negative nor huge numbers are counts."""
    assert parse_count(text) is None


def test_a_count_of_the_wrong_type_is_unknown():
    """A later spelling does not stand in for a broken one."""
    assert read_count({"A": "x", "B": "2"}, "A", "B") is None
    assert read_count({"B": "2"}, "A", "B") == 2


def test_an_unusable_identity_variable_warns_once_and_counts_as_absent(caplog):
    """The next variable decides, however often it is asked."""
    environ = {"RANK": "abc", "OTHER": "2"}
    assert [read_identity(environ, "RANK", "OTHER") for _ in range(3)] == [2, 2, 2]
    (record,) = caplog.records
    assert record.name == "nemo.lens.resources.identity"
    assert record.getMessage().startswith("RANK='abc' is ignored: a whole number of 0 or more")


def test_a_blank_identity_variable_is_absent_in_silence(caplog):
    """Templates leave variables empty."""
    assert read_identity({"RANK": "  "}, "RANK") is None
    assert not caplog.records


def test_a_file_that_cannot_be_read_is_empty(tmp_path):
    """Missing files, folders and impossible names are no errors; long files are cut."""
    (tmp_path / "long").write_bytes(b"\xff" + b"x" * 100)
    assert read_file(str(tmp_path / "missing")) == ""
    assert read_file(str(tmp_path)) == ""
    assert read_file("a\0b") == ""
    assert read_file(str(tmp_path / "long"), 3) == "\ufffdxx"
