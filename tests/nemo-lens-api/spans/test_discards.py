# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Counting what could not be recorded."""

import os
import threading

from nemo.lens.spans import discards
from nemo.lens.spans.discards import discard, discarded


def test_each_kind_is_counted_and_logged_once(caplog):
    """The log names the logger of the helpers."""
    for _ in range(3):
        discard("a kind", "Lost %s.", "something")
    discard("another", "Lost too.")
    assert discarded() == {"a kind": 3, "another": 1}
    assert [record.getMessage() for record in caplog.records] == ["Lost something.", "Lost too."]
    assert {record.name for record in caplog.records} == {"nemo.lens.helpers"}


def test_the_answer_is_a_copy():
    """Changing it changes nothing."""
    discard("k", "m")
    discarded().clear()
    assert discarded() == {"k": 1}


def test_counts_are_exact_with_many_threads():
    """No count is lost to a race."""
    threads = [
        threading.Thread(target=lambda: [discard("k", "m") for _ in range(500)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert discarded() == {"k": 4000}


def test_a_signal_handler_may_count_while_the_thread_counts():
    """The lock is re-entrant."""
    with discards._lock:
        discard("k", "m")
    assert discarded() == {"k": 1}


def test_a_child_forked_while_another_thread_counts_is_not_stuck():
    """The lock is renewed in the child."""
    held, release = threading.Event(), threading.Event()

    def hold():
        with discards._lock:
            held.set()
            release.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    child = os.fork()
    if child == 0:
        import signal

        signal.alarm(5)
        discard("k", "m")
        os._exit(0 if discarded() == {"k": 1} else 1)
    release.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
