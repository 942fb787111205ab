# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The worker thread and the supervisor, at the edges of a process's life."""

from __future__ import annotations

import threading
import time

import pytest

from nemo.lens.sdk.supervisor import Supervisor
from nemo.lens.sdk.worker import Worker


class Task:
    """Counts its rounds."""

    def __init__(self):
        self.rounds = 0
        self.closed = 0

    def run_once(self, deadline):
        """Succeed."""
        self.rounds += 1
        return True

    def pause_s(self):
        """Wait for requests only."""

    def close(self):
        """Note it."""
        self.closed += 1


def _worker(task):
    return Worker("nemo-lens test", task, lambda: None)


def _ask(worker, *, final=False):
    return worker.ask(time.monotonic() + 5, final=final)


@pytest.fixture
def no_new_threads(monkeypatch):
    """Refuse threads, as an interpreter that is shutting down does since Python 3.12."""

    def refuse(_thread):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)


def test_where_no_thread_can_start_the_work_is_done_at_once(no_new_threads):
    """A forked child that exits through `atexit` still delivers."""
    task = Task()
    assert _ask(_worker(task), final=True).wait()
    assert (task.rounds, task.closed) == (1, 1)


def test_where_no_thread_can_start_the_supervisor_shuts_down_at_once(no_new_threads):
    """With the same answer."""
    calls = []
    supervisor = Supervisor(
        lambda _deadline, end: not calls.append(end), lambda _number: None, lambda _number: None
    )
    assert supervisor.shut_down(1000, "exit")
    assert calls == ["exit"]


def test_requests_after_the_end_are_answered_at_once():
    """Nobody waits for a thread that has ended."""
    task = Task()
    worker = _worker(task)
    assert _ask(worker, final=True).wait()
    begun = time.monotonic()
    assert _ask(worker).wait()
    assert time.monotonic() - begun < 1
    assert task.closed == 1


def test_a_round_that_raises_is_a_failure_and_not_the_end():
    """The next round runs, and the end still closes the task."""
    task = Task()

    def fail(_deadline):
        raise OSError("once")

    worker = _worker(task)
    task.run_once = fail
    assert not _ask(worker).wait()
    del task.run_once
    assert _ask(worker).wait()
    assert _ask(worker, final=True).wait()
    assert task.closed == 1


def test_any_number_of_callers_may_wait_for_one_shutdown():
    """All of them get an answer, and it happens once."""
    calls = []

    def shut_down(_deadline, end):
        calls.append(end)
        time.sleep(0.1)
        return True

    supervisor = Supervisor(shut_down, lambda _number: None, lambda _number: None)
    supervisor.start()
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(supervisor.shut_down(5000, "x")))
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert answers == [True] * 5
    supervisor.close_pipe()


def test_a_thread_that_could_not_start_is_tried_again(no_new_threads):
    """Every request is answered meanwhile; none waits for a thread that is not there."""
    task = Task()
    worker = _worker(task)
    begun = time.monotonic()
    assert _ask(worker).wait()
    assert _ask(worker).wait()
    with pytest.raises(RuntimeError):
        worker.start()
    assert time.monotonic() - begun < 1
    assert task.rounds == 2


def test_a_supervisor_whose_thread_could_not_start_keeps_no_pipe(no_new_threads, monkeypatch):
    """The error is the caller's; a later start works."""
    supervisor = Supervisor(lambda _deadline, _end: True, lambda _: None, lambda _: None)
    with pytest.raises(RuntimeError):
        supervisor.start()
    assert supervisor.write_end is None
    monkeypatch.undo()
    supervisor.start()
    assert supervisor.write_end is not None
    assert supervisor.shut_down(1000, "exit")
    supervisor.close_pipe()


@pytest.mark.parametrize("ending", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_what_would_end_a_process_does_not_end_a_worker_thread(ending):
    """An exporter may call `sys.exit`; the next round runs."""
    task = Task()

    def end(_deadline):
        raise ending

    worker = _worker(task)
    task.run_once = end
    assert not _ask(worker).wait()
    del task.run_once
    assert _ask(worker).wait()
    assert _ask(worker, final=True).wait()
    assert task.closed == 1


def test_in_the_callers_thread_what_ends_the_process_goes_through(no_new_threads):
    """There it may be the user who presses Ctrl-C."""
    task = Task()

    def end(_deadline):
        raise KeyboardInterrupt

    task.run_once = end
    with pytest.raises(KeyboardInterrupt):
        _ask(_worker(task))


def test_a_worker_whose_entry_fails_still_works():
    """What it enters keeps exports out of traces; the exports come first."""

    def fail():
        raise RuntimeError("no supervisor")

    task = Task()
    worker = Worker("nemo-lens test", task, fail)
    assert _ask(worker).wait()
    assert _ask(worker, final=True).wait()
    assert task.closed == 1
