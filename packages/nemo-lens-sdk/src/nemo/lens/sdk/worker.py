# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One background thread that works off one queue, and answers requests within a deadline.

Everything that a signal handler may call here (`wake`, `ask`, `Request.wait`) takes no lock that
the interrupted code could hold: `queue.SimpleQueue.put` is re-entrant by contract, and each
request brings a lock of its own.
"""

from __future__ import annotations

import collections
import logging
import queue
import threading
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

_logger = logging.getLogger(__name__)


class Task(Protocol):
    """What a worker does for its owner."""

    def run_once(self, deadline: float | None) -> bool:
        """Work off what is there; return True when nothing is left over.

        Somebody waits until `deadline` (on `time.monotonic`), or nobody does when it is None.
        """
        ...

    def pause_s(self) -> float | None:
        """Seconds until the next round; None to wait for a request."""
        ...

    def close(self) -> None:
        """Release what the task holds; called once, after the last round."""
        ...


class Request:
    """A round that somebody waits for.

    Args:
        deadline: Until when, on `time.monotonic`.
        final: Close the task after the round and end the thread.
    """

    __slots__ = ("_done", "deadline", "final", "succeeded")

    def __init__(self, deadline: float, *, final: bool) -> None:
        self.deadline = deadline
        self.final = final
        self.succeeded = False
        self._done = threading.Lock()
        self._done.acquire()

    def finish(self, *, succeeded: bool) -> None:
        """Let the waiting thread go on."""
        self.succeeded = succeeded
        self._done.release()

    def wait(self, grace_s: float = 0.0) -> bool:
        """Wait until `grace_s` past the deadline; True when the round succeeded by then."""
        remaining_s = max(0.0, self.deadline + grace_s - time.monotonic())
        if not self._done.acquire(timeout=remaining_s):
            return False
        self._done.release()
        return self.succeeded


class Worker:
    """The thread of one task, started at the first need and started anew in forked children.

    Args:
        name: Name of the thread, as debuggers show it.
        task: What to do in each round.
        enter_thread: Called once in the new thread before the first round.
    """

    def __init__(self, name: str, task: Task, enter_thread: Callable[[], object]) -> None:
        self._name = name
        self._task = task
        self._enter_thread = enter_thread
        self.reset()

    def reset(self) -> None:
        """Forget the thread: it does not exist in a forked child."""
        self._commands: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._next: collections.deque[Request] = collections.deque()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ended = False

    def start(self) -> None:
        """Start the thread unless it runs or has ended.

        Raises:
            RuntimeError: The process can have no further thread; a later call tries again.
        """
        if self._thread is None and not self._ended and self._starting.acquire(blocking=False):
            thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            # Known before it runs: its first round may ask who it is.
            self._thread = thread
            try:
                thread.start()
            except BaseException:
                self._thread = None
                self._starting.release()
                raise

    def wake(self) -> None:
        """Ask for a round now; nobody waits for it."""
        if self._thread is not None or self._can_start():
            self._commands.put(None)

    def ask(self, deadline: float, *, final: bool = False) -> Request:
        """Ask for a round and get the request to wait for."""
        request = Request(deadline, final=final)
        if self._ended:
            request.finish(succeeded=True)
            return request
        if self._thread is None and not self._can_start():
            self._answer(request)
            return request
        self._commands.put(request)
        return request

    def rest_until(self, moment: float) -> bool:
        """Let the round that runs pause, but not beyond what somebody else can wait for.

        Args:
            moment: On `time.monotonic`.

        Returns:
            False when the round has to end, because another one is wanted before that moment or for
            the end of the task.
        """
        while not any(each.final or each.deadline < moment for each in self._next):
            remaining_s = moment - time.monotonic()
            if remaining_s <= 0:
                return True
            try:
                request = self._commands.get(timeout=remaining_s)
            except queue.Empty:
                return True
            if request is not None:
                self._next.append(request)
        return False

    def _can_start(self) -> bool:
        """Start the thread; an interpreter that is shutting down allows no new one."""
        try:
            self.start()
        except RuntimeError:
            return False
        return True

    def _run(self) -> None:
        self._try(self._enter_thread)
        while not self._ended:
            self._answer(self._next_command())
        self._dismiss_latecomers()

    def _next_command(self) -> Request | None:
        if self._next:
            return self._next.popleft()
        try:
            return self._commands.get(timeout=self._task.pause_s())
        except queue.Empty:
            return None

    def _answer(self, request: Request | None) -> None:
        deadline = None if request is None else request.deadline
        succeeded = self._try(lambda: self._task.run_once(deadline))
        if request is None:
            return
        if request.final:
            self._ended = True
            self._try(self._task.close)
        request.finish(succeeded=succeeded is True)

    def _try(self, step: Callable[[], object]) -> object:
        try:
            return step()
        except BaseException as error:
            if not isinstance(error, Exception) and threading.current_thread() is not self._thread:
                # The round runs in the caller's thread, and so may be what ends the process.
                raise
            # A task reports its own failures; what still arrives here must not end the thread,
            # not even an exporter that calls `sys.exit`.
            _logger.debug("a round of %s failed", self._name, exc_info=True)
            return False

    def _dismiss_latecomers(self) -> None:
        while self._next:
            self._next.popleft().finish(succeeded=True)
        while True:
            try:
                request = self._commands.get_nowait()
            except queue.Empty:
                return
            if request is not None:
                request.finish(succeeded=True)
