# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is said of processes that stood alike: one clause, by how they ended."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.autopsy_standings import (
    FAILED,
    FINISHED,
    INTERRUPTED,
    KILLED,
    SIGNAL,
    STOPPED,
    UNKNOWN,
)
from nemo.lens.runs.autopsy_words import be, it, moment, them, where
from nemo.lens.runs.quantities import duration, noun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from nemo.lens.runs.autopsy_standings import Standing

_NANO: Final = 10**9


def alike(members: Iterable[Standing]) -> list[list[Standing]]:
    """Those with the same end in the same place together, the largest group first."""
    groups: dict[tuple[object, ...], list[Standing]] = defaultdict(list)
    for member in members:
        groups[member.status, where(member), bool(member.place.path)].append(member)
    return sorted(groups.values(), key=len, reverse=True)


def clause(who: str, members: Sequence[Standing], now: int) -> str:
    """What happened to some that stood alike, for the one place where they are told of."""
    ending = _ENDINGS.get(members[0].status)
    if ending is not None:
        return f"{who} {ending(members)}"
    if members[0].status == UNKNOWN and not members[0].place.path:
        return f"{who} left {_recorded(members)}"
    verb = "waited" if members[0].waits else "been"
    return _stayed(who, members, verb, now, min)


def waiting(members: Sequence[Standing], who: str, target: str, now: int) -> str:
    """How long some that stood alike have waited.

    Args:
        members: Those.
        who: They in words.
        target: For whom they wait: " for it".
        now: Nanoseconds since 1970.
    """
    at, since = _within(members), _since(members, max)
    status = members[0].status
    verb = f"waited{target}" if members[0].waits else "been"
    if status == KILLED:
        participle = f", waiting{target}" if members[0].waits else ""
        return f"{who} {_was(members)} killed too{participle} {at}{since}"
    if status == FAILED:
        return f"{who} had {verb} {at}{since} and failed{_ended(members)}"
    if status == INTERRUPTED:
        return f"{who} had {verb} {at}{since} and shut telemetry down{_ended(members)}"
    return _stayed(who, members, verb, now, max)


def still_records(members: Sequence[Standing], waiters: Sequence[Standing], now: int) -> bool:
    """Whether some go on recording although the others have waited for long."""
    waits = [member.since for member in waiters if member.since is not None]
    last = min((member.last or 0 for member in members), default=0)
    patience = min((member.patience_ns for member in waiters), default=0.0)
    return bool(waits) and now - last < patience and last - max(waits) > patience / 2


def _stayed(
    who: str, members: Sequence[Standing], verb: str, now: int, of: Callable[[list[int]], int]
) -> str:
    """Of those that live, may live, or were ended from outside."""
    status, at, since = members[0].status, _within(members), _since(members, of)
    if status.startswith(SIGNAL):
        ended = f"{status[len(SIGNAL) :]} ended {them(members)}{_ended(members)}"
        return f"{who} had {verb} {at}{since} when {ended}"
    if status == UNKNOWN:
        seen = f"{verb.replace('waited', 'waiting')} {at}" if verb != "been" else at
        return f"{who} left no end and {_was(members)} last seen {seen}{since}"
    moments = [member.since for member in members if member.since is not None]
    lasted = f" ({duration((now - of(moments)) / _NANO)})" if moments else ""
    return f"{who} {_has(members)} {verb} {at}{since}{lasted}"


def _killed(members: Sequence[Standing]) -> str:
    return f"{_was(members)} killed {_within(members)}{_entered(members)}"


def _failed(members: Sequence[Standing]) -> str:
    return f"failed {_within(members)}{_ended(members)}"


def _stopped(members: Sequence[Standing]) -> str:
    held = f"{be(members)} stopped (SIGSTOP or a debugger) {_within(members)}"
    return f"{held}, where {it(members)} {_has(members)} been{_since(members, min)}"


def _interrupted(members: Sequence[Standing]) -> str:
    shut = f"shut telemetry down {_within(members)}{_ended(members)}"
    return f"{shut}, where {it(members)} had been{_since(members, min)}"


def _finished(members: Sequence[Standing]) -> str:
    return f"ended in order {_within(members)}{_ended(members)}"


_ENDINGS: Final[dict[str, Callable[[Sequence[Standing]], str]]] = {
    KILLED: _killed,
    FAILED: _failed,
    STOPPED: _stopped,
    INTERRUPTED: _interrupted,
    FINISHED: _finished,
}


def _recorded(members: Sequence[Standing]) -> str:
    at = where(members[0])
    if not at:
        return "neither an end nor a span"
    return f"no end: the last thing recorded is {at}{_last(members)}"


def _was(members: Sequence[Standing]) -> str:
    return noun(len(members), "was", "were")


def _has(members: Sequence[Standing]) -> str:
    return noun(len(members), "has", "have")


def _within(members: Sequence[Standing]) -> str:
    at = where(members[0])
    if members[0].place.path:
        return f"in {at}"
    return f"after {at}" if at else "before any span had ended"


def _since(members: Sequence[Standing], of: Callable[[list[int]], int]) -> str:
    moments = [member.since for member in members if member.since is not None]
    return f" since {moment(of(moments))}" if moments else ""


def _entered(members: Sequence[Standing]) -> str:
    """When that began in which they were killed; the kill itself nobody saw."""
    moments = [member.since for member in members if member.since is not None]
    if moments:
        return f", which began at {moment(min(moments))}"
    last = _last(members)
    return f" that ended{last[1:]}" if last else ""


def _last(members: Sequence[Standing]) -> str:
    moments = [member.last for member in members if member.last is not None]
    return f", at {moment(max(moments))}" if moments else ""


def _ended(members: Sequence[Standing]) -> str:
    moments = [member.ended for member in members if member.ended is not None]
    return f" at {moment(max(moments))}" if moments else ""
