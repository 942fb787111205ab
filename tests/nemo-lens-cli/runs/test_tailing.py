# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is appended is read once, through rotation and packing, as the real writer does it."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemo.lens.runs.tailing import SegmentTail
from nemo.lens.sdk.counts import Counts
from nemo.lens.sdk.files.kept_segments import KeptSegments
from nemo.lens.sdk.files.segments import SegmentLimits, SegmentWriter

EVERYTHING = 1 << 30


def new(tail):
    return [line.decode().rstrip("\n") for line in tail.lines()]


@pytest.fixture
def segment(tmp_path):
    """The path of a segment."""
    return lambda number, suffix="": tmp_path / f"traces-{number:05d}.jsonl{suffix}"


@given(
    looks=st.lists(st.integers(0, 9), min_size=1, max_size=8),
    segment_bytes=st.integers(1, 200),
    late=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_every_line_is_read_once_and_in_order(tmp_path_factory, looks, segment_bytes, late):
    """However many segments the writer finished and packed between two looks."""
    folder = tmp_path_factory.mktemp("process")
    limits = SegmentLimits(segment_bytes=segment_bytes)
    kept = KeptSegments(limits.total_bytes, Counts())
    writer = SegmentWriter("traces", lambda: folder, limits, kept)
    tail = SegmentTail(folder, "traces", EVERYTHING)
    if not late:
        assert new(tail) == []
        writer.write(b"begun\n", 1)
        assert new(tail) in (["begun"], [])
    written, read = [], []
    for count in looks:
        for _ in range(count):
            written.append(f"line {len(written)} " + "x" * 20)
            writer.write(f"{written[-1]}\n".encode(), 1)
        read += new(tail)
    writer.close()
    read += new(tail)
    if late:
        # A first look that comes late begins in the newest segment.
        assert read == written[len(written) - len(read) :]
    else:
        assert [line for line in read if line != "begun"] == written


def test_a_torn_line_waits_for_its_rest(tmp_path, segment):
    """And is read once it is whole."""
    tail = SegmentTail(tmp_path, "traces", EVERYTHING)
    segment(0).write_bytes(b"one\ntw")
    assert new(tail) == ["one"]
    with segment(0).open("ab") as file:
        file.write(b"o\nthree\n")
    assert new(tail) == ["two", "three"]
    assert new(tail) == []


def test_a_segment_that_was_packed_half_read_is_read_on(tmp_path, segment):
    """From where the plain one was left."""
    tail = SegmentTail(tmp_path, "traces", EVERYTHING)
    segment(0).write_bytes(b"one\n")
    assert new(tail) == ["one"]
    segment(0, ".gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    segment(0).unlink()
    segment(1).write_bytes(b"three\n")
    assert new(tail) == ["two", "three"]


def test_a_first_look_reads_the_end_alone(tmp_path, segment):
    """Whole lines within the backlog, of the newest segment."""
    segment(0, ".gz").write_bytes(gzip.compress(b"long ago\n"))
    segment(1).write_bytes(b"".join(b"line %03d\n" % number for number in range(1000)))
    assert new(SegmentTail(tmp_path, "traces", 30)) == ["line 997", "line 998", "line 999"]


def test_what_the_writer_dropped_is_passed_over(tmp_path, segment):
    """The oldest segments go when there is no room."""
    tail = SegmentTail(tmp_path, "traces", EVERYTHING)
    segment(0).write_bytes(b"zero\n")
    assert new(tail) == ["zero"]
    segment(0).unlink()
    segment(5).write_bytes(b"five\n")
    assert new(tail) == ["five"]


def test_a_damaged_archive_and_a_folder_that_is_gone_are_no_error(tmp_path, segment):
    """A live view goes on."""
    segment(0, ".gz").write_bytes(gzip.compress(b"one\n" * 1000)[:-20])
    assert len(new(SegmentTail(tmp_path, "traces", EVERYTHING))) <= 1000
    assert new(SegmentTail(tmp_path / "gone", "traces", EVERYTHING)) == []
