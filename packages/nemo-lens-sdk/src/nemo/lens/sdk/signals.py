# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Flush on SIGTERM and on warning signals, without changing how the process ends."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    from nemo.lens.sdk.pipeline import Pipeline

GRACE_MS = 5000.0
PATIENCE_MS = 1000.0
"""So long, of that, the main thread may take to come to a handler."""

_logger = logging.getLogger(__name__)


class SignalFlush:
    """Handlers that flush within a deadline and then let the signal do what it did before.

    A handler of the application is called after the flush. Where the default action would have
    ended the process, the pipeline is shut down, open spans included, and the signal is raised
    again with its default action, so that the exit status stays what it was.

    Args:
        pipeline: What is flushed and shut down.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self.supervisor = Supervisor(pipeline.shut_down, self.on_signal, self.on_overdue)
        self._previous: dict[int, Any] = {}
        self._warnings: frozenset[int] = frozenset()
        self._owns_wakeup = False

    def install(self, *, sigterm: bool, warning_signals: Iterable[str]) -> None:
        """Install the handlers; from another thread than the main one, at its next instruction.

        Args:
            sigterm: Flush on SIGTERM.
            warning_signals: Names of signals that flush and otherwise do nothing unless the
                application handles them.
        """
        self._warnings = frozenset(int(signal.Signals[name]) for name in warning_signals)
        wanted = set(self._warnings)
        if sigterm:
            wanted.add(int(signal.SIGTERM))
        if not wanted:
            return
        if threading.current_thread() is threading.main_thread():
            self._install(wanted)
        else:
            _call_in_main_thread(lambda: self._install(wanted))

    def restore(self) -> None:
        """Put back what was there, where it is still ours.

        Only the main thread can; from another one the handlers stay, and so does the pipe that
        signals are written to.
        """
        if threading.current_thread() is not threading.main_thread():
            if not self._owns_wakeup:
                self.supervisor.close_pipe()
            return
        for number, previous in self._previous.items():
            if signal.getsignal(number) == self._handle:
                signal.signal(number, previous)
        self._previous = {}
        if self._owns_wakeup:
            self._owns_wakeup = False
            current = signal.set_wakeup_fd(-1)
            if current not in (-1, self.supervisor.write_end):
                # The application took the descriptor over meanwhile; one cannot look first.
                signal.set_wakeup_fd(current)
        self.supervisor.close_pipe()

    def after_fork(self) -> None:
        """Let signals of a forked child wake the child, not the parent."""
        if self._owns_wakeup:
            signal.set_wakeup_fd(-1)
            self._owns_wakeup = False

    def on_signal(self, number: int) -> float | None:
        """Ask for a flush as soon as a signal arrives; called in the supervisor's thread."""
        if number not in self._previous:
            return None
        self._pipeline.ask(GRACE_MS)
        return PATIENCE_MS / 1000 if self._is_ours(number) else None

    def on_overdue(self, number: int) -> None:
        """End the process as the signal would have, when the main thread never gets to it."""
        if self._is_fatal(number) and self._is_ours(number):
            deadline = time.monotonic() + (GRACE_MS - PATIENCE_MS) / 1000
            self._pipeline.shut_down(deadline, _end_of(number))
            self._say_what_was_lost()
            _end_by(number)

    def _is_ours(self, number: int) -> bool:
        """False when the application has installed another handler, which decides from then on."""
        return signal.getsignal(number) == self._handle

    def _is_fatal(self, number: int) -> bool:
        """True when the default action of the signal ends the process."""
        return number not in self._warnings and self._previous.get(number) is signal.SIG_DFL

    def _install(self, wanted: Iterable[int]) -> None:
        for number in wanted:
            previous = signal.getsignal(number)
            if previous is None or previous is signal.SIG_IGN or previous == self._handle:
                # Handlers of C code cannot be chained; an ignored signal stays ignored.
                continue
            self._previous[number] = previous
            signal.signal(number, self._handle)
        self._take_wakeup()

    def _take_wakeup(self) -> None:
        write_end = self.supervisor.write_end
        if write_end is None:
            return
        before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        if before == -1:
            self._owns_wakeup = True
        else:
            signal.set_wakeup_fd(before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.supervisor.handled(number)
        previous = self._previous.get(number)
        if callable(previous):
            # It may end the process in a way that nothing here notices, and soon.
            self._pipeline.hurry()
            self._pipeline.flush(GRACE_MS)
            previous(number, frame)
        elif self._is_fatal(number):
            self.supervisor.shut_down(GRACE_MS, _end_of(number))
            self._say_what_was_lost()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        else:
            self._pipeline.flush(GRACE_MS)

    def _say_what_was_lost(self) -> None:
        line = self._pipeline.losses_line()
        if line:
            # The logging module takes locks that the interrupted code may hold.
            with contextlib.suppress(OSError):
                os.write(2, f"nemo-lens: {line}\n".encode("utf-8", "replace"))


def _end_of(number: int) -> str:
    return f"signal:{signal.Signals(number).name}"


def _end_by(number: int) -> None:
    """End the process by a signal from a thread that may not change Python's handlers."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).signal(number, None)
        os.kill(os.getpid(), number)
    os._exit(128 + number)


def _call_in_main_thread(function: Callable[[], None]) -> None:
    """Have the main thread call a function, at its next instruction or in its wait for a lock.

    A wait for a lock, or for a thread to end, is left for pending calls when a signal comes that
    has a handler. Only the main thread can give Python a handler, so a signal that is ignored by
    default is handled for this moment by a C function that does nothing with a number.
    """
    import ctypes

    callback_type = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    set_c_handler = ctypes.pythonapi.PyOS_setsig
    set_c_handler.argtypes, set_c_handler.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p

    def run(_argument: int | None) -> int:
        _kept_alive.remove(callback)
        set_c_handler(signal.SIGURG, before)
        try:
            function()
        except Exception:
            _logger.warning("signal handlers could not be installed", exc_info=True)
        return 0

    callback = callback_type(run)
    _kept_alive.append(callback)
    before = set_c_handler(signal.SIGURG, ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p))
    if before is not None:  # somebody uses it: their handler is worth more
        set_c_handler(signal.SIGURG, before)
    ctypes.pythonapi.Py_AddPendingCall(callback, None)
    main_thread = threading.main_thread().ident
    if before is None and main_thread is not None:
        signal.pthread_kill(main_thread, signal.SIGURG)


_kept_alive: list[Any] = []
