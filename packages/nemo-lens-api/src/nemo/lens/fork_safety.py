# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Forks of a process with threads: what they wait for, and repair in the child.

A child of `os.fork` inherits every lock in the state it had at that instant; a lock that another
thread of the parent was holding stays locked for ever. Modules that own such a lock give a repair
function to `run_in_forked_child`. Only weak references are kept, so a module that was dropped from
`sys.modules` takes its repair function with it.

The lock of a module that another thread is importing cannot be repaired: the child could never
import that module. So modules that are loaded at their first use are imported inside `forks_wait()`.
"""

from __future__ import annotations

import os
import sys
import weakref
from contextlib import suppress
from threading import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST_WAIT_S = 30.0
"""A fork waits no longer than this: a thread that hangs in an import must not stop the forks."""

_repairs: list[weakref.ref[Callable[[], object]]] = []

# Re-entrant: imports nest, and an import may fork. Both sides give up waiting after a while, since
# the thread that holds it may itself need a module that the waiting thread is importing.
_importing = RLock()
_waits_before_logging = False


class forks_wait:  # noqa: N801  # it reads as a statement
    """Around an import at first use: a fork in another thread waits until it is over.

    Only for the first use: threads that go through it all the time could keep a fork waiting.
    """

    __slots__ = ("_held",)

    def __enter__(self) -> None:
        lock = _importing
        self._held = lock if lock.acquire(timeout=LONGEST_WAIT_S) else None
        if not _waits_before_logging:
            _wait_before_logging()

    def __exit__(self, *_exception: object) -> None:
        if self._held is not None:
            self._held.release()


def run_in_forked_child(repair: Callable[[], object]) -> Callable[[], object]:
    """Have `repair` called in every child that this process forks, before anything else runs there.

    Args:
        repair: A module-level function without arguments. It is held weakly: when its module goes,
            it is no longer called. It must not take a lock that it does not re-create itself.

    Returns:
        `repair` itself, so that the function can be used as a decorator.
    """
    _repairs[:] = [reference for reference in _repairs if reference() is not None]
    _repairs.append(weakref.ref(repair))
    return repair


def _wait_before_logging() -> None:
    """Have forks wait before `logging` takes its lock, which imports need too.

    Hooks that are registered later run earlier, so `logging` must have registered its own.
    """
    global _waits_before_logging
    import logging  # noqa: F401  # pyright: ignore[reportUnusedImport]

    if not _waits_before_logging:
        _waits_before_logging = True
        _register_waiting()


def _register_waiting() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_wait_for_imports, after_in_parent=_let_imports_go_on)


def _wait_for_imports() -> None:
    logging_was_there = _waits_before_logging
    if not _importing.acquire(blocking=False):
        _wait_without_lock_of_logging()
    if _waits_before_logging and not logging_was_there:
        _hold_lock_of_logging()


def _wait_without_lock_of_logging() -> None:
    """Wait for a thread that may be importing `logging`, which takes its lock to the end.

    This thread has that lock already where the fork came when the hooks of `logging` stood and the
    one of ours that goes before them did not.
    """
    lock = _lock_of_logging()
    if lock is None or not _is_mine(lock):
        _importing.acquire(timeout=LONGEST_WAIT_S)
        return
    lock.release()
    _importing.acquire(timeout=LONGEST_WAIT_S)
    lock.acquire()


def _hold_lock_of_logging() -> None:
    """Take the lock that `logging` releases after this fork, but came too late to take before it.

    It was imported while the fork waited, when the hooks to call before the fork stood already.
    """
    lock = _lock_of_logging()
    if lock is not None and not _is_mine(lock):
        lock.acquire()


def _lock_of_logging() -> Any:
    """The lock, or None while `logging` has none; it may be in the middle of its import."""
    return getattr(sys.modules.get("logging"), "_lock", None)


def _is_mine(lock: Any) -> bool:
    return bool(lock._is_owned())  # noqa: SLF001


def _let_imports_go_on() -> None:
    with suppress(RuntimeError):  # not held: the wait was given up
        _importing.release()


def _repair_child() -> None:
    global _importing
    _importing = RLock()
    for reference in tuple(_repairs):
        repair = reference()
        if repair is None:
            continue
        try:
            repair()
        except Exception:
            # One module's failure must not leave the locks of the others in their broken state.
            import logging

            logging.getLogger(__name__).exception("A repair after fork failed: %r", repair)


# Registered here as well, because the very first import at first use is that of `logging`. The
# lock is re-entrant, so waiting twice in one fork is harmless.
_register_waiting()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_repair_child)
