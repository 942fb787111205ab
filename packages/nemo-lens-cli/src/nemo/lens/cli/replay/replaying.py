# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Replays a run: hands its lines to the courier at the pace that was asked for."""

from __future__ import annotations

import multiprocessing
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.exits import ProblemError
from nemo.lens.cli.replay import courier
from nemo.lens.cli.replay.recorded_lines import lines_to_deliver, recorded_files
from nemo.lens.runs.answers import Answer
from nemo.lens.runs.problems import Problems
from nemo.lens.runs.quantities import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator
    from multiprocessing.connection import Connection

    from nemo.lens.cli.replay.courier import Orders
    from nemo.lens.cli.replay.journal import Progress
    from nemo.lens.cli.replay.recorded_lines import Line
    from nemo.lens.runs.locate import RunLocation

_NOUNS: Final = {"traces": "span", "metrics": "metric", "logs": "log record"}


@dataclass(frozen=True)
class ReplayReport(Answer):
    """What was replayed.

    Attributes:
        complete: Whether everything that could be read was sent, and taken.
        delivered: Items that the receiver took, by signal, earlier calls included; of metrics one
            item is a metric with all its points.
        delivered_before: How many of all of them earlier calls had delivered.
        rejected: Items that the receiver took but did not keep, as it said itself.
        refused: Items of requests that it would not take.
        journal: Where it is noted.
    """

    complete: bool
    delivered: dict[str, int]
    delivered_before: int
    rejected: int
    refused: int
    journal: str


def replay(
    location: RunLocation,
    orders: Orders,
    *,
    signals: Collection[str],
    rate: float,
    say: Callable[[str], object] = str,
) -> ReplayReport:
    """Send what a run recorded, and was not delivered before, to an OTLP endpoint.

    Args:
        location: The run.
        orders: Where to, and how.
        signals: Which of "traces", "metrics" and "logs".
        rate: Most items per second; 0 for as fast as the receiver takes them.
        say: Called with what has been done, for progress.

    Raises:
        ProblemError: Nothing could be sent at all.
    """
    problems = Problems()
    try:
        files = recorded_files(location, signals)
    except OSError as error:
        raise ProblemError(f"cannot read {str(location.path)!r}: {error.strerror}") from error
    with _courier(orders) as ask:
        answer = ask(None)
        if answer.stopped:
            raise ProblemError(answer.stopped)
        before = sum(answer.progress.delivered.values())
        pace = _Pace(rate)
        for number, file in enumerate(files, start=1):
            for line in lines_to_deliver(file, signals, answer.progress.done, problems):
                answer = ask(line)
                if answer.problem:
                    problems.add(answer.problem)
                if answer.stopped:
                    return _report(location, orders, answer, before, problems)
                say(f"{_counted(answer.progress)}, file {number:,} of {len(files):,}")
                pace.wait(answer.items)
    return _report(location, orders, answer, before, problems)


class _Pace:
    """Keeps the number of items per second below a rate."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._next = time.monotonic()

    def wait(self, items: int) -> None:
        """Return when the items that were just sent have had their time."""
        if not self._rate:
            return
        now = time.monotonic()
        # Time that was lost is not made up for by a burst.
        self._next = max(self._next, now - 1.0) + items / self._rate
        time.sleep(max(0.0, self._next - now))


@contextmanager
def _courier(
    orders: Orders,
) -> Generator[Callable[[Line | None], courier.Answer]]:
    """Start the courier; it ends, after what it has under way, when the block does."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(
        target=courier.serve, args=(theirs, orders), name="nemo-lens courier"
    )
    process.start()
    theirs.close()
    try:
        yield lambda line: _ask(ours, line)
    finally:
        ours.close()
        process.join()


def _ask(connection: Connection, line: Line | None) -> courier.Answer:
    try:
        if line is not None:
            connection.send(line)
        answer: courier.Answer = connection.recv()
    except (EOFError, ConnectionError) as error:
        raise ProblemError(
            "the process that sends has ended; run the same command again to go on"
        ) from error
    return answer


def _report(
    location: RunLocation,
    orders: Orders,
    answer: courier.Answer,
    before: int,
    problems: Problems,
) -> ReplayReport:
    progress = answer.progress
    complete = not (answer.stopped or progress.rejected or progress.refused)
    return ReplayReport(
        run=location.name,
        verdict=_verdict(answer, before),
        problems=problems.lines(),
        complete=complete,
        delivered=dict(progress.delivered),
        delivered_before=before,
        rejected=progress.rejected,
        refused=progress.refused,
        journal=str(orders.journal),
    )


def _verdict(answer: courier.Answer, before: int) -> str:
    progress = answer.progress
    total = sum(progress.delivered.values())
    sentences: list[str] = []
    if answer.stopped:
        sentences.append(f"Stopped: {answer.stopped}.")
    if total == before and before and not answer.stopped:
        sentences.append(f"Nothing was left to send: {_counted(progress)} were delivered before.")
    else:
        earlier = f", {before:,} of them before" if before else ""
        sentences.append(f"Delivered {_counted(progress)}{earlier}.")
    if progress.rejected:
        sentences.append(f"The receiver took {progress.rejected:,} more, but did not keep them.")
    if progress.refused:
        sentences.append(f"It refused {progress.refused:,}.")
    if answer.stopped:
        sentences.append("The same command goes on from here.")
    return " ".join(sentences)


def _counted(progress: Progress) -> str:
    texts = [plural(progress.delivered.get(signal, 0), noun) for signal, noun in _NOUNS.items()]
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
