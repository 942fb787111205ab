# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How long to wait before a failed export is tried again."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_S = 0.5
LONGEST_S = 30.0
LAST_ATTEMPT_S = 0.5
"""So long before a deadline comes the last attempt, whatever is left of a pause then."""

_MOST_DOUBLINGS = 16


class Backoff:
    """Pauses that double with each failure, up to a limit, and are never the same twice."""

    def __init__(self) -> None:
        self._jitter = random.Random()  # noqa: S311 - spreads retries, protects nothing
        self.reset()

    def reset(self) -> None:
        """Forget the failures."""
        self._failures = 0
        self._retry_at = 0.0
        self._asked_until = 0.0

    def after_fork(self) -> None:
        """Forget the failures, and pause for other times than the parent."""
        self._jitter.seed()
        self.reset()

    def fail(self, retry_after_s: float = 0.0) -> None:
        """Note a failure.

        Args:
            retry_after_s: The least pause that the other side asks for.
        """
        pause_s = min(LONGEST_S, FIRST_S * 2**self._failures) * self._jitter.uniform(0.8, 1.2)
        self._failures = min(self._failures + 1, _MOST_DOUBLINGS)
        now = time.monotonic()
        self._asked_until = now + retry_after_s
        self._retry_at = max(now + pause_s, self._asked_until)

    def remaining_s(self) -> float:
        """Give the seconds that are left of the pause; 0 when nothing has failed."""
        return max(0.0, self._retry_at - time.monotonic())

    def may_begin(self, deadline: float | None, rest_until: Callable[[float], bool]) -> bool:
        """Say whether to try now, perhaps after a pause that the other side asked for.

        Somebody who waits cuts the pauses of our own short.

        Args:
            deadline: On `time.monotonic`; None when nobody waits for the export.
            rest_until: Waits until a moment; False when something urgent came between.
        """
        if deadline is None:
            return self.remaining_s() <= 0
        return _rest(self._asked_until, deadline, rest_until)

    def may_retry(self, deadline: float | None, rest_until: Callable[[float], bool]) -> bool:
        """Sit the pause after a failure out; one that is too long is cut for a last attempt.

        Args:
            deadline: On `time.monotonic`; None when nobody waits for the export.
            rest_until: As for `may_begin`.

        Returns:
            Whether it is time to try again.
        """
        if deadline is None:
            return False
        last_attempt = deadline - LAST_ATTEMPT_S
        moment = self._retry_at
        if moment > last_attempt > time.monotonic():
            moment = max(last_attempt, self._asked_until)
        return _rest(moment, deadline, rest_until)


def _rest(moment: float, deadline: float, rest_until: Callable[[float], bool]) -> bool:
    if moment <= time.monotonic():
        return True
    return moment < deadline and rest_until(moment)
