# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Repair of process-wide state in a forked child, with one hook per process.

A child of `os.fork` inherits every lock in the state it had at that instant; a lock that another
thread of the parent was holding stays locked for ever. Modules that own such a lock give a repair
function to `run_in_forked_child`. Only weak references are kept, so a module that was dropped from
`sys.modules` takes its repair function with it.
"""

from __future__ import annotations

import os
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_repairs: list[weakref.ref[Callable[[], object]]] = []


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


def _repair_child() -> None:
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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_repair_child)
