# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Who is slow: the straggler and skew report.

`nemo.lens.runs.stragglers` documents the rule, `nemo.lens.runs.phases` what counts as own work and
as waiting, `nemo.lens.runs.clocks` how clock offsets are found.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.answers import RankRow, RanksReport, Straggler
from nemo.lens.runs.cohorts import cohorts
from nemo.lens.runs.collect import collect
from nemo.lens.runs.spreads import median, medians_of_others, middle
from nemo.lens.runs.stragglers import MIN_STEPS, chronic, once

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.cohorts import Cohort, Member, Work
    from nemo.lens.runs.collect import ProcessRecord
    from nemo.lens.runs.run import Run

_LISTED: Final = 8
# Beyond this a percentage says less than the seconds alone.
_MANIFOLD: Final = 10.0


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
    stragglers = [straggler for cohort in groups for straggler in _stragglers(cohort)]
    stragglers.sort(key=lambda found: (found.kind != "chronic", -found.excess_s_per_step))
    marked = any(cohort.marked for cohort in groups)
    return RanksReport(
        run=run.run_id,
        verdict=_verdict(groups, stragglers),
        problems=run.problems,
        stragglers=tuple(stragglers),
        ranks=tuple(_row(cohort, member) for cohort in groups for member in cohort.members),
        waiting_marked=marked,
    )


def _stragglers(cohort: Cohort) -> list[Straggler]:
    excesses = [member.excess for member in cohort.members]
    slow = chronic(excesses)
    found = [_straggler(cohort, place, "chronic", excess, ()) for place, excess in slow.items()]
    for place, indices in once(excesses, frozenset(slow)).items():
        member = cohort.members[place]
        mean = sum(member.excess.shared_s[index] for index in indices) / len(indices)
        steps = tuple(member.excess.steps[index] for index in indices)
        found.append(_straggler(cohort, place, "once", mean, steps))
    return found


def _straggler(
    cohort: Cohort, place: int, kind: str, excess: float, steps: tuple[int, ...]
) -> Straggler:
    member = cohort.members[place]
    typical = median(member.excess.others_s)
    return Straggler(
        rank=member.rank,
        host=member.record.process.host,
        phase=_phase(cohort, place, frozenset(steps)),
        kind=kind,
        excess_s_per_step=excess,
        role=cohort.role,
        excess_ratio=excess / typical if typical > 0 else 0.0,
        steps=steps,
    )


def _phase(cohort: Cohort, place: int, steps: frozenset[int]) -> str:
    """The phase in which a rank exceeds the others most, in the given steps or in all of them."""
    by_step: dict[int, list[tuple[int, Work]]] = defaultdict(list)
    for other, member in enumerate(cohort.members):
        for work in member.works:
            if not steps or work.step in steps:
                by_step[work.step].append((other, work))
    excesses: dict[str, list[float]] = defaultdict(list)
    for row in by_step.values():
        index = next((index for index, (other, _work) in enumerate(row) if other == place), None)
        if index is None or len(row) == 1:
            continue
        for label in row[index][1].phases:
            lengths = [work.phases.get(label, 0.0) for _other, work in row]
            excesses[label].append(lengths[index] - medians_of_others(lengths)[index])
    return max(excesses, key=lambda label: median(excesses[label]), default="step")


def _row(cohort: Cohort, member: Member) -> RankRow:
    process = member.record.process
    offset = cohort.offsets.get(process.host)
    lengths: dict[str, list[float]] = defaultdict(list)
    for work in member.works:
        for label, length in work.phases.items():
            lengths[label].append(length)
    return RankRow(
        rank=member.rank,
        host=process.host,
        own_s=middle(work.own for work in member.works),
        wait_s=middle(work.wait for work in member.works),
        clock_offset_s=offset.offset_nano / 1e9 if offset else 0.0,
        role=cohort.role,
        restart=cohort.restart,
        steps=len(member.excess.all_s),
        clock_drift_ppm=offset.drift * 1e6 if offset else 0.0,
        phases_s={label: median(found) for label, found in sorted(lengths.items())},
    )


def _verdict(groups: list[Cohort], stragglers: list[Straggler]) -> str:
    if not groups:
        return (
            "No finished step of a ranked process was recorded, so there is nothing to compare: "
            "a step is a span of group step that carries dl.iteration."
        )
    if stragglers:
        sentences = [_sentence(straggler) for straggler in stragglers[:_LISTED]]
        if len(stragglers) > _LISTED:
            sentences.append(f"{len(stragglers) - _LISTED} more ranks stand out.")
        return " ".join([*sentences, *_whole_hosts(groups, stragglers)])
    ranks = sum(len(cohort.members) for cohort in groups)
    steps = max(cohort.steps for cohort in groups)
    if all(len(cohort.members) == 1 for cohort in groups):
        return "Only one rank recorded steps, so there is nothing to compare it with."
    if steps < MIN_STEPS:
        return (
            f"Too few steps to tell a slow rank from noise: {steps} were compared after the "
            f"first, {MIN_STEPS} are needed."
        )
    unmarked = (
        ""
        if any(cohort.marked for cohort in groups)
        else (
            " Waiting is not marked in this run (group communication or nemo.wait=true), so only the "
            "order of arrival was compared."
        )
    )
    return f"No rank stands out among {ranks} ranks in {steps} compared steps.{unmarked}"


def _sentence(straggler: Straggler) -> str:
    who = f"Rank {straggler.rank}"
    if straggler.host:
        who += f" on {straggler.host}"
    amount = _duration(straggler.excess_s_per_step)
    if straggler.excess_ratio < _MANIFOLD:
        amount += f" ({straggler.excess_ratio:.0%})"
    if straggler.kind == "chronic":
        return (
            f"{who} is slow in {straggler.phase}: {amount} more own work per step than the other "
            "ranks, which wait for it."
        )
    steps = ", ".join(str(step) for step in straggler.steps[:_LISTED])
    noun = "step" if len(straggler.steps) == 1 else "steps"
    return f"{who} held up {noun} {steps} in {straggler.phase}: {amount} more than the other ranks."


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def _whole_hosts(groups: list[Cohort], stragglers: list[Straggler]) -> Iterable[str]:
    everybody = Counter(
        member.record.process.host for cohort in groups for member in cohort.members
    )
    slow = Counter(straggler.host for straggler in stragglers if straggler.kind == "chronic")
    for host, count in slow.items():
        if host and 1 < count == everybody[host] and len(everybody) > 1:
            yield f"All {count} ranks on {host} are slow: look at the host."
