# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Starts the ranks of the demo, listens to them, and leaves no process behind."""

from __future__ import annotations

import multiprocessing
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, cast

from nemo.lens.cli.demo import process_group
from nemo.lens.cli.demo.messages import Evaluated, Progress, Stopped
from nemo.lens.cli.demo.worker import EXIT_FAILED, EXIT_PEER_LOST, run_rank
from nemo.lens.cli.exits import ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from nemo.lens.cli.demo.messages import Message, TrainingPlan

# A rank whose peer is gone only has to flush its telemetry; after that it is ended.
GRACE_S = 10.0
_SECOND_GRACE_S = 3.0


@dataclass
class Outcome:
    """How the training went.

    Attributes:
        step: The last step that rank 0 finished, 0 when there is none.
        loss: Mean loss of that step over the batches of all ranks, None before the first step.
        evaluated: The last measurement on held-out examples, None when there was none.
        failures: One sentence for each rank that caused an early end; empty after a whole run.
        tracebacks: The whole story of ranks that ended by a fault of the program.
    """

    step: int = 0
    loss: float | None = None
    evaluated: Evaluated | None = None
    failures: list[str] = field(default_factory=list[str])
    tracebacks: list[str] = field(default_factory=list[str])

    def note(self, message: Message) -> None:
        """Keep what a rank says about the training."""
        if isinstance(message, Progress):
            self.step, self.loss = message
        elif isinstance(message, Evaluated):
            self.evaluated = message


@dataclass
class _Rank:
    """A started process and what is known of it."""

    number: int
    process: SpawnProcess
    messages: Connection[None, Message]
    stopped: Stopped | None = None
    silent: bool = False
    ended_by_launcher: bool = False


def launch(plan: TrainingPlan, outcome: Outcome, listener: Callable[[Message], None]) -> None:
    """Train in one process for each rank and wait for the end.

    Args:
        plan: What to train.
        outcome: Filled while the training goes on, so that an interrupt loses nothing.
        listener: Called with each message of rank 0.

    Raises:
        ProblemError: The system refuses to start that many processes.
        KeyboardInterrupt: Passed on after every rank has ended.
    """
    ranks: list[_Rank] = []
    try:
        try:
            _start(plan, ranks)
        except OSError as error:
            raise ProblemError(
                f"only {len(ranks)} of {plan.world_size} ranks could be started "
                f"({error.strerror}); try fewer --ranks"
            ) from error
        _watch(ranks, outcome, listener)
    finally:
        _end(ranks)
    _explain(ranks, outcome)


def _start(plan: TrainingPlan, ranks: list[_Rank]) -> None:
    context = multiprocessing.get_context("spawn")
    links = process_group.connect(plan.world_size)
    with _interrupt_held_back():
        for number in range(plan.world_size):
            near, far = context.Pipe(duplex=False)
            process = context.Process(
                target=run_rank,
                args=(plan, number, links[number], far),
                name=f"rank-{number}",
                daemon=True,
            )
            process.start()
            ranks.append(_Rank(number, process, cast("Connection[None, Message]", near)))
            # Only the rank itself may hold these, or nobody would notice its death.
            for connection in (far, *links[number]):
                connection.close()


@contextmanager
def _interrupt_held_back() -> Generator[None]:
    """Start processes that never see Ctrl-C: the launcher alone decides how a run ends.

    A blocked signal stays blocked in a spawned process; here it is delivered afterwards.
    """
    # The tracker unblocks the signal when it starts, so it has to run before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(ranks: list[_Rank], outcome: Outcome, listener: Callable[[Message], None]) -> None:
    """Listen until every rank has ended, or the grace of the survivors is over."""
    deadline: float | None = None
    while running := [rank for rank in ranks if rank.process.exitcode is None]:
        timeout = None if deadline is None else deadline - time.monotonic()
        if timeout is not None and timeout <= 0:
            return
        listening = [rank for rank in ranks if not rank.silent]
        sources = [rank.messages for rank in listening]
        ready = wait([*sources, *(rank.process.sentinel for rank in running)], timeout)
        for rank in listening:
            if rank.messages in ready and (message := _read(rank)) is not None:
                outcome.note(message)
                listener(message)
        if deadline is None and any(rank.process.exitcode for rank in ranks):
            deadline = time.monotonic() + GRACE_S
    for rank in ranks:
        while not rank.silent:
            if (message := _read(rank)) is not None:
                outcome.note(message)
                listener(message)


def _read(rank: _Rank) -> Message | None:
    """The next message about the training, or None for the rank's last words."""
    try:
        message = rank.messages.recv()
    except (EOFError, OSError):
        rank.silent = True
        return None
    if isinstance(message, Stopped):
        rank.stopped = message
        return None
    return message


def _end(ranks: list[_Rank]) -> None:
    """End what still runs: asked first, so that telemetry is flushed, then forced."""
    try:
        for rank in ranks:
            if rank.process.exitcode is None:
                rank.ended_by_launcher = True
                rank.process.terminate()
        deadline = time.monotonic() + _SECOND_GRACE_S
        for rank in ranks:
            rank.process.join(max(0.0, deadline - time.monotonic()))
    finally:
        for rank in ranks:
            if rank.process.exitcode is None:
                rank.process.kill()
                rank.process.join()


def _explain(ranks: list[_Rank], outcome: Outcome) -> None:
    """Tell the ranks that broke the run from those that only noticed."""
    for rank in ranks:
        code = rank.process.exitcode or 0
        if code in (0, EXIT_PEER_LOST) or rank.ended_by_launcher:
            continue
        outcome.failures.append(_sentence(rank, code))
        if rank.stopped is not None and code == EXIT_FAILED:
            outcome.tracebacks.append(rank.stopped.traceback)
    if not outcome.failures:
        outcome.failures.extend(
            f"Rank {rank.number} gave up: {rank.stopped.reason}."
            for rank in ranks
            if rank.stopped is not None
        )


def _sentence(rank: _Rank, code: int) -> str:
    if code < 0:
        return f"Rank {rank.number} was killed by {_signal_name(-code)}."
    reason = rank.stopped.reason if rank.stopped is not None else f"it exited with status {code}"
    return f"Rank {rank.number} failed: {reason}."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name of its own
        return f"signal {number}"
