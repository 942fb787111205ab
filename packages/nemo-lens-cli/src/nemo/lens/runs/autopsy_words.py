# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The sentences of an autopsy: who, where, what, since when."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.autopsy_answers import DIED, ENDED, RUNNING
from nemo.lens.runs.autopsy_standings import (
    FAILED,
    FINISHED,
    INTERRUPTED,
    KILLED,
    SIGNAL,
    STOPPED,
    UNKNOWN,
)
from nemo.lens.runs.autopsy_standings import RUNNING as IS_RUNNING
from nemo.lens.runs.quantities import duration, noun, plural
from nemo.lens.runs.rank_names import ranks_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nemo.lens.runs.autopsy_blame import Blame
    from nemo.lens.runs.autopsy_standings import Standing

_MOST_LISTED: Final = 16
_MOST_GROUPS: Final = 4
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


def sentences(blames: Sequence[Blame], now: int) -> Iterator[str]:
    """The verdict on all roles: those with trouble, else how all of them are."""
    troubled = [found for found in blames if found.outcome not in {ENDED, RUNNING}]
    for found in troubled:
        yield _main(found, now)
        yield from _hosts(found)
        yield from _without_record(found)
    if not troubled:
        members = [member for found in blames for member in found.members]
        yield _calm(members, now)
        for found in blames:
            yield from _without_record(found)


def worker_sentence(worker: Standing) -> str:
    """About a further process of a rank."""
    process = worker.process
    how = {KILLED: "was killed", STOPPED: "is stopped", FAILED: "failed"}[worker.status]
    at = f" in {where(worker)}" if worker.place.path else ""
    since = f", which began at {moment(worker.since)}" if worker.since is not None else ""
    return (
        f"A further process of rank {process.rank} ({process.role} {process.pid}) {how}{at}{since}."
    )


def without_box(members: Sequence[Standing], *, every: bool) -> str:
    """That the black boxes of some are not there, and what that means."""
    of = "" if every else f" of {_who(members, hosts=False).lower()}"
    return (
        f"There is no black box{of}: run files tell what ended, and what was open only after an "
        "end in order."
    )


def _calm(members: Sequence[Standing], now: int) -> str:
    steps = [member.place.step for member in members if member.place.step is not None]
    all_of = _everybody(members)
    if all(member.status == FINISHED for member in members):
        after = f", the last after step {max(steps)}" if steps else ""
        return f"{all_of} ended in order{after}."
    running = [member for member in members if member.status != FINISHED]
    done = [member for member in members if member.status == FINISHED]
    last = max((member.last or 0 for member in running), default=0)
    at = f", at step {max(steps)}" if steps else ""
    ago = f"; the last record is {duration((now - last) / _NANO)} old" if last else ""
    rest = f"; {_bystanders(done)}" if done else ""
    who = _everybody(running) if not done else _who(running)
    return f"{who} {_be(running)} running and nothing stands still{at}{ago}{rest}."


def _main(found: Blame, now: int) -> str:
    if not found.suspects:
        return _all_alike(found, now)
    clauses = [
        _clause(alike, found, now, first=place == 0)
        for place, alike in enumerate(_alike(found.suspects)[:_MOST_GROUPS])
    ]
    more = len(_alike(found.suspects)) - len(clauses)
    if more > 0:
        clauses.append(f"others ended in {more} other places")
    waiting = _waiting_clause(found, now)
    if waiting:
        clauses.append(waiting)
    elif bystanders := [one for one in found.members if one not in found.suspects]:
        clauses.append(_bystanders(bystanders))
    return "; ".join(clauses) + "."


def _all_alike(found: Blame, now: int) -> str:
    """Nobody stands out: where everybody is."""
    members = [member for member in found.members if member.status != FINISHED]
    groups = _alike(members)
    if len(groups) == 1:
        sentence = _clause(groups[0], found, now, first=True, everybody=len(members) > 1)
        if members[0].waits and not found.missing:
            sentence += "; nobody is missing there, so suspect the collective itself or the network"
        elif members[0].waits:
            sentence += f"; {_words(found.missing)} never began to record"
        return f"{sentence}."
    clauses = [
        _clause(group, found, now, first=place == 0)
        for place, group in enumerate(groups[:_MOST_GROUPS])
    ]
    more = sum(len(group) for group in groups[_MOST_GROUPS:])
    if more:
        clauses.append(f"{more:,} more stand elsewhere")
    if all(member.waits for member in members):
        clauses.append("all of them wait, but not in the same place")
    return "; ".join(clauses) + "."


