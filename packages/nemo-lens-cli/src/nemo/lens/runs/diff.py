# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What changed between two runs, part by part, told from what varies anyway.

A part counts as slower or faster when the bounds of its change leave out zero, the change reaches
the threshold, and it is large enough to matter in a step. The bounds are widened for the number of
parts, so that one comparison in twenty of equal runs would show a sure change, not one part in
twenty; the threshold makes that rarer still.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.bootstrap import Difference, difference, typical
from nemo.lens.runs.collect import collect
from nemo.lens.runs.diff_answers import (
    FASTER,
    GONE,
    NEW,
    SAME,
    SLOWER,
    UNCLEAR,
    DiffReport,
    PartChange,
)
from nemo.lens.runs.missing import no_step
from nemo.lens.runs.quantities import duration, plural
from nemo.lens.runs.spreads import median
from nemo.lens.runs.step_series import (
    IMBALANCE,
    OUTSIDE,
    OWN_WORK,
    STEP,
    WAITING,
    Part,
    Series,
    by_rank,
    step_series,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.runs.run import Run
    from nemo.lens.runs.step_records import ProcessRecord

DEFAULT_THRESHOLD: Final = 0.02
MIN_VALUES: Final = 5
_CONFIDENCE: Final = 0.95
# A part that is this small against a step is nothing to act on, whatever it does.
_MIN_OF_STEP: Final = 0.001
# One rank is named when the others hardly changed; of two nobody could say which is the other.
_MOST_OF_OTHERS: Final = 0.25
_MIN_RANKS: Final = 3
_NAMED: Final = 3


def compare_runs(baseline: Run, run: Run, *, threshold: float = DEFAULT_THRESHOLD) -> DiffReport:
    """Find what became slower or faster from one run to another.

    Args:
        baseline: What is compared with.
        run: What is judged.
        threshold: The smallest change of a part that counts, as a share of it.

    Returns:
        Every part with its change; one plain sentence as verdict. Runs without steps, or with too
        few, get a verdict that says so.

    Raises:
        ValueError: The threshold is not a number from 0 to 1.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold={threshold!r}: a share from 0 to 1 is accepted, e.g. 0.02")
    records = [collect(one) for one in (baseline, run)]
    before, after = map(step_series, records)
    parts = _Comparison(before, after, threshold).parts() if before and after else ()
    parts = tuple(_with_rank(part, *records) for part in parts)
    parts = tuple(sorted(parts, key=_importance))
    slower = tuple(part for part in parts if part.judged == SLOWER)
    faster = tuple(part for part in parts if part.judged == FASTER)
    names = _names(baseline, run)
    lacking = [
        f"{name}: {no_step(record)}"
        for name, record, series in zip(names, records, (before, after), strict=True)
        if not series
    ]
    return DiffReport(
        run=run.run_id,
        verdict=" ".join(lacking) or _verdict(names[1], parts),
        problems=tuple(
            f"{name}: {problem}"
            for name, one in zip(names, (baseline, run), strict=True)
            for problem in one.problems
        ),
        baseline=baseline.run_id,
        threshold=threshold,
        slower=slower,
        faster=faster,
        parts=parts,
        resolution=_resolution(parts),
    )


class _Comparison:
    """Judges each part of two runs."""

    def __init__(
        self, before: dict[Part, Series], after: dict[Part, Series], threshold: float
    ) -> None:
        self._before = before
        self._after = after
        self._threshold = threshold
        self._both = before.keys() & after.keys()
        self._confidence = 1 - (1 - _CONFIDENCE) / max(1, len(self._both))

    def parts(self) -> tuple[PartChange, ...]:
        """One row per part of either run."""
        found = [self._compared(part) for part in sorted(self._both)]
        found += [self._one_sided(part, NEW) for part in self._after.keys() - self._both]
        found += [self._one_sided(part, GONE) for part in self._before.keys() - self._both]
        return tuple(found)

    def _compared(self, part: Part) -> PartChange:
        before, after = self._before[part], self._after[part]
        found = difference(before.values, after.values, confidence=self._confidence)
        enough = min(len(before.values), len(after.values)) >= MIN_VALUES
        judged = _judge(found, self._counts_from(part, found.before)) if enough else UNCLEAR
        return PartChange(
            phase=part.label,
            kind=part.kind,
            role=part.role,
            judged=judged,
            before_s=found.before,
            after_s=found.after,
            change_s=found.change,
            change=found.change / found.before if found.before else None,
            low_s=found.low if enough else None,
            high_s=found.high if enough else None,
            share_before=len(before.values) / before.steps,
            share_after=len(after.values) / after.steps,
            rank=None,
            rank_change_s=0.0,
        )

    def _counts_from(self, part: Part, before: float) -> float:
        """The smallest change, in seconds, that is worth a word."""
        whole = self._before.get(Part(part.role, "", STEP))
        step = typical(whole.values) if whole else 0.0
        if part.kind in (WAITING, IMBALANCE):
            # When ranks arrive varies by much more than how long an operation takes.
            return max(self._threshold * before, self._threshold * step)
        return max(self._threshold * before, _MIN_OF_STEP * step)

    def _one_sided(self, part: Part, judged: str) -> PartChange:
        series = (self._after if judged == NEW else self._before)[part]
        length, share = typical(series.values), len(series.values) / series.steps
        return PartChange(
            phase=part.label,
            kind=part.kind,
            role=part.role,
            judged=judged,
            before_s=None if judged == NEW else length,
            after_s=length if judged == NEW else None,
            change_s=0.0,
            change=None,
            low_s=None,
            high_s=None,
            share_before=0.0 if judged == NEW else share,
            share_after=share if judged == NEW else 0.0,
            rank=None,
            rank_change_s=0.0,
        )


def _judge(found: Difference, counts_from: float) -> str:
    if found.is_sure and abs(found.change) >= counts_from:
        return SLOWER if found.change > 0 else FASTER
    ruled_out = -counts_from < found.low and found.high < counts_from
    return SAME if ruled_out else UNCLEAR


def _with_rank(
    part: PartChange, before: Sequence[ProcessRecord], after: Sequence[ProcessRecord]
) -> PartChange:
    """Name the rank without which the part would not have changed."""
    if part.kind != OWN_WORK or part.judged not in (SLOWER, FASTER):
        return part
    key = Part(part.role, part.phase, OWN_WORK)
    first, second = by_rank(before, key), by_rank(after, key)
    changes = {rank: median(second[rank]) - median(first[rank]) for rank in first.keys() & second}
    if len(changes) < _MIN_RANKS:
        return part
    most = max(changes, key=lambda rank: abs(changes[rank]))
    others = median(change for rank, change in changes.items() if rank != most)
    alone = abs(others) < _MOST_OF_OTHERS * abs(changes[most])
    return replace(part, rank=most, rank_change_s=changes[most]) if alone else part


def _importance(part: PartChange) -> tuple[object, ...]:
    length = max(part.before_s or 0.0, part.after_s or 0.0)
    cost = abs(part.change_s) * max(part.share_before, part.share_after)
    outside = part.kind == OUTSIDE
    return (part.kind != STEP, outside, -cost, -length, part.role, part.phase, part.kind)


def _names(baseline: Run, run: Run) -> tuple[str, str]:
    """What the runs are called; two recordings with one id are told by their folders."""
    if baseline.run_id != run.run_id:
        return baseline.run_id, run.run_id
    if str(baseline.path) != str(run.path):
        return str(baseline.path), str(run.path)
    return f"{run.run_id} (baseline)", run.run_id


def _resolution(parts: Sequence[PartChange]) -> float | None:
    for part in parts:
        if part.kind == STEP and part.before_s and part.low_s is not None:
            return ((part.high_s or 0.0) - part.low_s) / 2 / part.before_s
    return None


def _verdict(name: str, parts: Sequence[PartChange]) -> str:
    steps = [part for part in parts if part.kind == STEP]
    if not any(part.before_s is not None and part.after_s is not None for part in steps):
        return "The runs have no role in common whose steps could be compared."
    slower, faster = (_causes(parts, judged) for judged in (SLOWER, FASTER))
    whole = _whole(steps)
    if slower and faster:
        return f"{name} is slower in {_listed(slower)}, and faster in {_listed(faster)}; {whole}."
    if slower or faster:
        word = "slower" if slower else "faster"
        return f"{name} is {word} in {_listed(slower or faster)}; {whole}."
    return _nothing_found(name, steps[0], whole)


def _causes(parts: Sequence[PartChange], judged: str) -> list[PartChange]:
    """What to name; an imbalance only where no rank's own work explains it."""
    found = [part for part in parts if part.judged == judged and part.kind != STEP]
    return [part for part in found if part.kind != IMBALANCE] or found


def _nothing_found(name: str, step: PartChange, whole: str) -> str:
    if step.judged in (SLOWER, FASTER):
        return f"In {name} {whole}, but no part of it alone makes the difference."
    if step.judged == SAME:
        return f"No part of {name} is slower or faster; {whole}."
    return (
        f"No part of {name} is surely slower or faster, but the steps are too few or vary too much "
        f"to rule it out; {whole}."
    )


def _whole(steps: Sequence[PartChange]) -> str:
    """How the steps changed, role by role where there are several."""
    compared = [step for step in steps if step.before_s is not None and step.after_s is not None]
    texts: list[str] = []
    for step in compared:
        of = f" of {step.role}" if len(compared) > 1 else ""
        texts.append(f"a step{of} takes {_how_long(step)}")
    return ", ".join(texts)


def _how_long(step: PartChange) -> str:
    if step.judged in (SLOWER, FASTER):
        length, *relative = _amounts(step)
        amount = " ".join([length, *(f"({one})" for one in relative)])
        return f"{amount} {'longer' if step.change_s > 0 else 'less'}"
    before, after = duration(step.before_s or 0.0), duration(step.after_s or 0.0)
    return f"{before} in the baseline and {after} in the run"


def _listed(parts: Sequence[PartChange]) -> str:
    texts = [_named(part) for part in parts[:_NAMED]]
    rest = len(parts) - len(texts)
    if rest:
        texts.append(plural(rest, "other part"))
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _named(part: PartChange) -> str:
    sign = "+" if part.change_s > 0 else "-"
    amount = ", ".join(_amounts(part))
    if part.kind == IMBALANCE:
        return f"the imbalance between the ranks ({sign}{amount})"
    if part.rank is not None:
        return f"{part.phase} of rank {part.rank} ({sign}{duration(abs(part.rank_change_s))})"
    waiting = " itself" if part.kind == WAITING else ""
    return f"{part.phase}{waiting} ({sign}{amount})"


def _amounts(part: PartChange) -> list[str]:
    """The change in seconds, and as a share where there was something before."""
    relative = [] if part.change is None else [f"{abs(part.change):.1%}"]
    return [duration(abs(part.change_s)), *relative]
