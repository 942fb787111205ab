# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Who is slow: the straggler and skew report.

`nemo.lens.runs.stragglers` documents the rule, `nemo.lens.runs.phases` what counts as own work and
as waiting, `nemo.lens.runs.clocks` how clock offsets are found.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.answers import (
    ARRIVAL,
    DURATION,
    OWN_WORK,
    RankRow,
    RanksReport,
    Straggler,
)
from nemo.lens.runs.cohorts import cohorts
from nemo.lens.runs.collect import collect
from nemo.lens.runs.missing import missing_ranks, no_step
from nemo.lens.runs.phase_excess import PhaseExcess
from nemo.lens.runs.quantities import duration, noun, plural
from nemo.lens.runs.spreads import median, middle
from nemo.lens.runs.stragglers import MIN_STEPS, chronic, once

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.cohorts import Cohort, Member
    from nemo.lens.runs.run import Run
    from nemo.lens.runs.step_records import ProcessRecord

_LISTED: Final = 8
# Beyond this a percentage says less than the seconds alone.
_MANIFOLD: Final = 10.0
# A rank that ends its steps late without a phase that takes longer only began them late.
_MIN_IN_PHASE: Final = 0.5
# That the others wait is said only where they do, for a good part of what the rank is slower.
_MIN_WAITING: Final = 0.5
_HOW_TO_MARK: Final = "Mark waiting with group communication or nemo.wait=true to tell who waits."
_CHRONIC: Final[dict[str, str]] = {
    OWN_WORK: "{} more own work per step than the other ranks",
    ARRIVAL: "it ends its steps {} later than the other ranks",
    DURATION: "its steps take {} longer than those of the other ranks",
}
_UNMARKED: Final[dict[str, str]] = {
    ARRIVAL: (
        "Waiting is not marked in this run, so ranks were compared by when they reach the end of "
        f"a step. {_HOW_TO_MARK}"
    ),
    DURATION: (
        "Waiting is not marked in this run and the step times do not show that the ranks meet in "
        f"each step, so only step times were compared. {_HOW_TO_MARK}"
    ),
}


def analyse_ranks(run: Run, records: list[ProcessRecord] | None = None) -> RanksReport:
    """Find the ranks that the others wait for.

    Args:
        run: The run.
        records: What `collect(run)` returned, to read the run only once for several analyses.

    Returns:
        The stragglers, worst first; one row per rank; one plain sentence as verdict. A run without
        steps or with one rank gets a verdict that says so.
    """
    records = collect(run) if records is None else records
    groups = cohorts(records)
    missing = missing_ranks(records)
    stragglers = [straggler for cohort in groups for straggler in _stragglers(cohort)]
    stragglers.sort(key=lambda found: (found.kind != "chronic", -found.excess_s_per_step))
    return RanksReport(
        run=run.run_id,
        verdict=" ".join([_verdict(groups, stragglers, records), *missing.sentences]),
        problems=(*run.problems, *missing.problems),
        stragglers=tuple(stragglers),
        ranks=tuple(_row(cohort, member) for cohort in groups for member in cohort.members),
        waiting_marked=any(cohort.compared == OWN_WORK for cohort in groups),
    )


def _stragglers(cohort: Cohort) -> list[Straggler]:
    excesses = [member.excess for member in cohort.members]
    slow = chronic(excesses)
    phases = PhaseExcess(cohort)
    found = [_straggler(cohort, phases, place, excess, ()) for place, excess in slow.items()]
    for place, indices in once(excesses, frozenset(slow)).items():
        member = cohort.members[place]
        mean = sum(member.excess.shared_s[index] for index in indices) / len(indices)
        steps = tuple(member.excess.steps[index] for index in indices)
        found.append(_straggler(cohort, phases, place, mean, steps))
    return [straggler for straggler in found if straggler is not None]


def _straggler(
    cohort: Cohort,
    phases: PhaseExcess,
    place: int,
    excess: float,
    steps: tuple[int, ...],
) -> Straggler | None:
    """A rank that stands out, or None for one whose phases are no longer than those of others."""
    member = cohort.members[place]
    typical = median(member.excess.others_s)
    phase, in_phase = phases.largest(place, frozenset(steps))
    if cohort.compared == ARRIVAL and in_phase < _MIN_IN_PHASE * excess:
        return None
    return Straggler(
        rank=member.rank,
        host=member.record.process.host,
        phase=phase,
        kind="once" if steps else "chronic",
        excess_s_per_step=excess,
        role=cohort.role,
        excess_ratio=excess / typical if typical > 0 else 0.0,
        steps=steps,
        compared_by=cohort.compared,
        others_wait_s=_others_wait(cohort, place, frozenset(steps)),
    )


