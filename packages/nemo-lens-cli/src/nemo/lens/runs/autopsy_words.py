# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How an autopsy calls things: who, where, when."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.quantities import noun, plural
from nemo.lens.runs.rank_names import ranks_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.runs.autopsy_standings import Standing

_MOST_LISTED: Final = 16
_NANO: Final = 10**9


def moment(nano: int) -> str:
    """A moment in UTC, for a person."""
    return f"{datetime.fromtimestamp(nano // _NANO, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def where(standing: Standing) -> str:
    """In what a process stood: "forward_backward of step 41"."""
    place = standing.place
    number = "" if place.step is None else f"step {place.step}"
    if place.wait is not None:
        what = place.wait.name
    elif (phase := place.phase) is not None:
        what = phase.group or phase.name
        inner = place.path[-1]
        if inner is not phase:
            what += f" ({inner.name})"
    elif place.in_step:
        return f"{number or 'a step'} (in none of its phases)"
    elif place.path:
        return f"{place.path[-1].name}" + (f", at {number}" if number else "")
    else:
        return _after(standing)
    if not number:
        return what
    return f"{what} of {number}" if place.in_step else f"{what} at {number}"


def _after(standing: Standing) -> str:
    """Without an open span: what ended last."""
    step = standing.place.step
    behind = f"step {step}" if step is not None else ""
    if standing.last_span and (standing.unfinished or not behind):
        return f"{standing.last_span} after {behind}" if behind else standing.last_span
    return behind


def who(members: Sequence[Standing], *, hosts: bool = True) -> str:
    """Who they are, with their host where they share one."""
    ranks = sorted(member.rank for member in members if member.rank is not None)
    names = {member.process.host for member in members}
    on = f" on {names.pop()}" if hosts and len(names) == 1 and "" not in names else ""
    if not ranks:
        pids = [member.process.label for member in members]
        return (f"Process {pids[0]}" if len(pids) == 1 else f"{len(pids)} processes") + on
    named = in_words(ranks)
    return named[0].upper() + named[1:] + on


def in_words(ranks: Sequence[int]) -> str:
    """Ranks by their numbers, or only how many where that would be a long list."""
    return ranks_in_words(ranks) if len(ranks) <= _MOST_LISTED else f"{len(ranks):,} ranks"


def everybody(members: Sequence[Standing]) -> str:
    """All of them together."""
    ranked = all(member.rank is not None for member in members)
    if len(members) == 1:
        return who(members)
    return f"All {plural(len(members), 'rank' if ranked else 'process', '' if ranked else 'processes')}"


def be(members: Sequence[Standing]) -> str:
    """Is, or are."""
    return noun(len(members), "is", "are")


def it(members: Sequence[Standing]) -> str:
    """It, or they."""
    return noun(len(members), "it", "they")


def them(members: Sequence[Standing]) -> str:
    """It, or them."""
    return noun(len(members), "it", "them")
