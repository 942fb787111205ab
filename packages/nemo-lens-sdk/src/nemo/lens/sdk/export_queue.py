# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A bounded queue in front of one exporter: losses are counted, failures are retried.

The producer's side is one length check and one append, both atomic under the interpreter's lock;
no lock is shared between recording threads. The bound holds whatever the exporter does.
"""

from __future__ import annotations

import collections
import enum
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk import counts
from nemo.lens.sdk.backoff import Backoff
from nemo.lens.sdk.limits import count_what_limits_took
from nemo.lens.sdk.noise import warn_once_a_minute
from nemo.lens.sdk.worker import Request, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_GROWTH = 8
"""After a batch was too large they are halved, and grow by one in so many with each that fits."""


class Outcome(enum.Enum):
    """How the export of one batch ended."""

    DELIVERED = "delivered"
    RETRY = "retry"
    TOO_LARGE = "too large"
    REFUSED = "refused"


class Sink(ABC):
    """Where batches go. Subclasses say what an exporter's answer means.

    Attributes:
        rejected: Items of the last delivered batch that were not kept all the same.
        rejected_as: The reason to count them under.
        retry_after_s: The least seconds to wait after a failure that can be retried.
    """

    rejected = 0
    rejected_as = counts.REFUSED
    retry_after_s = 0.0

    @abstractmethod
    def send(self, batch: Sequence[Any]) -> Outcome:
        """Export one batch; may block, may raise."""

    def close(self) -> None:  # noqa: B027 - nothing to release is an answer
        """Release connections and files; may block, may raise."""


class ExportQueue:
    """The bounded queue, worker thread and retries of one exporter.

    Args:
        subject: What the queue holds and where it goes, for thread names and warnings.
        build_sink: Builds the sink; called again in forked children, whose connections and files
            must be their own.
        bound: Most items held; more are dropped and counted.
        batch_size: Most items in one export.
        delay_s: Seconds between rounds while less than a batch waits.
        enter_thread: Called in the worker thread before the first round.
    """

    def __init__(
        self,
        subject: str,
        build_sink: Callable[[], Sink],
        *,
        bound: int,
        batch_size: int,
        delay_s: float,
        enter_thread: Callable[[], object],
    ) -> None:
        self.subject = subject
        self.counts = counts.Counts()
        self._build_sink = build_sink
        self._sink: Sink | None = build_sink()
        self._bound = bound
        self._batch_size = min(batch_size, bound)
        self._fitting = self._batch_size
        self._delay_s = delay_s
        self._backoff = Backoff()
        self._items: collections.deque[Any] = collections.deque()
        self._in_flight: list[Any] = []
        self._closed_as: str | None = None
        self._wake_at = self._enough = self._batch_size
        self._lost_before = 0
        self._worker = Worker(f"nemo-lens {subject}", self, enter_thread)

    def start(self) -> None:
        """Start the worker thread."""
        self._worker.start()

    def put(self, item: object) -> None:
        """Queue one item; never blocks, never raises."""
        items = self._items
        if self._closed_as is not None:
            self.counts.lose(self._closed_as)
        elif len(items) >= self._bound:
            self._report_full()
        else:
            items.append(item)
            if len(items) >= self._wake_at:
                self._wake_at = self._bound + 1
                self._worker.wake()

    def ask(self, deadline: float, *, final: bool = False) -> Request:
        """Ask for everything queued so far to be exported; see `Worker.ask`."""
        return self._worker.ask(deadline, final=final)

    def hurry(self) -> None:
        """Start a round for each item from now on, in place of for each full batch."""
        self._wake_at = self._enough = 1

    def pending(self) -> int:
        """Items queued or on their way."""
        return len(self._items) + len(self._in_flight)

    def lost_items(self) -> int:
        """Items that were lost before the end."""
        return counts.lost_items(self.counts.lost())

    def abandon(self) -> None:
        """Give up what is still queued, count it, and refuse further items."""
        if self._closed_as is None:
            self._closed_as = counts.AFTER_SHUTDOWN
            self.counts.lose(counts.SHUTDOWN_DEADLINE, self.pending())
            self._items = collections.deque()

    def after_fork(self) -> None:
        """Start empty in a forked child: what was queued belongs to the parent."""
        self._items = collections.deque()
        self._in_flight = []
        self._sink = None
        self._wake_at = 1
        self._lost_before = 0
        self._backoff.after_fork()
        self.counts.reset()
        self._worker.reset()

    def run_once(self, deadline: float | None) -> bool:
        """Export until the queue is empty or the exporter fails; runs in the worker thread.

        While somebody waits, a failed batch is tried again as long as there is time for it.

        Returns:
            True when everything was delivered that was put here since the last round that
            somebody waited for: the queue is empty, and nothing was lost meanwhile.
        """
        is_empty = self._export_all(deadline)
        if deadline is None:
            return is_empty
        lost_before, self._lost_before = self._lost_before, self.lost_items()
        return is_empty and self._lost_before == lost_before

    def _export_all(self, deadline: float | None) -> bool:
        if not self._backoff.may_begin(deadline, self._worker.rest_until):
            return False
        self._wake_at = self._enough
        while self._items or self._in_flight:
            if self._closed_as is not None:
                return False
            if not self._export_next() and not self._wait_for_retry(deadline):
                return False
        return True

    def pause_s(self) -> float:
        """Seconds until the next round: the delay, or what is left of the back-off."""
        return self._backoff.remaining_s() or self._delay_s

    def close(self) -> None:
        """Count what could not be exported and close the exporter."""
        if self._closed_as is None:
            self._closed_as = counts.AFTER_SHUTDOWN
            self.counts.lose(counts.EXPORT_FAILED, self.pending())
            self._items.clear()
            self._in_flight = []
        if self._sink is not None:
            self._sink.close()

    def _export_next(self) -> bool:
        batch = self._in_flight or self._take_batch()
        self._in_flight = batch
        outcome = self._send(batch)
        if self._closed_as is not None:
            return False
        if outcome is Outcome.RETRY:
            self._backoff.fail(self._sink.retry_after_s if self._sink is not None else 0.0)
            return False
        self._backoff.reset()
        self._in_flight = []
        if outcome is Outcome.TOO_LARGE and len(batch) > 1:
            self._fitting = len(batch) // 2
            self._items.extendleft(reversed(batch))
            return True
        self._fitting = min(self._batch_size, self._fitting + max(1, self._fitting // _GROWTH))
        self._count(batch, outcome)
        return True

    def _count(self, batch: list[Any], outcome: Outcome) -> None:
        if outcome is not Outcome.DELIVERED or self._sink is None:
            self.counts.lose(counts.REFUSED, len(batch))
            return
        rejected = min(self._sink.rejected, len(batch))
        self.counts.deliver(len(batch) - rejected)
        self.counts.lose(self._sink.rejected_as, rejected)
        count_what_limits_took(batch, self.counts)

    def _take_batch(self) -> list[Any]:
        items = self._items
        return [items.popleft() for _ in range(min(self._fitting, len(items)))]

    def _send(self, batch: list[Any]) -> Outcome:
        try:
            if self._sink is None:
                self._sink = self._build_sink()
            return self._sink.send(batch)
        except BaseException as error:
            if not isinstance(error, Exception) and not current_thread_exports():
                # In the caller's thread this may be what ends the process.
                raise
            warn_once_a_minute(
                self.subject,
                "export of %s failed (%s: %s); the batch of %d is dropped and counted",
                self.subject,
                type(error).__name__,
                error,
                len(batch),
            )
            return Outcome.REFUSED

    def _wait_for_retry(self, deadline: float | None) -> bool:
        return self._closed_as is None and self._backoff.may_retry(
            deadline, self._worker.rest_until
        )

    def _report_full(self) -> None:
        self.counts.lose(counts.QUEUE_FULL)
        warn_once_a_minute(
            f"{self.subject} full",
            "the queue of %s is full (%d); newer items are dropped and counted",
            self.subject,
            self._bound,
        )


def current_thread_exports() -> bool:
    """True in a worker thread, whose own log records must not be exported again."""
    return threading.current_thread().name.startswith("nemo-lens ")
