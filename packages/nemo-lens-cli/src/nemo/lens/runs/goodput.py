# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How much of a job's time brought it forward.

Every instant of a process, from its start to its end, is in exactly one bucket: `productive`,
`overhead`, `idle` (it waits for others), `wasted` (productive work that a restart did again) or
`unattributed` (in no span that the table knows). `nemo.lens.runs.bucket_table` says which span
belongs where, `bucket_sweep` which of several spans counts, `rollbacks` what was done in vain.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.bucket_table import (
    BUCKETS,
    IDLE,
    PRODUCTIVE,
    UNATTRIBUTED,
    BucketTable,
    Classifier,
)
from nemo.lens.runs.goodput_answers import (
    AttemptRow,
    BucketRow,
    GoodputProcessRow,
    GoodputReport,
    PartRow,
)
from nemo.lens.runs.job_runs import job_of
from nemo.lens.runs.process_lives import process_lives
from nemo.lens.runs.quantities import duration, noun, plural
from nemo.lens.runs.quantities import share as percent
from nemo.lens.runs.rollbacks import Attempt, attempts_of, follows, lost_work, resumed_with
from nemo.lens.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nemo.lens.runs.process_lives import Life

BETWEEN_ATTEMPTS: Final = "between attempts"
_IN_WORDS: Final = {
    IDLE: "waiting",
    "wasted": "work that was lost",
    UNATTRIBUTED: "in no known span",
}
_MIN_LISTED: Final = 0.005


def analyse_goodput(runs: Run | Sequence[Run], table: BucketTable | None = None) -> GoodputReport:
    """Divide the time of a job into buckets.

    Args:
        runs: The run, or all runs of one job that was restarted under other run ids (they share
            `nv.dl.job.uuid`).
        table: Which span belongs to which bucket; `BucketTable.default()` when None.

    Returns:
        Buckets, what they consist of, attempts and processes. A run in which nothing was recorded
        gets a verdict that says so.
    """
    every = [runs] if isinstance(runs, Run) else list(runs)
    classifier = Classifier(table or BucketTable.default())
    lives = [(run.run_id, life) for run in every for life in process_lives(run, classifier)]
    attempts = attempts_of(lives)
    account = _Account(attempts)
    jobs = sorted(job_of(life.process for _run, life in lives))
    problems = [line for run in every for line in run.problems]
    if len(jobs) > 1:
        problems.append(f"the processes belong to {len(jobs)} jobs ({', '.join(jobs[:4])})")
    return GoodputReport(
        run=", ".join(dict.fromkeys(run.run_id for run in every)),
        verdict=account.verdict(),
        problems=(*problems, *classifier.problems()),
        job=jobs[0] if jobs else "",
        goodput=account.share(PRODUCTIVE),
        total_s=account.total / 1e9,
        between_attempts_s=account.gaps / 1e9,
        buckets=tuple(
            BucketRow(bucket, account.buckets[bucket] / 1e9, account.share(bucket))
            for bucket in BUCKETS
        ),
        parts=account.part_rows(),
        attempts=tuple(account.attempts),
        processes=tuple(account.processes),
    )


