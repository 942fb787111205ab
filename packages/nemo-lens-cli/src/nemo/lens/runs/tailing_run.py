# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A running job, followed through the files that its processes append to.

Each look costs one listing of the run and what was appended since the last one. The first look
reads the end of each process's newest file, not the whole run.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.locate import SeveralRunsError, find_runs, locate
from nemo.lens.runs.problems import RunError
from nemo.lens.runs.quantities import plural, share
from nemo.lens.runs.rank_names import ranks_in_words
from nemo.lens.runs.spreads import median, medians_of_others
from nemo.lens.runs.tailing_answers import LiveRank, LiveRun, SlowestRank
from nemo.lens.runs.tailing_process import ENDED, GONE, RUNNING, SILENT, ProcessTail

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_ORDERLY_ENDS: Final = ("shutdown", "exit")
_NOTABLE: Final = 0.1
# So long what ended badly may take to be started again.
_RESTART_S: Final = 10.0
# Without a step for this many times what one takes, and at least for this long, the rate is over.
_OVERDUE: Final = 5.0
_OVERDUE_S: Final = 10.0


class RunTail:
    """Follows one run.

    Args:
        path: A run folder, or a folder of runs, of which the newest is followed.

    Attributes:
        path: The run folder.

    Raises:
        RunError: There is no run folder.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            location = locate(path)
        except SeveralRunsError as error:
            location = error.newest_first[0]
        if location.files:
            raise RunError(
                f"{str(path)!r} holds files of a collector, which do not say who is alive; "
                "expected a run folder as NEMO_LENS_EXPORTER=file writes it"
            )
        self.path = location.path
        self._name = location.name
        self._tails: dict[Path, ProcessTail] = {}

    def look(self) -> LiveRun:
        """Read what was appended, and tell how things are."""
        for folder in self._folders():
            tail = self._tails.get(folder)
            if tail is None:
                label = folder.relative_to(self.path).as_posix()
                tail = self._tails[folder] = ProcessTail(folder, label)
            tail.read()
        return self._answer(self._latest())

    def _folders(self) -> Sequence[Path]:
        try:
            found = find_runs(self.path)
        except RunError:
            return ()
        return [folder for run in found for folder in run.folders]

    def _latest(self) -> list[ProcessTail]:
        """The latest attempt of each rank; processes without a rank each count by themselves."""
        latest: dict[tuple[str, object], ProcessTail] = {}
        for tail in sorted(self._tails.values(), key=_attempt):
            process = tail.process
            unranked = (process.host, process.pid, process.folder)
            latest[process.role, unranked if process.rank is None else process.rank] = tail
        return sorted(latest.values(), key=_order)

    def _answer(self, tails: list[ProcessTail]) -> LiveRun:
        rows = tuple(map(_row, tails))
        lost: Counter[str] = Counter()
        for tail in self._tails.values():
            lost.update(tail.lost)
        orderly = all(_is_orderly(row) for row in rows)
        over = all(row.state in {ENDED, GONE} for row in rows)
        quiet_s = min((row.quiet_s for row in rows), default=0.0)
        ended = over and (orderly or quiet_s >= _RESTART_S)
        running = [tail for tail, row in zip(tails, rows, strict=True) if row.state == RUNNING]
        slowest = _slowest(running)
        step = max((row.step for row in rows if row.step is not None), default=None)
        expected = max((tail.process.world_size or 0 for tail in tails), default=0)
        return LiveRun(
            run=next((tail.process.run for tail in tails if tail.process.run), self._name),
            verdict=_verdict(rows, step, slowest, ended=ended),
            problems=(),
            at_unix_nano=time.time_ns(),
            ended=ended,
            orderly=orderly,
            step=step,
            steps_per_s=_rate(running),
            step_quiet_s=min((tail.step_quiet_s for tail in running), default=None),
            ranks_alive=len(running),
            ranks_expected=expected or None,
            slowest=slowest,
            lost=dict(lost),
            ranks=rows,
        )


def _attempt(tail: ProcessTail) -> tuple[int, int]:
    process = tail.process
    return process.restart, process.started_unix_nano or 0


def _order(tail: ProcessTail) -> tuple[str, int, int]:
    process = tail.process
    return process.role, -1 if process.rank is None else process.rank, process.pid or 0


def _row(tail: ProcessTail) -> LiveRank:
    process = tail.process
    return LiveRank(
        role=process.role,
        rank=process.rank,
        host=process.host,
        pid=process.pid,
        restart=process.restart,
        state=tail.state,
        end=process.end,
        step=tail.steps.last_number,
        own_s=tail.steps.own_s,
        quiet_s=tail.quiet_s,
    )


def _is_orderly(row: LiveRank) -> bool:
    return row.end in _ORDERLY_ENDS if row.state == ENDED else row.state == RUNNING


def _rate(running: Sequence[ProcessTail]) -> float | None:
    rates = [
        rate
        for tail in running
        if (rate := tail.steps.per_s) is not None
        and tail.step_quiet_s < max(_OVERDUE_S, _OVERDUE / rate)
    ]
    return median(rates) if rates else None


def _slowest(running: Sequence[ProcessTail]) -> SlowestRank | None:
    ranked = [
        (own, tail.process)
        for tail in running
        if (own := tail.steps.own_s) is not None and tail.process.rank is not None
    ]
    if len(ranked) < 2:  # noqa: PLR2004 - nobody to compare with
        return None
    others = medians_of_others([own for own, _process in ranked])
    place = max(range(len(ranked)), key=lambda at: ranked[at][0])
    own, process = ranked[place]
    return SlowestRank(
        rank=process.rank or 0,
        role=process.role,
        host=process.host,
        own_s=own,
        excess_ratio=own / others[place] - 1 if others[place] > 0 else 0.0,
    )


def _verdict(
    rows: Sequence[LiveRank], step: int | None, slowest: SlowestRank | None, *, ended: bool
) -> str:
    """What is wrong comes first, then how far it is."""
    at = "before its first step" if step is None else f"at step {step:,}"
    how = " in order" if all(map(_is_orderly, rows)) else ""
    goes = "goes on" if any(row.state == RUNNING for row in rows) else "stands still"
    sentences = [f"The run has ended{how} {at}." if ended else f"The run {goes} {at}."]
    killed = [row for row in rows if row.state == ENDED and not _is_orderly(row)]
    for found, what in (
        ([row for row in rows if row.state == GONE], "gone without a recorded end"),
        (killed, "ended by a signal"),
        ([row for row in rows if row.state == SILENT], "silent for a minute or more"),
    ):
        if found:
            ranks = sorted(row.rank for row in found if row.rank is not None)
            who = ranks_in_words(ranks) if ranks else plural(len(found), "process", "processes")
            verb = "is" if len(found) == 1 else "are"
            sentences.append(f"{who[0].upper()}{who[1:]} {verb} {what}.")
    if slowest is not None and slowest.excess_ratio >= _NOTABLE:
        sentences.append(
            f"Rank {slowest.rank} on {slowest.host} does {share(slowest.excess_ratio)} more own "
            "work per step than the others lately."
        )
    return " ".join(sentences)