def _others_wait(cohort: Cohort, place: int, steps: frozenset[int]) -> float:
    """How long the other ranks typically wait in the given steps, or in all of them."""
    if cohort.compared != OWN_WORK:
        return 0.0
    return median(
        median(_waits(member, steps))
        for other, member in enumerate(cohort.members)
        if other != place
    )


def _waits(member: Member, steps: frozenset[int]) -> Iterable[float]:
    if not steps:
        return member.wait_s
    numbers = member.record.steps.numbers
    compared = zip(member.compared, member.wait_s, strict=True)
    return [wait for index, wait in compared if numbers[index] in steps]


def _row(cohort: Cohort, member: Member) -> RankRow:
    process, work = member.record.process, member.work
    offset = cohort.offsets.get(process.host)
    lengths = {
        label: [length for index in member.compared if (length := column[index])]
        for label, column in work.phases.items()
    }
    return RankRow(
        rank=member.rank,
        host=process.host,
        own_s=middle(member.own_s),
        wait_s=middle(member.wait_s),
        clock_offset_s=offset.offset_nano / 1e9 if offset else 0.0,
        role=cohort.role,
        restart=cohort.restart,
        steps=len(member.excess.all_s),
        clock_drift_ppm=offset.drift * 1e6 if offset else 0.0,
        phases_s={label: median(found) for label, found in sorted(lengths.items()) if found},
        compared_by=cohort.compared,
    )


def _verdict(
    groups: list[Cohort], stragglers: list[Straggler], records: list[ProcessRecord]
) -> str:
    if not groups:
        if any(record.steps for record in records):
            return (
                "No process with steps says which rank it is, so there is nothing to compare: give "
                "setup_telemetry rank and world_size."
            )
        return f"{no_step(records)} So there is nothing to compare."
    if stragglers:
        sentences = [_sentence(straggler) for straggler in stragglers[:_LISTED]]
        if len(stragglers) > _LISTED:
            more = len(stragglers) - _LISTED
            sentences.append(f"{plural(more, 'more rank stands', 'more ranks stand')} out.")
        ways = {straggler.compared_by for straggler in stragglers}
        return " ".join([*sentences, *_whole_hosts(groups, stragglers), *_unmarked(ways)])
    ranks = sum(len(cohort.members) for cohort in groups)
    steps = max(cohort.steps for cohort in groups)
    if all(len(cohort.members) == 1 for cohort in groups):
        return "Only one rank recorded steps, so there is nothing to compare it with."
    if steps < MIN_STEPS:
        return (
            f"Too few steps to tell a slow rank from noise: {steps} after the first could be "
            f"compared, {MIN_STEPS} are needed."
        )
    fewest = min(len(member.excess.all_s) for cohort in groups for member in cohort.members)
    compared = f"{fewest} to {steps}" if fewest < steps else str(steps)
    verdict = f"No rank stands out among {ranks} ranks in {compared} compared steps."
    return " ".join([verdict, *_unmarked({cohort.compared for cohort in groups})])


def _unmarked(ways: set[str]) -> Iterable[str]:
    """What a comparison without marked waiting is worth."""
    return [sentence for way, sentence in _UNMARKED.items() if way in ways]


def _sentence(straggler: Straggler) -> str:
    who = f"Rank {straggler.rank}"
    if straggler.host:
        who += f" on {straggler.host}"
    amount = duration(straggler.excess_s_per_step)
    if straggler.excess_ratio < _MANIFOLD:
        amount += f" ({straggler.excess_ratio:.0%})"
    waited_for = straggler.others_wait_s >= _MIN_WAITING * straggler.excess_s_per_step
    if straggler.kind == "chronic":
        consequence = ", which wait for it" if waited_for else ""
        how = _CHRONIC[straggler.compared_by].format(amount)
        return f"{who} is slow in {straggler.phase}: {how}{consequence}."
    steps = ", ".join(str(step) for step in straggler.steps[:_LISTED])
    held = f"{noun(len(straggler.steps), 'step')} {steps}"
    did = "held up" if waited_for else "took long for"
    return f"{who} {did} {held} in {straggler.phase}: {amount} more than the other ranks."


def _whole_hosts(groups: list[Cohort], stragglers: list[Straggler]) -> Iterable[str]:
    everybody = Counter(
        member.record.process.host for cohort in groups for member in cohort.members
    )
    slow = Counter(straggler.host for straggler in stragglers if straggler.kind == "chronic")
    for host, count in slow.items():
        if host and 1 < count == everybody[host] and len(everybody) > 1:
            yield f"All {count} ranks on {host} are slow: look at the host."
