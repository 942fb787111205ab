# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The bounded queue: nothing is lost silently, and nobody waits for an exporter."""

from __future__ import annotations

import threading
import time

import pytest

from nemo.lens.sdk import backoff, counts
from nemo.lens.sdk.export_queue import ExportQueue, Outcome, Sink


class Recorder(Sink):
    """Keeps what arrives, after the outcomes that it was told to have first."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.batches = []
        self.attempts = 0
        self.is_closed = False

    def send(self, batch):
        """Answer as told."""
        self.attempts += 1
        outcome = self.outcomes.pop(0) if self.outcomes else Outcome.DELIVERED
        if isinstance(outcome, Exception):
            raise outcome
        if outcome is Outcome.DELIVERED:
            self.batches.append(list(batch))
        return outcome

    def close(self):
        """Note it."""
        self.is_closed = True

    @property
    def items(self):
        """What was delivered."""
        return [item for batch in self.batches for item in batch]


@pytest.fixture
def queue_to():
    """Build queues, and end them after the test."""
    queues = []

    def build(sink, *, bound=1000, batch_size=100, delay_s=60.0):
        queue = ExportQueue(
            "things to a test",
            lambda: sink,
            bound=bound,
            batch_size=batch_size,
            delay_s=delay_s,
            enter_thread=lambda: None,
        )
        queues.append(queue)
        return queue

    yield build
    for queue in queues:
        queue.ask(time.monotonic() + 5, final=True).wait()


def _flush(queue, *, final=False, seconds=5.0):
    return queue.ask(time.monotonic() + seconds, final=final).wait()


def test_a_flush_delivers_everything_in_order(queue_to):
    """Items leave in the order in which they came, in batches of the given size."""
    sink = Recorder()
    queue = queue_to(sink, bound=1000, batch_size=100)
    for number in range(250):
        queue.put(number)
    assert _flush(queue)
    assert sink.items == list(range(250))
    assert max(map(len, sink.batches)) <= 100
    assert queue.counts.delivered == 250


def test_a_full_batch_is_exported_without_waiting_for_the_delay(queue_to):
    """The worker wakes as soon as a batch is full."""
    sink = Recorder()
    queue = queue_to(sink, batch_size=10, delay_s=60.0)
    for number in range(10):
        queue.put(number)
    deadline = time.monotonic() + 5
    while len(sink.items) < 10 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sink.items == list(range(10))


def test_a_burst_of_100_000_items_loses_nothing(queue_to):
    """The default bound holds a burst that comes faster than it can leave."""
    sink = Recorder()
    queue = queue_to(sink, bound=131_072, batch_size=512)
    for number in range(100_000):
        queue.put(number)
    assert _flush(queue, seconds=30)
    assert len(sink.items) == 100_000
    assert queue.counts.lost() == {}


def test_past_the_bound_made_equals_delivered_plus_dropped(queue_to):
    """Eight threads put far more than fits while nothing leaves: every item is accounted for."""
    release = threading.Event()

    class Blocked(Recorder):
        def send(self, batch):
            release.wait(10)
            return super().send(batch)

    sink = Blocked()
    queue = queue_to(sink, bound=500, batch_size=100)

    def produce():
        for number in range(2000):
            queue.put(number)

    threads = [threading.Thread(target=produce) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    release.set()
    assert not _flush(queue, final=True)
    lost = queue.counts.lost()
    assert set(lost) == {counts.QUEUE_FULL}
    assert queue.counts.delivered == len(sink.items)
    assert queue.counts.delivered + lost[counts.QUEUE_FULL] == 16_000


def test_a_batch_is_tried_again_until_the_collector_is_back(queue_to, monkeypatch):
    """While a collector is away nothing is lost within the bound; order is kept."""
    monkeypatch.setattr(backoff, "FIRST_S", 0.01)
    sink = Recorder(Outcome.RETRY, Outcome.RETRY, Outcome.RETRY)
    queue = queue_to(sink, batch_size=5, delay_s=0.01)
    for number in range(12):
        queue.put(number)
    deadline = time.monotonic() + 10
    while len(sink.items) < 12 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sink.items == list(range(12))
    assert sink.attempts >= 5
    assert queue.counts.lost() == {}


def test_the_pause_between_retries_doubles_up_to_a_limit(queue_to):
    """A dead collector is asked ever less often."""
    queue = queue_to(Recorder(*[Outcome.RETRY] * 20))
    queue.put("x")
    pauses = []
    for _ in range(10):
        queue.run_once(0.0)
        pauses.append(queue.pause_s())
    assert pauses[1] > pauses[0]
    assert pauses[3] > pauses[2]
    assert pauses[-1] <= 30.0 * 1.2


@pytest.mark.parametrize("answer", [Outcome.REFUSED, OSError("disk on fire")])
def test_what_is_refused_is_dropped_and_counted_and_the_rest_goes_on(queue_to, answer):
    """A batch that cannot be delivered does not hold up those behind it."""
    sink = Recorder(answer)
    queue = queue_to(sink, batch_size=2)
    for number in range(4):
        queue.put(number)
    assert not _flush(queue)
    assert sink.items == [2, 3]
    assert queue.counts.lost() == {counts.REFUSED: 2}


def test_what_cannot_be_exported_at_the_end_is_counted(queue_to):
    """The final round tries once and says what it gave up."""
    sink = Recorder(*[Outcome.RETRY] * 5)
    queue = queue_to(sink, batch_size=10)
    for number in range(25):
        queue.put(number)
    assert not _flush(queue, final=True, seconds=0.2)
    assert sink.is_closed
    assert queue.counts.lost() == {counts.EXPORT_FAILED: 25}


def test_a_flush_tells_of_what_was_lost_since_the_one_before(queue_to):
    """Its answer is about the items since then: not about those that an earlier one told of."""
    sink = Recorder(Outcome.REFUSED)
    queue = queue_to(sink, batch_size=1)
    queue.put("refused")
    deadline = time.monotonic() + 5
    while queue.pending() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert queue.counts.lost() == {counts.REFUSED: 1}
    assert not _flush(queue)
    assert _flush(queue)
    queue.put("accepted")
    assert _flush(queue)
    assert queue.lost_items() == 1


def test_a_flush_tells_of_items_that_found_the_queue_full(queue_to):
    """They were never in the queue, and are lost all the same."""
    release = threading.Event()

    class Blocked(Recorder):
        def send(self, batch):
            release.wait(10)
            return super().send(batch)

    queue = queue_to(Blocked(), bound=2, batch_size=2)
    for number in range(9):
        queue.put(number)
    release.set()
    assert not _flush(queue)
    assert _flush(queue)


def test_a_batch_that_is_too_large_is_halved_until_it_fits(queue_to):
    """Only what is too large by itself is lost, once, and the order is kept."""

    class Narrow(Recorder):
        def send(self, batch):
            if len(batch) > 3 or "huge" in batch:
                self.attempts += 1
                return Outcome.TOO_LARGE
            return super().send(batch)

    sink = Narrow()
    queue = queue_to(sink, bound=100, batch_size=20)
    items = [*range(7), "huge", *range(7, 20)]
    for item in items:
        queue.put(item)
    assert not _flush(queue)
    assert sink.items == list(range(20))
    assert queue.counts.lost() == {counts.REFUSED: 1}
    assert sink.attempts < 40


def test_what_a_receiver_did_not_keep_is_counted(queue_to):
    """A batch that was accepted in part is delivered in part."""
    sink = Recorder()
    sink.rejected = 3
    queue = queue_to(sink, batch_size=10)
    for number in range(10):
        queue.put(number)
    assert not _flush(queue)
    assert queue.counts.delivered == 7
    assert queue.counts.lost() == {counts.REFUSED: 3}


def test_a_wait_that_the_receiver_asks_for_is_kept(queue_to, monkeypatch):
    """It counts more than the pause that is usual after a failure."""
    monkeypatch.setattr(backoff, "FIRST_S", 0.01)
    sink = Recorder(Outcome.RETRY)
    sink.retry_after_s = 0.4
    queue = queue_to(sink, batch_size=1)
    begun = time.monotonic()
    queue.put("x")
    assert _flush(queue)
    assert time.monotonic() - begun >= 0.4
    assert sink.items == ["x"]


def test_a_wait_that_ends_after_the_deadline_is_not_begun(queue_to):
    """The flush answers at once, and the item stays queued."""
    sink = Recorder(Outcome.RETRY)
    sink.retry_after_s = 60.0
    queue = queue_to(sink, batch_size=1)
    queue.put("x")
    begun = time.monotonic()
    assert not _flush(queue, seconds=4)
    assert time.monotonic() - begun < 4
    assert queue.pending() == 1


@pytest.mark.parametrize("outcomes", [(Outcome.RETRY,), (Outcome.RETRY, Outcome.RETRY)])
def test_a_pause_that_passes_the_deadline_is_cut_for_a_last_attempt(
    queue_to, monkeypatch, outcomes
):
    """A collector that is back by then gets everything; one that is not, is not asked again."""
    monkeypatch.setattr(backoff, "FIRST_S", 60.0)
    sink = Recorder(*outcomes)
    queue = queue_to(sink)
    queue.put("x")
    begun = time.monotonic()
    assert _flush(queue, seconds=0.9) is (len(outcomes) == 1)
    assert time.monotonic() - begun >= 0.9 - backoff.LAST_ATTEMPT_S
    assert sink.attempts == 2


@pytest.mark.parametrize("urgent", [{"final": True}, {"seconds": 1.0}])
def test_a_flush_in_a_long_pause_does_not_keep_a_shorter_one_or_the_end_waiting(
    queue_to, monkeypatch, urgent
):
    """A collector that is back meanwhile gets everything."""
    monkeypatch.setattr(backoff, "FIRST_S", 20.0)
    queue = queue_to(Recorder(Outcome.RETRY))
    queue.put("x")
    long = queue.ask(time.monotonic() + 60)
    deadline = time.monotonic() + 10
    while queue.pause_s() == 60.0 and time.monotonic() < deadline:
        time.sleep(0.01)  # until the first attempt has failed
    assert _flush(queue, **urgent)
    assert queue.counts.delivered == 1
    assert not long.wait()


def test_items_after_the_end_are_counted(queue_to):
    """A queue that has ended takes nothing and says so."""
    queue = queue_to(Recorder())
    assert _flush(queue, final=True)
    queue.put("late")
    assert queue.counts.lost() == {counts.AFTER_SHUTDOWN: 1}


def test_a_flush_keeps_its_deadline_while_the_exporter_blocks(queue_to):
    """Waiting ends at the deadline; giving up counts what was under way."""
    release = threading.Event()

    class Hole(Sink):
        def send(self, batch):
            release.wait(20)
            return Outcome.DELIVERED

    queue = queue_to(Hole(), batch_size=1)
    for number in range(3):
        queue.put(number)
    begun = time.monotonic()
    assert not _flush(queue, seconds=0.3)
    assert time.monotonic() - begun < 0.3 * 1.1 + 0.1
    queue.abandon()
    release.set()
    assert queue.counts.lost() == {counts.SHUTDOWN_DEADLINE: 3}
