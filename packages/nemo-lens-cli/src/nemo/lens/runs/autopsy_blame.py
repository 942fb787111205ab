# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Who it is that the others wait for.

Of the ranks that wait, those that came furthest (in the highest step, after most waits) are the
front. Whoever is not there has not arrived. That somebody is missing says little while all go on:
in every step somebody is last. So it counts only where the wait is strangely long, where the one
that is missing died or failed while others did not, or where few are missing and nobody saw how
long the others waited.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nemo.lens.runs.autopsy_answers import DIED, ENDED, HUNG, RUNNING
from nemo.lens.runs.autopsy_standings import (
    ALIVE,
    FAILED,
    FINISHED,
    KILLED,
    STOPPED,
    UNKNOWN,
    Standing,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_MISSING = 1000


@dataclass(frozen=True)
class Blame:
    """What is found out about the processes of one role.

    Attributes:
        members: The processes of its ranks.
        outcome: As in `AutopsyReport`.
        suspects: Who stands out; empty for none.
        waiters: The front: those that wait, and came furthest; where no wait is marked, those that
            stand together if they are most.
        missing: Ranks that left no record although every rank should.
    """

    members: list[Standing]
    outcome: str
    suspects: list[Standing] = field(default_factory=list[Standing])
    waiters: list[Standing] = field(default_factory=list[Standing])
    missing: list[int] = field(default_factory=list[int])


def blame(members: list[Standing]) -> Blame:
    """Find out how the processes of one role stand, and who holds them up."""
    missing = _missing(members)
    outcome = _outcome(members)
    if outcome in {ENDED, RUNNING}:
        return Blame(members, outcome, missing=missing)
    waiters = _front([member for member in members if member.waits]) or _crowd(members)
    suspects = _absent(members, waiters, missing) if waiters else _standing_out(members)
    rest = [member for member in waiters if member not in suspects]
    return Blame(members, outcome, suspects, rest, missing)


def _outcome(members: Sequence[Standing]) -> str:
    if all(member.status == FINISHED for member in members):
        return ENDED
    living = [member for member in members if member.status in {*ALIVE, UNKNOWN}]
    hung = any(member.overdue or member.status == STOPPED for member in living)
    dead = any(member.status not in {*ALIVE, UNKNOWN, FINISHED} for member in members)
    if dead and not any(member.alive for member in members):
        return DIED
    if hung:
        return HUNG
    return DIED if dead else RUNNING


def _front(waiters: list[Standing]) -> list[Standing]:
    """Those that came furthest; waits are compared only where all of them are known."""
    if not waiters:
        return []
    step = max(member.position[0] for member in waiters)
    there = [member for member in waiters if member.position[0] == step]
    if any(member.place.meetings is None for member in there):
        return there
    furthest = max(member.position for member in there)
    return [member for member in there if member.position == furthest]


def _crowd(members: Sequence[Standing]) -> list[Standing]:
    """Where no wait is marked: those that stand together, if they are most."""
    places: dict[tuple[object, ...], list[Standing]] = defaultdict(list)
    for member in members:
        if member.place.path and member.status != FINISHED:
            phase = member.place.phase
            places[phase and (phase.group or phase.name), member.place.step].append(member)
    crowd = max(places.values(), key=len) if places else []
    return crowd if 2 * len(crowd) > len(members) else []


def _absent(
    members: Sequence[Standing], front: list[Standing], missing: Sequence[int]
) -> list[Standing]:
    """Those that are not where the others wait, if that means something."""
    late = [member for member in members if member not in front and not _is_ahead(member, front)]
    # The others failed because of these, or ended without them.
    broken = [member for member in _of_few(members, KILLED, FAILED) if member in late]
    if broken:
        return broken
    strange = (
        any(member.overdue for member in front)
        or any(member.status == STOPPED for member in late)
        or any(member.status == FINISHED and not _is_done(member, members) for member in late)
    )
    # In a phase of its own work a crowd may be by chance; it is no sign that it waits.
    waiting = all(member.waits or member.place.phase is None for member in front)
    unseen = waiting and all(member.until is None for member in front)
    if strange or (unseen and len(late) < len(front)):
        return late
    return [] if late or missing else _of_few(members, KILLED) or _of_few(members, FAILED)


def _of_few(members: Sequence[Standing], *statuses: str) -> list[Standing]:
    """Those that ended in one of these ways, of each unless everybody did."""
    counts = Counter(member.status for member in members)
    return [
        member
        for member in members
        if member.status in statuses
        and (counts[member.status] < len(members) or _alone(member, members))
    ]


def _alone(member: Standing, members: Sequence[Standing]) -> bool:
    """Whether an error left it in its own work while the others were left waiting."""
    others = [one for one in members if one is not member]
    return member.status == FAILED and not member.waits and any(one.waits for one in others)


def _is_done(member: Standing, members: Sequence[Standing]) -> bool:
    """Whether it came as far as any other."""
    return member.position[0] >= max(one.position[0] for one in members)


def _is_ahead(member: Standing, front: Sequence[Standing]) -> bool:
    """Whether it has left the wait in which the others are; then they do not wait for it.

    Unless it broke down, which may have kept them there.
    """
    if member.status in {FINISHED, KILLED, FAILED} or member.waits:
        return False
    steps = {one.position[0] for one in front}
    known = member.place.meetings is not None and all(
        one.place.meetings is not None for one in front
    )
    furthest = max(one.position for one in front)
    return member.position > furthest if known else member.position[0] > max(steps)


def _standing_out(members: Sequence[Standing]) -> list[Standing]:
    """Where nobody waits: who died, failed or stands still while others did not."""
    by_status = {
        status: [member for member in members if member.status == status]
        for status in (KILLED, FAILED, STOPPED)
    }
    found = next((alike for alike in by_status.values() if alike), None)
    if found is None:
        overdue = [member for member in members if member.alive and member.overdue]
        ended = [member for member in members if member.status not in {*ALIVE, FINISHED}]
        found = overdue or ended
    return found if len(found) < len(members) else _left_behind(members)


def _left_behind(members: Sequence[Standing]) -> list[Standing]:
    """Of processes that ended alike, and that only files tell of: the few that recorded less."""
    if any(member.place.path for member in members):
        return []
    marks = {id(member): (member.position[0], member.unfinished) for member in members}
    # What most did, and not the most that one did: it may have written a checkpoint for all.
    ((usual, _count),) = Counter(marks.values()).most_common(1)
    behind = [member for member in members if marks[id(member)] < usual]
    return behind if 2 * len(behind) < len(members) else []


def _missing(members: Sequence[Standing]) -> list[int]:
    """Ranks without a record, where every rank should have left one."""
    present = {member.rank for member in members if member.rank is not None}
    if not present:
        return []
    expected = max(member.process.world_size or 0 for member in members)
    strategies = {member.process.config.get("export_strategy") for member in members}
    if strategies - {None, "all_ranks"}:
        return []
    return sorted(set(range(min(expected, len(present) + _MOST_MISSING))) - present)
