# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The verdict of an autopsy: who is suspected, who waits for them, and what else is known."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.autopsy_answers import ENDED, RUNNING
from nemo.lens.runs.autopsy_clauses import alike, clause, still_records, waiting
from nemo.lens.runs.autopsy_standings import FAILED, FINISHED, KILLED, STOPPED
from nemo.lens.runs.autopsy_words import be, everybody, in_words, moment, them, where, who
from nemo.lens.runs.quantities import duration, noun, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nemo.lens.runs.autopsy_blame import Blame
    from nemo.lens.runs.autopsy_standings import Standing

_MOST_GROUPS: Final = 4
_NANO: Final = 10**9


def sentences(blames: Sequence[Blame], now: int) -> Iterator[str]:
    """The verdict on all roles: those with trouble, else how all of them are."""
    troubled = [found for found in blames if found.outcome not in {ENDED, RUNNING}]
    for found in troubled:
        yield _held_up(found, now) if found.suspects else _nobody_stands_out(found, now)
        yield from _whole_hosts(found)
    if not troubled:
        yield _calm([member for found in blames for member in found.members], now)
    for found in troubled or blames:
        if found.missing:
            left = plural(len({member.rank for member in found.members}), "rank")
            yield f"There is no record of {in_words(found.missing)}; {left} left one."


def worker_sentence(worker: Standing) -> str:
    """About a further process of a rank."""
    process = worker.process
    how = {KILLED: "was killed", STOPPED: "is stopped", FAILED: "failed"}[worker.status]
    at = f" in {where(worker)}" if worker.place.path else ""
    since = f", which began at {moment(worker.since)}" if worker.since is not None else ""
    named = f"{process.role} {process.pid}"
    return f"A further process of rank {process.rank} ({named}) {how}{at}{since}."


def without_box(members: Sequence[Standing], *, every: bool) -> str:
    """That the black boxes of some are not there, and what that means."""
    of = "" if every else f" of {_small(who(members, hosts=False))}"
    return (
        f"There is no black box{of}: run files tell what ended, and what was open only after an "
        "end in order."
    )


def _calm(members: Sequence[Standing], now: int) -> str:
    """About a job that ended in order, or that runs."""
    steps = [member.place.step for member in members if member.place.step is not None]
    running = [member for member in members if member.status != FINISHED]
    done = [member for member in members if member.status == FINISHED]
    if not running:
        after = f", the last after step {max(steps)}" if steps else ""
        return f"{everybody(members)} ended in order{after}."
    last = max((member.last or 0 for member in running), default=0)
    at = f", at step {max(steps)}" if steps else ""
    ago = f"; the last record is {duration((now - last) / _NANO)} old" if last else ""
    rest = f"; {_small(who(done))} ended in order" if done else ""
    these = who(running) if done else everybody(running)
    return f"{these} {be(running)} running and nothing stands still{at}{ago}{rest}."


def _held_up(found: Blame, now: int) -> str:
    """Who is suspected, and what became of the others."""
    groups = alike(found.suspects)
    clauses = [_suspected(members, found, now) for members in groups[:_MOST_GROUPS]]
    if len(groups) > _MOST_GROUPS:
        more = sum(map(len, groups[_MOST_GROUPS:]))
        clauses.append(f"{more:,} more in other places")
    clauses += _waits(found, now) or _others(found, now)
    return _joined(clauses)


def _suspected(members: Sequence[Standing], found: Blame, now: int) -> str:
    if members[0].alive and still_records(members, found.waiters, now):
        came = noun(len(members), "has", "have")
        goes = noun(len(members), "goes", "go")
        at = where(members[0])
        return f"{who(members)} {came} not come further than {at} and {goes} on recording"
    return clause(who(members), members, now)


def _waits(found: Blame, now: int) -> list[str]:
    # Whoever was killed within the same wait had arrived there.
    arrived = all(
        member.waits and member.position >= found.waiters[0].position for member in found.suspects
    )
    target = "" if arrived else f" for {them(found.suspects)}"
    return [
        waiting(members, who(members, hosts=False), target, now)
        for members in alike(found.waiters)[:_MOST_GROUPS]
    ]


def _others(found: Blame, now: int) -> list[str]:
    groups = alike([member for member in found.members if member not in found.suspects])
    return [clause(who(members, hosts=False), members, now) for members in groups[:_MOST_GROUPS]]


def _nobody_stands_out(found: Blame, now: int) -> str:
    """Where everybody is."""
    members = [member for member in found.members if member.status != FINISHED]
    groups = alike(members)
    all_wait = all(member.waits for member in members)
    if len(groups) > 1:
        clauses = [clause(who(group), group, now) for group in groups[:_MOST_GROUPS]]
        if len(groups) > _MOST_GROUPS:
            clauses.append(f"{sum(map(len, groups[_MOST_GROUPS:])):,} more stand elsewhere")
        if all_wait:
            clauses.append("all of them wait, but not in the same place")
        return _joined(clauses)
    clauses = [clause(everybody(members), members, now)]
    if all_wait and not found.missing:
        unseen = all(member.until is None for member in members)
        condition = "if they hung, " if unseen else ""
        clauses.append(
            f"nobody is missing there: {condition}suspect the collective itself or the network"
        )
    return _joined(clauses)


def _whole_hosts(found: Blame) -> Iterator[str]:
    every = Counter(member.process.host for member in found.members)
    suspected = Counter(member.process.host for member in found.suspects)
    for host, count in suspected.items():
        if host and len(every) > 1 and 1 < count == every[host]:
            yield f"That is every rank on {host}: look at the host."


def _joined(clauses: Sequence[str]) -> str:
    first, *rest = clauses
    return "; ".join([first, *map(_small, rest)]) + "."


def _small(text: str) -> str:
    return text[0].lower() + text[1:]
