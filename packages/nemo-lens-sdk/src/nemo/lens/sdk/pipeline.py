# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Everything between the providers and the exporters: flushed, shut down and counted as one."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, Protocol

from nemo.lens.sdk.counts import lost_items
from nemo.lens.sdk.export_queue import current_thread_exports
from nemo.lens.sdk.patience import done_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.resources import Resource

    from nemo.lens.sdk.companion import Companion
    from nemo.lens.sdk.counts import Counts
    from nemo.lens.sdk.processor import LensSpanProcessor
    from nemo.lens.sdk.worker import Request

_logger = logging.getLogger("nemo.lens.sdk")
_LAST_WORDS_S = 0.1
_OPENING_S = 5.0


class Lane(Protocol):
    """One signal on its way to one exporter."""

    subject: str
    counts: Counts

    def start(self) -> None:
        """Start the worker thread."""
        ...

    def ask(self, deadline: float, *, final: bool = False) -> Request:
        """Ask for everything so far to be exported."""
        ...

    def pending(self) -> int:
        """Items that wait."""
        ...

    def lost_items(self) -> int:
        """Items that were lost before the end."""
        ...

    def abandon(self) -> None:
        """Give up what waits, and count it."""
        ...

    def after_fork(self) -> None:
        """Start empty in a forked child."""
        ...


class Pipeline:
    """The lanes and companions of one set-up.

    Args:
        lanes: One for each signal and exporter.
        companions: The exporters and whatever else goes with the process.
        span_processor: The processor that feeds the span lanes, if there is one.
    """

    def __init__(
        self,
        lanes: Sequence[Lane],
        companions: Sequence[Companion],
        span_processor: LensSpanProcessor | None,
    ) -> None:
        self._lanes = tuple(lanes)
        self._companions = tuple(companions)
        self._span_processor = span_processor
        self._result: bool | None = None

    @property
    def is_shut_down(self) -> bool:
        """True once a shutdown has come to its end."""
        return self._result is not None

    def start(self) -> None:
        """Start the threads and open the companions; no hanging filesystem is waited for.

        Raises:
            RuntimeError: The process can have no further thread; nothing was written yet.
        """
        for lane in self._lanes:
            lane.start()
        if not done_within(_OPENING_S, self._open_companions):
            _logger.warning(
                "the folder of the run files has not answered for %g s; the job goes on, and what it "
                "records waits in memory within its bound",
                _OPENING_S,
            )

    def _open_companions(self) -> None:
        for companion in self._companions:
            companion.open()

    def flush(self, timeout_ms: float) -> bool:
        """Export what is finished; the lanes work in parallel.

        Returns:
            True when all of it was delivered within `timeout_ms`, and nothing was lost since the
            flush before. Of metrics it is this collection that counts.
        """
        if current_thread_exports():
            return False
        answers = [request.wait() for request in self.ask(timeout_ms)]
        return all(answers)

    def ask(self, timeout_ms: float) -> list[Request]:
        """Ask every lane to export within `timeout_ms`, without waiting."""
        deadline = time.monotonic() + max(0.0, timeout_ms / 1000)
        return [lane.ask(deadline) for lane in self._lanes]

    def hurry(self) -> None:
        """Export spans as they end from now on, in place of at intervals."""
        if self._span_processor is not None:
            self._span_processor.hurry()

    def shut_down(self, deadline: float, end: str) -> bool:
        """Close open spans, export, and close every exporter; runs in the supervisor's thread.

        Args:
            deadline: On `time.monotonic`; what is not delivered by then is given up and counted.
            end: How the process ends, for the manifest.

        Returns:
            True when everything was delivered that this set-up recorded. Of metrics it is the last
            collection that counts.
        """
        if self._result is not None:
            return self._result
        for companion in self._companions:
            companion.stop(end)
        if self._span_processor is not None:
            self._span_processor.refuse()
            self._span_processor.close_open_spans()
        # A collector that does not answer must not cost the manifests their end.
        until = deadline - min(_LAST_WORDS_S, max(0.0, deadline - time.monotonic()) / 10)
        requests = [lane.ask(until, final=True) for lane in self._lanes]
        answers = [request.wait() for request in requests]
        delivered = all(answers) and self._lost_items() == 0
        self.give_up()
        self._result = delivered
        lost = self.lost()
        if time.monotonic() < deadline:
            # Past the deadline a file system hangs; the manifest then stays the one of the start.
            for companion in self._companions:
                companion.finish(end, lost)
        return delivered

    def _lost_items(self) -> int:
        return sum(lane.lost_items() for lane in self._lanes) + sum(
            lost_items(companion.lost()) for companion in self._companions
        )

    def give_up(self) -> None:
        """Count what waits as lost; nothing is recorded from now on."""
        for lane in self._lanes:
            lane.abandon()

    def after_fork(self, resource: Resource) -> None:
        """Start empty in a forked child."""
        for companion in self._companions:
            companion.after_fork(resource)
        for lane in self._lanes:
            lane.after_fork()
        if self._span_processor is not None:
            self._span_processor.after_fork()

    def stats(self) -> dict[str, Any]:
        """Delivered, waiting and lost items of each lane, and the sum of the losses by reason."""
        return {
            "queues": {
                lane.subject: {
                    "delivered": lane.counts.delivered,
                    "pending": 0 if self.is_shut_down else lane.pending(),
                    "lost": lane.counts.lost(),
                }
                for lane in self._lanes
            },
            "lost": self.lost(),
        }

    def lost(self) -> dict[str, int]:
        """Lost items by reason, over all lanes and companions."""
        total: dict[str, int] = {}
        for lost in self.lost_by_queue().values():
            for reason, number in lost.items():
                total[reason] = total.get(reason, 0) + number
        return total

    def lost_by_queue(self) -> dict[str, dict[str, int]]:
        """Lost items by queue or exporter, then by reason; only where there are any."""
        sources = {lane.subject: lane.counts.lost() for lane in self._lanes}
        sources |= {companion.name: companion.lost() for companion in self._companions}
        return {subject: lost for subject, lost in sources.items() if lost}

    def losses_line(self) -> str:
        """One line that says what was lost, or "" when nothing was."""
        parts = [
            f"{queue}: {', '.join(f'{number} {reason}' for reason, number in lost.items())}"
            for queue, lost in self.lost_by_queue().items()
        ]
        return f"telemetry was lost ({'; '.join(parts)})" if parts else ""
