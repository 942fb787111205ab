# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One line for each look, where output is no terminal."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.quantities import duration, number, plural, share

if TYPE_CHECKING:
    from nemo.lens.runs.tailing_answers import LiveRun

_NOTABLE_S: Final = 5.0


def line(live: LiveRun) -> str:
    """The moment in one line."""
    moment = datetime.fromtimestamp(live.at_unix_nano // 10**9, timezone.utc)
    return f"{moment:%H:%M:%S} UTC  " + "  ".join(facts(live))


def facts(live: LiveRun) -> list[str]:
    """Step, rate, ranks alive, slowest rank, drops; each in a few words."""
    found = [
        "no step yet" if live.step is None else f"step {live.step:,}",
        *_pace(live),
        _alive(live),
    ]
    slowest = live.slowest
    if slowest is not None:
        found.append(
            f"slowest rank {slowest.rank} on {slowest.host} "
            f"(+{share(slowest.excess_ratio)} own work)"
        )
    found.append(f"{sum(live.lost.values()):,} lost")
    return found


def _pace(live: LiveRun) -> list[str]:
    if live.steps_per_s is not None:
        return [f"{number(live.steps_per_s)} steps/s"]
    if live.step_quiet_s is None or live.step_quiet_s < _NOTABLE_S:
        return []
    return [f"no new step for {duration(round(live.step_quiet_s))}"]


def _alive(live: LiveRun) -> str:
    if live.ranks_expected is None:
        return f"{plural(live.ranks_alive, 'process', 'processes')} alive"
    return f"{live.ranks_alive:,} of {plural(live.ranks_expected, 'rank')} alive"
