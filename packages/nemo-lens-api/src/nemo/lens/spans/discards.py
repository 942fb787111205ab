# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the helpers could not record: counted by kind, the first of each kind logged.

Telemetry never raises into the code it watches, so a value that cannot be recorded is dropped or
repaired here. `discarded()` keeps that visible: the handle's statistics show it.
"""

from __future__ import annotations

import logging
from threading import RLock

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.spans.text import type_name

_logger = logging.getLogger("nemo.lens.helpers")

# Re-entrant, because a signal handler may open spans while this thread counts; replaced in a
# forked child, because another thread may have held it at the moment of the fork.
_lock = RLock()
_counts: dict[str, int] = {}


def discard(kind: str, message: str, *details: object) -> None:
    """Count one item of `kind`; log `message % details` as a WARNING the first time only.

    Args:
        kind: A short stable name, such as `"unsupported type"`; the key of `discarded()`.
        message: A `%`-style log text that says what was lost and what to do.
        *details: The text's arguments; they must be harmless to format.
    """
    with _lock:
        seen = _counts.get(kind, 0)
        _counts[kind] = seen + 1
    if not seen:
        _logger.warning(message, *details)


def report_span_failure(error: Exception) -> None:
    """Count attributes that a span, a foreign one perhaps, refused by raising `error`."""
    discard("span failure", "Attributes were lost: the span raised %s.", type_name(type(error)))


def discarded() -> dict[str, int]:
    """Return how many items were dropped or repaired in this process, by kind."""
    with _lock:
        return dict(_counts)


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction]
    with _lock:
        _counts.clear()


@run_in_forked_child
def _renew_lock() -> None:
    global _lock
    _lock = RLock()