def _clause(
    alike: Sequence[Standing], found: Blame, now: int, *, first: bool, everybody: bool = False
) -> str:
    """What happened to some that stood alike."""
    one = alike[0]
    who = _everybody(alike) if everybody else _who(alike)
    if not first:
        who = who[0].lower() + who[1:]
    since = [member.since for member in alike if member.since is not None]
    began = f" since {moment(min(since))}" if since else ""
    entered = f", which began at {moment(min(since))}" if since else ""
    at = where(one)
    was, has = noun(len(alike), "was", "were"), noun(len(alike), "has", "have")
    within = f"in {at}" if one.place.path else f"after {at}" if at else "before any step"
    if one.status == KILLED:
        return f"{who} {was} killed {within}{entered}{_last_record(alike)}"
    if one.status == FAILED:
        return f"{who} failed {within}{_ended(alike)}"
    if one.status == STOPPED:
        return f"{who} {_be(alike)} stopped (SIGSTOP or a debugger) {within}, where {_it(alike)} {has} been{began}"
    if one.status == IS_RUNNING:
        if _still_records(alike, found, now):
            return (
                f"{who} {has} not come further than {at} and {noun(len(alike), 'goes', 'go')} on "
                "recording"
            )
        lasted = f" ({duration((now - min(since)) / _NANO)})" if since else ""
        verb = "waited" if one.waits else "been"
        return f"{who} {has} {verb} {within}{began}{lasted}"
    if one.status.startswith(SIGNAL):
        verb = "waited" if one.waits else "been"
        name = one.status[len(SIGNAL) :]
        return f"{who} had {verb} {within}{began} when {name} ended {_them(alike)}{_ended(alike)}"
    if one.status == INTERRUPTED:
        return f"{who} shut telemetry down {within}, where {_it(alike)} had been{began}"
    if one.status == UNKNOWN:
        return f"{who} left no end and {was} last seen {within}{entered}{_last_record(alike)}"
    return f"{who} ended in order {within}{_ended(alike)}"


def _waiting_clause(found: Blame, now: int) -> str:
    waiters = found.waiters
    if not waiters:
        return ""
    places = _alike_places(waiters)
    clauses = [_wait_of(alike, found, now) for alike in places[:_MOST_GROUPS]]
    return "; ".join(clauses)


def _wait_of(alike: Sequence[Standing], found: Blame, now: int) -> str:
    who = _who(alike, hosts=False)
    who = who[0].lower() + who[1:]
    since = [member.since for member in alike if member.since is not None]
    began = f" since {moment(max(since))}" if since else ""
    arrived = all(
        member.status == KILLED and member.waits and member.position >= alike[0].position
        for member in found.suspects
    )
    target = "" if arrived else f" for {_them(found.suspects)}"
    name = where(alike[0])
    statuses = {member.status for member in alike}
    if statuses == {KILLED}:
        return (
            f"{who} {noun(len(alike), 'was', 'were')} killed too, waiting{target} in {name}{began}"
        )
    if statuses == {FAILED}:
        return f"{who} waited{target} in {name}{began} and failed{_ended(alike)}"
    if statuses <= {IS_RUNNING, STOPPED}:
        lasted = f" ({duration((now - max(since)) / _NANO)})" if since else ""
        return f"{who} {noun(len(alike), 'has', 'have')} waited{target} in {name}{began}{lasted}"
    (status, *others) = statuses
    if not others and status.startswith(SIGNAL):
        return (
            f"{who} had waited{target} in {name}{began} when {status[len(SIGNAL) :]} ended "
            f"{_them(alike)}{_ended(alike)}"
        )
    if not others and status == UNKNOWN:
        return f"{who} {noun(len(alike), 'was', 'were')} last seen waiting{target} in {name}{began}"
    return f"{who} waited{target} in {name}{began}"


