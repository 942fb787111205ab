# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the recorder stores, looked at in the memory it stores into."""

from __future__ import annotations

import threading
import weakref
from itertools import pairwise
from mmap import mmap

import pytest
from opentelemetry.sdk.trace import TracerProvider

from nemo.lens import set_step
from nemo.lens.sdk.black_box import layout
from nemo.lens.sdk.black_box.layout import HEADER_BYTES, NAME, RECORD, RECORD_BYTES, SIZES, THREAD
from nemo.lens.sdk.black_box.recorder import Recorder
from nemo.lens.spans import span_names


class _Span:
    """The fields of a fast span that are stored."""

    def __init__(self, name="lib.work", begun=1, attributes=None, parent_id=0, started=1000):
        self._name = name
        self._begun = begun
        self._start_time = started
        self._parent_id = parent_id
        self._attributes = attributes or {}


@pytest.fixture
def memory():
    """Room for a black box."""
    return bytearray(SIZES.file_bytes)


@pytest.fixture
def recorder(memory):
    """A recorder that stores into `memory`."""
    recorder = Recorder()
    recorder.attach(memory)
    return recorder


def _records(memory):
    found = (
        RECORD.unpack_from(memory, at)
        for at in range(SIZES.spans_at, SIZES.file_bytes, RECORD_BYTES)
    )
    return [record for record in found if record[0]]


def _open(memory):
    return {record[2] for record in _records(memory) if record[5] == layout.STILL_OPEN}


def _name(memory, number):
    at = HEADER_BYTES + (number & layout.NAME_MASK) * NAME.size
    length, group_length, text = NAME.unpack_from(memory, at)
    return text[:length].decode(), text[length : length + group_length].decode()


def test_a_span_is_open_until_it_ends(memory, recorder):
    """Start, both clocks, ids and name; then the duration in the same place."""
    span = _Span("lib.step", begun=5_000_000_000_123, parent_id=9, started=77)
    recorder.opened(7, span)
    (record,) = _records(memory)
    begun, started, span_id, parent_id, step, duration, name, _thread, check = record
    assert (begun, started, span_id, parent_id) == (5_000_000_000_123, 77, 7, 9)
    assert (step, duration) == (layout.NO_STEP, layout.STILL_OPEN)
    assert check == begun & 0xFFFFFFFF
    assert _name(memory, name) == ("lib.step", "")

    recorder.finished(span, 40)
    (record,) = _records(memory)
    assert record[5] == 40


def test_the_ring_comes_round_and_leaves_out_what_is_open(memory, recorder):
    """A span that is open while the ring is filled many times over stays known."""
    job, step = _Span("job"), _Span("step")
    recorder.opened(1, job)
    recorder.opened(2, step)
    for number in range(3 * SIZES.spans):
        span = _Span("short", begun=number + 10)
        recorder.opened(number + 10, span)
        recorder.finished(span, 1)
    assert _open(memory) == {1, 2}
    kept = sorted(record[2] for record in _records(memory))
    assert len(kept) == SIZES.spans
    assert all(later == earlier + 1 for earlier, later in pairwise(kept[2:]))
    assert kept[-1] == 3 * SIZES.spans + 9


def test_more_open_spans_than_places_are_counted(memory, recorder):
    """The first ones are kept; one that ends makes room again."""
    spans = [_Span(begun=number + 1) for number in range(SIZES.spans + 5)]
    for number, span in enumerate(spans):
        recorder.opened(number + 1, span)
    assert layout.UNLISTED.unpack_from(memory, layout.UNLISTED_AT) == (5,)
    assert len(_open(memory)) == SIZES.spans
    for span in spans:
        recorder.finished(span, 1)
    assert _open(memory) == set()
    recorder.opened(99_999, _Span())
    assert _open(memory) == {99_999}


def test_the_step_is_the_one_that_was_set(memory, recorder):
    """`set_step` wins over what a step span says, which is remembered without it."""
    span_names.note("lib.step", "step")
    recorder.opened(1, _Span("lib.step", attributes={"dl.iteration": 3}))
    recorder.opened(2, _Span("lib.forward"))
    recorder.opened(3, _Span("lib.step", attributes={"iteration": 4}))
    set_step(12)
    recorder.opened(4, _Span("lib.forward"))
    steps = {record[2]: record[4] for record in _records(memory)}
    assert steps == {1: 3, 2: 3, 3: 4, 4: 12}


