# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The process that sends and keeps the journal, so that a kill of the command loses no receipt.

Between the receiver's confirmation and the line in the journal lies a moment in which a process
that dies would send a request twice later. The command can be killed at any time, by Ctrl-C or by
SIGKILL: this process is in a session of its own, ends what it has under way, notes it, and only
then follows. What remains is the death of this process itself, or of the machine, in that moment.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from nemo.lens.cli.exits import ProblemError
from nemo.lens.cli.replay.journal import Journal, Position, Progress, Receipt
from nemo.lens.cli.replay.requests import Request, RequestError, parse

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from nemo.lens.cli.replay.recorded_lines import Line
    from nemo.lens.sdk.exporters.otlp_variables import Signal
    from nemo.lens.sdk.exporters.recorded import RecordedRequests

_LOCK_PATIENCE_S: Final = 30.0
_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0


class Orders(NamedTuple):
    """What the courier has to know.

    Attributes:
        environment: Variables that say where to and how; None for those that must not be set.
        journal: The journal file.
        about: What the journal is of.
        patience_s: For how long a request is tried again while the receiver is away.
        skip_refused: Whether to pass over requests that the receiver will not take.
    """

    environment: dict[str, str | None]
    journal: Path
    about: dict[str, Any]
    patience_s: float
    skip_refused: bool


class Answer(NamedTuple):
    """What the command hears of a line.

    Attributes:
        progress: Everything so far.
        items: How many items the line carried, for the pace.
        problem: What is wrong with the line, "" when nothing is.
        stopped: Why nothing more is sent, "" while it goes on.
    """

    progress: Progress
    items: int = 0
    problem: str = ""
    stopped: str = ""


class _StoppedError(Exception):
    """The receiver is away for too long, or takes nothing."""


def serve(connection: Connection, orders: Orders) -> None:
    """Send line after line until the command is gone."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    try:
        journal = Journal(orders.journal, orders.about, _LOCK_PATIENCE_S)
    except ProblemError as error:
        connection.send(Answer(Progress(), stopped=str(error)))
        return
    courier = _Courier(connection, journal, orders)
    try:
        connection.send(Answer(journal.progress))
        while True:
            connection.send(courier.deliver(connection.recv()))
    except (EOFError, ConnectionError):
        pass  # the command has ended, or was killed
    finally:
        courier.close()


class _Courier:
    def __init__(self, connection: Connection, journal: Journal, orders: Orders) -> None:
        self._connection = connection
        self._journal = journal
        self._orders = orders
        self._sinks: dict[str, RecordedRequests] = {}
        for name, value in orders.environment.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    def deliver(self, line: Line) -> Answer:
        """Send one line, in parts where it is too large, and note what became of it."""
        try:
            return self._deliver(line)
        except OSError as error:
            reason = f"the journal cannot be written ({error.strerror or error})"
            return Answer(self._journal.progress, stopped=reason)

    def _deliver(self, line: Line) -> Answer:
        try:
            request = parse(line.body)
        except RequestError as error:
            self._journal.write(Receipt(line.file, Position(line.number), line.signal, 0))
            return Answer(
                self._journal.progress, problem=f"{line.file}, line {line.number}: {error}"
            )
        items = request.items
        try:
            self._send(line, request, line.skip, items)
        except _StoppedError as error:
            return Answer(self._journal.progress, items, stopped=str(error))
        return Answer(self._journal.progress, items)

    def close(self) -> None:
        """End the connections, and give the journal back."""
        for sink in self._sinks.values():
            sink.close()
        self._journal.close()

    def _send(self, line: Line, request: Request, first: int, last: int) -> None:
        """Send the items from `first` up to `last`."""
        from nemo.lens.sdk.export_queue import Outcome

        whole = first == 0 and last == request.items
        sink = self._sink(request.signal)
        outcome = self._persist(sink, request if whole else request.part(first, last))
        if outcome is Outcome.TOO_LARGE and last - first > 1:
            middle = (first + last) // 2
            self._send(line, request, first, middle)
            self._send(line, request, middle, last)
            return
        count = last - first
        if outcome is not Outcome.DELIVERED and not self._orders.skip_refused:
            raise _StoppedError(
                f"the receiver refuses {line.file}, line {line.number} ({sink.reason}); "
                "--skip-refused passes over what it will not take"
            )
        rejected = min(count, sink.rejected)
        done = last == request.items
        self._journal.write(
            Receipt(
                line.file,
                Position(line.number) if done else Position(line.number - 1, last),
                line.signal,
                delivered=count - rejected if outcome is Outcome.DELIVERED else 0,
                rejected=rejected if outcome is Outcome.DELIVERED else 0,
                refused=0 if outcome is Outcome.DELIVERED else count,
            )
        )

    def _persist(self, sink: RecordedRequests, request: Request) -> Any:
        """Send, and send again while the receiver is away but may come back."""
        from nemo.lens.sdk.export_queue import Outcome

        deadline = time.monotonic() + self._orders.patience_s
        pause = _FIRST_PAUSE_S
        while (outcome := sink.send([request.message])) is Outcome.RETRY:
            wait = max(pause, sink.retry_after_s)
            if time.monotonic() + wait > deadline:
                raise _StoppedError(f"the receiver cannot be reached ({sink.reason})")
            # The command asks for nothing before it has an answer: what comes now is its end.
            if self._connection.poll(wait):
                raise _StoppedError("the command is gone")
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        return outcome

    def _sink(self, signal_name: str) -> RecordedRequests:
        from nemo.lens.sdk.exporters.recorded import RecordedRequests

        if signal_name not in self._sinks:
            self._sinks[signal_name] = RecordedRequests(cast("Signal", signal_name))
        return self._sinks[signal_name]