def _bystanders(members: Sequence[Standing]) -> str:
    counts = Counter(member.status for member in members)
    words = {
        FINISHED: "ended in order",
        FAILED: "failed",
        KILLED: "killed too",
        IS_RUNNING: "still running",
        STOPPED: "stopped",
        UNKNOWN: "without a recorded end",
        INTERRUPTED: "shut down within a step",
    }
    told = [
        f"{count:,} {words.get(status, 'ended by ' + status[len(SIGNAL) :])}"
        for status, count in counts.most_common()
    ]
    return f"of the others, {', '.join(told)}"


def _hosts(found: Blame) -> Iterator[str]:
    everybody = Counter(member.process.host for member in found.members)
    suspected = Counter(member.process.host for member in found.suspects)
    for host, count in suspected.items():
        if host and len(everybody) > 1 and 1 < count == everybody[host]:
            yield f"That is every rank on {host}: look at the host."


def _without_record(found: Blame) -> Iterator[str]:
    if found.missing and (found.suspects or found.outcome != DIED or not found.waiters):
        present = len({member.rank for member in found.members})
        yield f"There is no record of {_words(found.missing)}; {plural(present, 'rank')} left one."


def _still_records(alike: Sequence[Standing], found: Blame, now: int) -> bool:
    """Whether they go on recording although the others have waited for long."""
    waits = [member.since for member in found.waiters if member.since is not None]
    last = min((member.last or 0 for member in alike), default=0)
    patience = min((member.patience_ns for member in found.waiters), default=0.0)
    return bool(waits) and now - last < patience and last - max(waits) > patience / 2


def _last_record(alike: Sequence[Standing]) -> str:
    """When they recorded last, where no open span says it."""
    if any(member.since is not None for member in alike):
        return ""
    last = [member.last for member in alike if member.last is not None]
    return f", the last record at {moment(max(last))}" if last else ""


def _ended(alike: Sequence[Standing]) -> str:
    ends = [member.ended for member in alike if member.ended is not None]
    return f" at {moment(max(ends))}" if ends else ""


def _alike(members: Iterable[Standing]) -> list[list[Standing]]:
    """Those with the same end in the same place together, the largest group first."""
    groups: dict[tuple[object, ...], list[Standing]] = defaultdict(list)
    for member in members:
        groups[member.status, where(member), bool(member.place.path)].append(member)
    return sorted(groups.values(), key=len, reverse=True)


def _alike_places(members: Iterable[Standing]) -> list[list[Standing]]:
    groups: dict[str, list[Standing]] = defaultdict(list)
    for member in members:
        groups[where(member)].append(member)
    return sorted(groups.values(), key=len, reverse=True)


def _who(members: Sequence[Standing], *, hosts: bool = True) -> str:
    """Who they are, with their host where they share one."""
    ranks = sorted(member.rank for member in members if member.rank is not None)
    names = {member.process.host for member in members}
    on = f" on {names.pop()}" if hosts and len(names) == 1 and "" not in names else ""
    if not ranks:
        pids = [member.process.label for member in members]
        return (f"Process {pids[0]}" if len(pids) == 1 else f"{len(pids)} processes") + on
    return f"{_words(ranks)}{on}"[0].upper() + f"{_words(ranks)}{on}"[1:]


def _words(ranks: Sequence[int]) -> str:
    return ranks_in_words(ranks) if len(ranks) <= _MOST_LISTED else f"{len(ranks):,} ranks"


def _everybody(members: Sequence[Standing]) -> str:
    ranked = all(member.rank is not None for member in members)
    if len(members) == 1:
        return _who(members)
    return f"All {plural(len(members), 'rank' if ranked else 'process', '' if ranked else 'processes')}"


def _be(members: Sequence[Standing]) -> str:
    return noun(len(members), "is", "are")


def _it(members: Sequence[Standing]) -> str:
    return noun(len(members), "it", "they")


def _them(members: Sequence[Standing]) -> str:
    return noun(len(members), "it", "them")
