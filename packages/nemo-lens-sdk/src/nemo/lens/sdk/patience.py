# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Work on files that somebody waits for, though not for ever: a shared filesystem may hang."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_logger = logging.getLogger("nemo.lens.sdk")


def done_within(timeout_s: float, work: Callable[[], object]) -> bool:
    """Do `work` in a thread of its own, and wait for its end.

    Args:
        timeout_s: How long to wait, in seconds; after that `work` goes on with nobody waiting.
        work: What to do.

    Returns:
        True when it was done in time.

    Raises:
        RuntimeError: The process can have no further thread.
        Exception: What `work` has raised in time.
    """
    failures: list[Exception] = []

    def do() -> None:
        try:
            work()
        except Exception as error:
            failures.append(error)
            _logger.debug("what was waited for failed", exc_info=True)

    thread = threading.Thread(target=do, name="nemo-lens opening", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if failures:
        raise failures[0]
    return not thread.is_alive()
