# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where every rank of a hung or dead job stood, and who it was that the others waited for.

`autopsy_places` says what open spans tell, `autopsy_standings` how a process ended,
`autopsy_blame` who is suspected, `autopsy_verdict` how that is said.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.runs.autopsy_answers import (
    DIED,
    ENDED,
    HUNG,
    RUNNING,
    AutopsyReport,
    StandGroup,
    StandRow,
    Suspect,
)
from nemo.lens.runs.autopsy_blame import blame
from nemo.lens.runs.autopsy_standings import (
    FAILED,
    FINISHED,
    KILLED,
    STOPPED,
    Standing,
    mains,
    standings,
)
from nemo.lens.runs.autopsy_verdict import sentences, without_box, worker_sentence
from nemo.lens.runs.collect import collect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.runs.run import Run
    from nemo.lens.runs.step_records import ProcessRecord

_LOST: Final = frozenset({KILLED, STOPPED, FAILED})
_MOST_WORKERS: Final = 4
_WORST_FIRST: Final = (HUNG, DIED, RUNNING, ENDED)


def analyse_autopsy(
    run: Run, records: list[ProcessRecord] | None = None, *, restart: int | None = None
) -> AutopsyReport:
    """Tell where every rank stood, and who holds the job up or ended it.

    Read on a node of the job it knows who lives; elsewhere a process without an end in order is
    "unknown", unless its black box lies in the run folder.

    Args:
        run: The run.
        records: What `collect(run)` returned, to read the run only once for several analyses.
        restart: Which attempt, 0 for the first; the last one when None.

    Returns:
        How the job stands, the suspects (none when it ended in order or nothing stands still), who
        stood alike, one row per process, and a verdict that names rank, host, phase, step and since
        when. A run or an attempt without a process gets a verdict that says so.
    """
    records = collect(run) if records is None else records
    attempts = {record.process.restart for record in records}
    chosen = max(attempts, default=0) if restart is None else restart
    # The moment is taken after the reading: what was still written meanwhile is not in the future.
    now = time.time_ns()
    found = standings(run, [one for one in records if one.process.restart == chosen], now)
    blames = [blame(members) for members in mains(found).values()]
    outcomes = {one.outcome for one in blames}
    verdict = " ".join([*sentences(blames, now), *_about_workers(found), *_about_boxes(found)])
    return AutopsyReport(
        run=run.run_id,
        verdict=verdict if found else _nothing(attempts, chosen),
        problems=run.problems,
        outcome=next((one for one in _WORST_FIRST if one in outcomes), ENDED),
        restart=chosen,
        suspects=tuple(_suspect(one) for every in blames for one in every.suspects),
        missing=tuple(rank for every in blames for rank in every.missing),
        groups=_groups([one for every in blames for one in every.members]),
        ranks=tuple(_row(one) for one in found),
        black_boxes=sum(one.boxed for one in found),
    )


def _nothing(attempts: set[int], chosen: int) -> str:
    if attempts:
        known = ", ".join(map(str, sorted(attempts)))
        return f"There is no attempt {chosen} in this run; there is {known}."
    return "No process left a record."


def _about_workers(found: Sequence[Standing]) -> list[str]:
    """Further processes of a rank, such as loaders of data, that did not end in order."""
    lost = [one for one in found if not one.main and one.status in _LOST]
    return [worker_sentence(one) for one in lost[:_MOST_WORKERS]]


def _about_boxes(found: Sequence[Standing]) -> list[str]:
    """That files alone tell less: what ended, not what was open."""
    blind = [one for one in found if one.main and not one.boxed and one.status != FINISHED]
    return [without_box(blind, every=len(blind) == len(found))] if blind else []


def _suspect(one: Standing) -> Suspect:
    process = one.process
    return Suspect(
        **_stand(one),
        role=process.role,
        rank=one.rank,
        host=process.host,
        pid=process.pid,
        since_unix_nano=one.since,
    )


def _row(one: Standing) -> StandRow:
    process = one.process
    return StandRow(
        **_stand(one),
        role=process.role,
        rank=one.rank,
        host=process.host,
        pid=process.pid,
        main=one.main,
        path=tuple(frame.name for frame in one.place.path),
        since_unix_nano=one.since,
        last_unix_nano=one.last,
        ended_unix_nano=one.ended,
        clock_offset_s=one.offset_s,
        source=one.place.source,
    )


def _stand(one: Standing) -> dict[str, Any]:
    place = one.place
    shown = place.wait or (place.path[-1] if place.path else None)
    phase = place.phase
    return {
        "status": one.status,
        "step": place.step,
        "in_step": place.in_step,
        "phase": "" if phase is None else phase.group or phase.name,
        "span": "" if shown is None else shown.name,
        "waits": one.waits,
    }


def _groups(members: Sequence[Standing]) -> tuple[StandGroup, ...]:
    alike: dict[tuple[Any, ...], list[Standing]] = defaultdict(list)
    for member in members:
        key = (member.process.role, *_stand(member).values())
        alike[key].append(member)
    groups = [_group(found) for found in alike.values()]
    return tuple(sorted(groups, key=lambda group: (-group.count, group.ranks)))


def _group(found: Sequence[Standing]) -> StandGroup:
    since = [one.since for one in found if one.since is not None]
    return StandGroup(
        **_stand(found[0]),
        role=found[0].process.role,
        count=len(found),
        ranks=tuple(sorted(one.rank for one in found if one.rank is not None)),
        hosts=tuple(sorted({one.process.host for one in found})),
        since_unix_nano=min(since, default=None),
        latest_unix_nano=max(since, default=None),
    )
