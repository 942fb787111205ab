# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The thread that shuts a pipeline down, so that a signal handler only has to ask and wait.

It sleeps on a pipe. Requests are appended to a deque and announced by one byte, which is safe at
any line of code. Where Python's signal wake-up descriptor is free, signals announce themselves on
the same pipe, also while the main thread is inside a long C call.
"""

from __future__ import annotations

import collections
import contextlib
import logging
import os
import select
import threading
import time
from typing import TYPE_CHECKING

from nemo.lens.sdk.worker import Request

if TYPE_CHECKING:
    from collections.abc import Callable

_logger = logging.getLogger(__name__)
_REQUEST = 0
_LATE_ANSWER = 0.05
_THREAD_END_S = 0.05


class ShutdownRequest(Request):
    """A request to shut down by a deadline.

    Args:
        deadline: On `time.monotonic`.
        end: How the process ends, for the manifest.
    """

    __slots__ = ("end",)

    def __init__(self, deadline: float, end: str) -> None:
        super().__init__(deadline, final=True)
        self.end = end


class Supervisor:
    """Runs shutdowns in a thread of its own, and notices signals that nobody handles in time.

    Args:
        shut_down: Shuts the pipeline down by a deadline; the second argument says why.
        on_signal: Called with the number of a signal that arrived; returns how many seconds its
            handler may take to run, or None when the signal is nothing to it.
        on_overdue: Called when the handler of that signal did not run in time.
    """

    def __init__(
        self,
        shut_down: Callable[[float, str], bool],
        on_signal: Callable[[int], float | None],
        on_overdue: Callable[[int], None],
    ) -> None:
        self._shut_down = shut_down
        self._on_signal = on_signal
        self._on_overdue = on_overdue
        self._descriptors: tuple[int, int] | None = None
        self.reset()

    def reset(self) -> None:
        """Forget thread and pipe in a forked child; the parent's pipe must not be woken."""
        self._close_pipe()
        self._requests: collections.deque[ShutdownRequest] = collections.deque()
        self._awaited: dict[int, float] = {}
        self._handled: set[int] = set()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_over = False

    @property
    def write_end(self) -> int | None:
        """The descriptor that wakes the supervisor, for `signal.set_wakeup_fd`."""
        return None if self._descriptors is None else self._descriptors[1]

    def start(self) -> None:
        """Start the thread unless it runs.

        Raises:
            RuntimeError: The process can have no further thread; a later call tries again.
            OSError: It can open no further file.
        """
        if self._thread is not None or not self._starting.acquire(blocking=False):
            return
        try:
            read_end, write_end = os.pipe()
        except OSError:
            self._starting.release()
            raise
        os.set_blocking(read_end, False)
        os.set_blocking(write_end, False)
        self._descriptors = read_end, write_end
        thread = threading.Thread(
            target=self._run, args=(read_end,), name="nemo-lens supervisor", daemon=True
        )
        self._thread = thread
        try:
            thread.start()
        except BaseException:
            self._thread = None
            self._close_pipe()
            self._starting.release()
            raise

    def handled(self, signal_number: int) -> None:
        """Note that the handler of a signal runs; perhaps before the signal is noticed here."""
        self._handled.add(signal_number)

    def shut_down(self, timeout_ms: float, end: str) -> bool:
        """Have the pipeline shut down and wait for it, at most a little over `timeout_ms`.

        Returns:
            True when everything was delivered in time.
        """
        timeout_s = max(0.0, timeout_ms / 1000)
        request = ShutdownRequest(time.monotonic() + timeout_s, end)
        if self._is_over:
            return True
        try:
            self.start()
        except (RuntimeError, OSError):
            # An interpreter that is shutting down allows no new thread.
            return self._shut_down(request.deadline, end)
        self._requests.append(request)
        self._wake()
        if self._is_over:
            # The thread may have looked for the last time before this request was there.
            self._answer_requests()
        return request.wait(timeout_s * _LATE_ANSWER)

    def _wake(self) -> None:
        if self._descriptors is not None:
            # A full pipe wakes the thread just as well.
            with contextlib.suppress(OSError):
                os.write(self._descriptors[1], bytes((_REQUEST,)))

    def _run(self, read_end: int) -> None:
        # Requests first: one may have come before there was a pipe to announce it on.
        self._answer_requests()
        while not self._is_over:
            select.select((read_end,), (), (), self._patience_s())
            with contextlib.suppress(BlockingIOError):
                for signal_number in set(os.read(read_end, 4096)) - {_REQUEST}:
                    self._note_signal(signal_number)
            self._answer_requests()
            self._report_overdue_signals()
        self._answer_requests()

    def _answer_requests(self) -> None:
        while self._requests:
            request = self._requests.popleft()
            succeeded = False
            try:
                succeeded = self._shut_down(request.deadline, request.end)
            except Exception:
                # The answer is worth more than the reason, and the thread must not end here.
                _logger.debug("a shutdown failed", exc_info=True)
            self._is_over = True
            request.finish(succeeded=succeeded)

    def _note_signal(self, signal_number: int) -> None:
        patience_s = self._on_signal(signal_number)
        if patience_s is not None:
            self._awaited.setdefault(signal_number, time.monotonic() + patience_s)

    def _report_overdue_signals(self) -> None:
        now = time.monotonic()
        for signal_number, deadline in list(self._awaited.items()):
            if signal_number in self._handled:
                del self._awaited[signal_number]
            elif now >= deadline:
                del self._awaited[signal_number]
                self._on_overdue(signal_number)

    def _patience_s(self) -> float | None:
        deadlines = list(self._awaited.values())
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def close_pipe(self) -> None:
        """Close the pipe, once no signal can be written to it any more and the thread has ended."""
        if self._thread is not None:
            self._thread.join(_THREAD_END_S)
            if self._thread.is_alive():
                return
        self._close_pipe()

    def _close_pipe(self) -> None:
        descriptors, self._descriptors = self._descriptors, None
        for descriptor in descriptors or ():
            with contextlib.suppress(OSError):
                os.close(descriptor)
