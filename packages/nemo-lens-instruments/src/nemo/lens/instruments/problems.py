# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Say each distinct problem of the recording path once, and never raise."""

from __future__ import annotations

import logging
import threading

from nemo.lens.fork_safety import run_in_forked_child

_logger = logging.getLogger("nemo.lens.instruments.registry")

# Re-entrant: a signal handler may record a metric while this thread is in here. Made anew in a
# forked child, where the thread that held it does not exist.
_lock = threading.RLock()
_seen: set[tuple[str, ...]] = set()
_MOST_REMEMBERED = 4096


def warn_once(problem: tuple[str, ...], message: str, *details: object) -> None:
    """Log `message % details` as a WARNING unless `problem` was told before.

    Args:
        problem: What tells this problem from others: kind, group, and key where there is one.
        message: A `%`-style text that says what was got and what to do.
        *details: The text's arguments.
    """
    with _lock:
        if problem in _seen or len(_seen) >= _MOST_REMEMBERED:
            return
        _seen.add(problem)
    _logger.warning(message, *details)


def forget_problems(group: str | None = None) -> None:
    """Let the problems of `group` (of every group when None) be told again."""
    with _lock:
        if group is None:
            _seen.clear()
        else:
            _seen.difference_update({told for told in _seen if group in told[1:2]})


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction]
    forget_problems()


@run_in_forked_child
def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()
