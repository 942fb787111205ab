# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metrics on their way out: collected at an interval by a worker thread, exported by a sink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.metrics.export import MetricReader, MetricsData

from nemo.lens.sdk import counts
from nemo.lens.sdk.backoff import Backoff
from nemo.lens.sdk.export_queue import Outcome, Sink, current_thread_exports
from nemo.lens.sdk.noise import warn_once_a_minute
from nemo.lens.sdk.worker import Request, Worker

if TYPE_CHECKING:
    from collections.abc import Callable


class CollectingReader(MetricReader):
    """A reader that hands over what it collected instead of exporting it.

    Args:
        preferences: Temporality and aggregation that the exporter asks for.
    """

    def __init__(self, preferences: dict[str, Any]) -> None:
        super().__init__(**preferences)
        self._collected: MetricsData | None = None

    def take(self) -> MetricsData | None:
        """Collect now; None when no instrument has recorded anything."""
        self._collected = None
        self.collect()
        collected, self._collected = self._collected, None
        return collected if collected is not None and collected.resource_metrics else None

    def _receive_metrics(
        self,
        metrics_data: MetricsData,
        timeout_millis: float = 10_000,  # noqa: ARG002 - the name is the interface's
        **_options: Any,
    ) -> None:
        self._collected = metrics_data

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        """Do nothing: the pipeline flushes the exporter."""
        del timeout_millis
        return True

    def shutdown(self, timeout_millis: float = 30_000, **_options: Any) -> None:
        """Do nothing: the pipeline shuts the exporter down."""
        del timeout_millis


class MetricLane:
    """Collects and exports the metrics of one exporter.

    Args:
        subject: What goes where, for thread names and warnings.
        reader: The reader to collect from.
        sink: The sink that `reader` was built for.
        build_sink: Builds another one; called in forked children.
        interval_s: Seconds between exports.
        enter_thread: Called in the worker thread before the first round.
    """

    def __init__(
        self,
        subject: str,
        reader: CollectingReader,
        sink: Sink,
        build_sink: Callable[[], Sink],
        *,
        interval_s: float,
        enter_thread: Callable[[], object],
    ) -> None:
        self.subject = subject
        self.counts = counts.Counts()
        self._reader = reader
        self._build_sink = build_sink
        self._sink: Sink | None = sink
        self._interval_s = interval_s
        self._backoff = Backoff()
        self._in_flight = 0
        self._worker = Worker(f"nemo-lens {subject}", self, enter_thread)

    def start(self) -> None:
        """Start the worker thread."""
        self._worker.start()

    def ask(self, deadline: float, *, final: bool = False) -> Request:
        """Ask for a collection now; see `Worker.ask`."""
        return self._worker.ask(deadline, final=final)

    def pending(self) -> int:
        """Collections on their way; none waits, metrics are collected when they are exported."""
        return self._in_flight

    def lost_items(self) -> int:
        """Nothing: the next collection has what one that was lost had."""
        return 0

    def abandon(self) -> None:
        """Count a collection that is still on its way as lost."""
        self.counts.lose(counts.SHUTDOWN_DEADLINE, self._in_flight)
        self._in_flight = 0

    def after_fork(self) -> None:
        """Use a connection of its own in a forked child."""
        self._sink = None
        self._backoff.after_fork()
        self._in_flight = 0
        self.counts.reset()
        self._worker.reset()

    def pause_s(self) -> float:
        """Seconds until the next export; longer than the interval when the collector asks for it."""
        return max(self._interval_s, self._backoff.remaining_s())

    def run_once(self, deadline: float | None) -> bool:
        """Collect and export once; runs in the worker thread.

        While somebody waits, a failed export is tried again as long as there is time for it.
        """
        if not self._backoff.may_begin(deadline, self._worker.rest_until):
            return False
        self._backoff.reset()
        data = self._reader.take()
        if data is None:
            return True
        self._in_flight = 1
        outcome = self._send(data)
        while outcome is Outcome.RETRY and self._backoff.may_retry(
            deadline, self._worker.rest_until
        ):
            outcome = self._send(data)
        was_given_up = not self._in_flight
        self._in_flight = 0
        return not was_given_up and self._count(outcome)

    def _count(self, outcome: Outcome) -> bool:
        rejected = self._sink.rejected if self._sink is not None else 0
        if outcome is Outcome.DELIVERED:
            self.counts.deliver(1)
            self.counts.lose(counts.REJECTED_POINTS, rejected)
            return rejected == 0
        self.counts.lose(counts.EXPORT_FAILED if outcome is Outcome.RETRY else counts.REFUSED)
        return False

    def _send(self, data: MetricsData) -> Outcome:
        try:
            if self._sink is None:
                self._sink = self._build_sink()
            outcome = self._sink.send([data])
        except BaseException as error:
            if not isinstance(error, Exception) and not current_thread_exports():
                # In the caller's thread this may be what ends the process.
                raise
            warn_once_a_minute(
                self.subject,
                "export of %s failed (%s: %s); that collection is dropped",
                self.subject,
                type(error).__name__,
                error,
            )
            return Outcome.REFUSED
        if outcome is Outcome.RETRY:
            self._backoff.fail(self._sink.retry_after_s)
        return outcome

    def close(self) -> None:
        """Close the exporter."""
        if self._sink is not None:
            self._sink.close()


class ForeignReaderLane:
    """Flushes and shuts down a reader that the caller of set-up brought along.

    It runs in a worker thread, so that a reader that blocks cannot hold up a shutdown.

    Args:
        reader: The caller's reader.
        enter_thread: Called in the worker thread before the first round.
    """

    subject = "metrics of the given reader"

    def __init__(self, reader: MetricReader, enter_thread: Callable[[], object]) -> None:
        self.counts = counts.Counts()
        self._reader = reader
        self._worker = Worker("nemo-lens metric reader", self, enter_thread)

    def start(self) -> None:
        """Start the worker thread."""
        self._worker.start()

    def ask(self, deadline: float, *, final: bool = False) -> Request:
        """Ask for a flush now; see `Worker.ask`."""
        return self._worker.ask(deadline, final=final)

    def pending(self) -> int:
        """Nothing waits here."""
        return 0

    def lost_items(self) -> int:
        """Nothing that is known here."""
        return 0

    def abandon(self) -> None:
        """Do nothing: the reader belongs to the caller."""

    def after_fork(self) -> None:
        """Start a thread of its own in a forked child."""
        self._worker.reset()

    def pause_s(self) -> None:
        """Wait for requests: the reader has its own schedule."""

    def run_once(self, deadline: float | None) -> bool:
        """Flush the reader; runs in the worker thread."""
        return deadline is None or self._reader.force_flush() is not False

    def close(self) -> None:
        """Shut the reader down."""
        reader: Any = self._reader
        reader.shutdown()
