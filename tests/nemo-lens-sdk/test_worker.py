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