def test_waiting_and_group_are_stored(memory, recorder):
    """The flag for `nemo.wait`, and the group beside the name."""
    span_names.note("lib.reduce", "communication")
    recorder.opened(1, _Span("lib.reduce", attributes={"nemo.wait": True}))
    recorder.opened(2, _Span("lib.reduce", attributes={"nemo.wait": False}))
    flags = {record[2]: bool(record[6] & layout.WAITS) for record in _records(memory)}
    assert flags == {1: True, 2: False}
    assert _name(memory, _records(memory)[0][6]) == ("lib.reduce", "communication")


def test_threads_are_named_and_their_seats_reused(memory, recorder):
    """A thread takes one entry however many spans it opens, and leaves it when it ends."""

    def work(number):
        for step in range(3):
            recorder.opened(number * 10 + step, _Span(begun=number))

    for number in range(1, SIZES.threads * 2):
        thread = threading.Thread(target=work, args=(number,), name=f"worker {number}")
        thread.start()
        thread.join()
    seats = {record[7] for record in _records(memory)}
    assert 0 not in seats
    seat = _records(memory)[-1][7]
    native_id, length, name = THREAD.unpack_from(memory, SIZES.threads_at + seat * THREAD.size)
    assert native_id > 0
    assert name[:length].decode().startswith("worker ")


def test_names_beyond_the_room_have_none(memory, recorder):
    """The spans are stored all the same; long names are cut."""
    for number in range(SIZES.names + 3):
        recorder.opened(number + 1, _Span(f"{'x' * 200}{number}", begun=number + 1))
    numbers = [record[6] for record in _records(memory)]
    assert numbers[-4:] == [0, 0, 0, 0]
    assert _name(memory, numbers[0]) == ("x" * layout.NAME_BYTES, "")


@pytest.mark.parametrize(
    "span",
    [_Span(begun=2**70), _Span(started=-(2**70)), _Span(name=None), _Span(attributes=3)],
    ids=["begun", "started", "name", "attributes"],
)
def test_a_span_that_cannot_be_stored_raises_nothing(memory, recorder, span):
    """It is counted, and its place is free again."""
    recorder.opened(5, span)
    recorder.finished(span, 2**80)
    assert _open(memory) == set()
    assert layout.UNLISTED.unpack_from(memory, layout.UNLISTED_AT) == (1,)


def test_after_the_end_nothing_is_stored(memory, recorder):
    """What was open when telemetry shut down stays open in the box."""
    span = _Span()
    recorder.opened(1, span)
    recorder.detach()
    recorder.finished(span, 5)
    recorder.opened(2, _Span())
    assert _open(memory) == {1}


def test_after_the_end_the_file_is_let_go(recorder):
    """Whoever keeps the recorder, as a traceback does, keeps no mapping and no descriptor open."""
    memory = mmap(-1, SIZES.file_bytes)
    recorder.attach(memory)
    recorder.opened(1, _Span())
    recorder.detach()
    recorder.speak_for("late", 1)
    mapping = weakref.ref(memory)
    del memory
    assert mapping() is None


def test_many_threads_share_no_place(memory, recorder):
    """Eight threads open and close spans; what they left open is open, once each."""

    def work(number):
        for turn in range(2000):
            span = _Span(begun=turn + 1)
            recorder.opened(number * 10_000 + turn, span)
            if turn % 100:
                recorder.finished(span, 1)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left_open = [record[2] for record in _records(memory) if record[5] == layout.STILL_OPEN]
    expected = {number * 10_000 + turn for number in range(1, 9) for turn in range(0, 2000, 100)}
    assert len(left_open) == len(set(left_open))
    assert set(left_open) == expected


def test_spans_of_the_sdk_are_stored_as_well(memory, recorder):
    """Name, ids and times as the exporter sees them."""
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("test")
    parent = tracer.start_span("outer", attributes={"nemo.wait": True})
    recorder.opened_span(parent)
    parent.end()
    recorder.finished_span(parent)
    (record,) = _records(memory)
    assert record[2] == parent.context.span_id
    assert record[1] == parent.start_time
    assert record[5] == parent.end_time - parent.start_time
    assert record[6] & layout.WAITS
