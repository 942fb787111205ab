# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is not there, in words: ranks that cannot be compared, runs without a step."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.quantities import noun
from nemo.lens.runs.rank_names import ranks_in_words
from nemo.lens.runs.step_records import STEP_GROUP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nemo.lens.runs.step_records import ProcessRecord

ALL_RANKS: Final = "all_ranks"
_MAX_MISSING: Final = 1000


class Missing(NamedTuple):
    """What is said of ranks that are not in the comparison.

    Attributes:
        sentences: For the verdict.
        problems: Where that was not asked for.
    """

    sentences: tuple[str, ...]
    problems: tuple[str, ...]


def missing_ranks(records: Iterable[ProcessRecord]) -> Missing:
    """The ranks of each role and attempt with steps that left no steps, or nothing at all."""
    groups: dict[tuple[str, int], dict[int, list[ProcessRecord]]] = defaultdict(dict)
    for record in records:
        if record.process.rank is not None:
            group = groups[record.process.role, record.process.restart]
            group.setdefault(record.process.rank, []).append(record)
    found = [
        missing
        for ranks in groups.values()
        if any(record.steps for rank in ranks.values() for record in rank)
        for missing in (_without_record(ranks), _without_steps(ranks))
    ]
    return Missing(
        tuple(sentence for missing in found for sentence in missing.sentences),
        tuple(problem for missing in found for problem in missing.problems),
    )


def _without_record(ranks: dict[int, list[ProcessRecord]]) -> Missing:
    processes = [record.process for rank in ranks.values() for record in rank]
    expected = max(process.world_size or 0 for process in processes)
    absent = sorted(set(range(min(expected, _MAX_MISSING + len(ranks)))) - ranks.keys())
    if not absent:
        return Missing((), ())
    strategies = {str(process.config.get("export_strategy", ALL_RANKS)) for process in processes}
    if ALL_RANKS in strategies:
        sentence = f"There is no record of {ranks_in_words(absent)} of {expected:,}."
        return Missing((sentence,), (f"no record of {ranks_in_words(absent)} was found",))
    sentence = (
        f"Of {expected:,} ranks {len(ranks):,} exported (strategy {', '.join(sorted(strategies))}); "
        "NEMO_LENS_EXPORT_STRATEGY=all_ranks records every rank."
    )
    return Missing((sentence,), ())


def _without_steps(ranks: dict[int, list[ProcessRecord]]) -> Missing:
    silent = {
        rank: records
        for rank, records in sorted(ranks.items())
        if not any(record.steps for record in records)
    }
    empty = [rank for rank, records in silent.items() if not any(each.spans for each in records)]
    stepless = [rank for rank in silent if rank not in empty]
    return Missing(tuple(_not_compared(empty, stepless)), tuple(_problems(silent)))


def _not_compared(empty: list[int], stepless: list[int]) -> Iterator[str]:
    for ranks, left in ((empty, "left no span"), (stepless, "left no finished step")):
        if ranks:
            are = noun(len(ranks), "is", "are")
            words = ranks_in_words(ranks)
            yield f"{words[0].upper()}{words[1:]} {left} and {are} not compared."


def _problems(silent: dict[int, list[ProcessRecord]]) -> Iterator[str]:
    for records in silent.values():
        for record in records:
            what = "no finished step" if record.spans else "no span"
            yield f"{record.process.label}: {what}, although other ranks recorded steps"


def no_step(records: Iterable[ProcessRecord]) -> str:
    """Why a run has no finished step, and what to do about it."""
    if any(span.group == STEP_GROUP for record in records for span in record.truncated):
        return "No finished step was recorded: the steps were still open when telemetry shut down."
    return (
        "No finished step was recorded. A step is a span of group step; "
        "NEMO_LENS_SPAN_GROUPS=per_step switches that group on."
    )