class _Account:
    """Sums over the attempts of a job, in nanoseconds."""

    def __init__(self, attempts: Sequence[Attempt]) -> None:
        self.buckets: Counter[str] = Counter()
        self.attempts: list[AttemptRow] = []
        self.processes: list[GoodputProcessRow] = []
        self._parts: Counter[tuple[str, str]] = Counter()
        self._lost_nano = 0
        for attempt in attempts:
            self._add(attempt, attempts)
        self.gaps = sum(_gaps(attempts))
        self.buckets[IDLE] += self.gaps
        self._parts[IDLE, BETWEEN_ATTEMPTS] += self.gaps

    @property
    def total(self) -> int:
        return sum(self.buckets.values())

    def share(self, bucket: str) -> float:
        return self.buckets[bucket] / self.total if self.total else 0.0

    def part_rows(self) -> tuple[PartRow, ...]:
        rows = [
            PartRow(bucket, part, length / 1e9, length / self.total)
            for (bucket, part), length in self._parts.items()
            if length
        ]
        return tuple(sorted(rows, key=lambda row: (-row.total_s, row.bucket, row.part)))

    def _add(self, attempt: Attempt, attempts: Sequence[Attempt]) -> None:
        total: Counter[str] = Counter()
        lost_steps: set[int] = set()
        resumed = resumed_with(attempt, attempts)
        for life in attempt.lives:
            lost = lost_work(life, resumed.get(life.process.role))
            lost_steps |= lost.steps
            buckets = dict.fromkeys(BUCKETS, 0)
            for (bucket, part), length in life.segments.sums(lost.windows).items():
                buckets[bucket] += length
                self._parts[bucket, part] += length
            wall = life.end - life.start
            rest = wall - sum(buckets.values())
            buckets[UNATTRIBUTED] += rest
            self._parts[UNATTRIBUTED, ""] += rest
            total.update(buckets)
            self.processes.append(_process_row(attempt.run, life, wall, buckets))
        self.buckets.update(total)
        numbers = [step.number for life in attempt.lives for step in life.steps if step.done]
        self.attempts.append(
            AttemptRow(
                run=attempt.run,
                restart=attempt.restart,
                started_unix_nano=attempt.start,
                ended_unix_nano=attempt.end,
                processes=len(attempt.lives),
                first_step=min(numbers, default=None),
                last_step=max(numbers, default=None),
                lost_steps=len(lost_steps),
                total_s={bucket: total[bucket] / 1e9 for bucket in BUCKETS},
            )
        )

    def verdict(self) -> str:
        """The share of productive time, the largest loss, and what restarts cost."""
        if not self.total:
            return "No process left a record of its time, so there is nothing to divide."
        processes = plural(len(self.processes), "process", "processes")
        productive = percent(self.share(PRODUCTIVE))
        took = f"{duration(self.total / 1e9)} that {processes} took"
        sentences = [f"{productive} of the {took} was productive{self._largest_loss()}."]
        sentences += self._restarts()
        if not self.buckets[PRODUCTIVE] + self.buckets["wasted"]:
            sentences.append(
                "No span of a productive group was recorded; NEMO_LENS_SPAN_GROUPS=per_step "
                "switches steps on, and a bucket table can name other groups."
            )
        return " ".join(sentences)

    def _largest_loss(self) -> str:
        losses = [row for row in self.part_rows() if row.bucket != PRODUCTIVE]
        if not losses or losses[0].share < _MIN_LISTED:
            return ""
        row = losses[0]
        what = _IN_WORDS.get(row.bucket, row.bucket)
        if row.part == BETWEEN_ATTEMPTS:
            what = "the time between attempts"
        elif row.part:
            what += f" in {row.part}" if row.bucket != "overhead" else f" ({row.part})"
        return f"; the largest loss is {what} with {percent(row.share)}"

    def _restarts(self) -> Iterable[str]:
        for attempt in self.attempts:
            if attempt.lost_steps:
                lost = duration(attempt.total_s["wasted"])
                yield (
                    f"{plural(attempt.lost_steps, 'step')} of attempt {self._name(attempt)} "
                    f"{noun(attempt.lost_steps, 'was', 'were')} done again, {lost} of work."
                )
        if self.gaps:
            yield f"Between the attempts the ranks were down for {duration(self.gaps / 1e9)} together."

    def _name(self, attempt: AttemptRow) -> str:
        several = len({row.run for row in self.attempts}) > 1
        return f"{attempt.restart} of {attempt.run}" if several else str(attempt.restart)


def _process_row(run: str, life: Life, wall: int, buckets: dict[str, int]) -> GoodputProcessRow:
    process = life.process
    return GoodputProcessRow(
        run=run,
        restart=process.restart,
        role=process.role,
        rank=process.rank,
        host=process.host,
        pid=process.pid,
        wall_nano=wall,
        buckets_nano=buckets,
    )


def _gaps(attempts: Sequence[Attempt]) -> Iterable[int]:
    """How long each rank was down before it started again."""
    ends: dict[tuple[str, int], tuple[Attempt, int]] = {}
    for attempt in attempts:
        starts: dict[tuple[str, int], list[Life]] = defaultdict(list)
        for life in attempt.lives:
            if life.process.rank is not None:
                starts[life.process.role, life.process.rank].append(life)
        for who, lives in starts.items():
            if who in ends and follows(attempt, ends[who][0]):
                yield max(0, min(life.start for life in lives) - ends[who][1])
            ends[who] = (attempt, max(life.end for life in lives))
