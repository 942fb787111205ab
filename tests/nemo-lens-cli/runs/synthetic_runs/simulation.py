# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Plays a scenario: ranks work, wait for each other, and come to their end."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from synthetic_runs.scenario import Scenario

TRUNCATED = "nemo.span.truncated"
_TRUE = {"boolValue": True}


class SpanRow(NamedTuple):
    """One span of a rank, by the clock of its host."""

    name: str
    group: str | None
    span_id: str
    parent: str
    start: int
    end: int
    attributes: dict[str, Any]


def job_id(rank: int) -> str:
    """Span id of the job span of a rank, the parent of its steps whether it is recorded or not."""
    return f"{rank:08x}ffffffff"


class OpenSpan(NamedTuple):
    """A span that was open when its process ended, the outer one before the inner one."""

    name: str
    group: str
    span_id: str
    parent: str
    start: int


class Activity(NamedTuple):
    """What a rank did for a while; all of them follow one another without a gap.

    Attributes:
        label: "startup" (in no span), the group of the phase, or "waiting".
        step: The step it belongs to, None outside of the steps.
        start: By the clock of its host.
        end: The same.
    """

    label: str
    step: int | None
    start: int
    end: int


class Rank:
    """One rank at work; times are true seconds after `EPOCH`.

    Attributes:
        number: The rank.
        spans: What it recorded, in the order in which the spans end.
        open: The spans that were open when it ended, the outermost first.
        activities: What it did, whether it was recorded or not.
        end: How its process ended, as a manifest says it; None when nothing is recorded.
        ended: When, by its clock; None when nothing is recorded.
        killed: Whether it was the first to end, by SIGKILL.
    """

    def __init__(self, scenario: Scenario, number: int, start: float) -> None:
        self.number = number
        self.spans: list[SpanRow] = []
        self.open: list[OpenSpan] = []
        self.activities: list[Activity] = []
        self.end: str | None = "shutdown"
        self.ended: int | None = None
        self.killed = False
        self.now = start
        self._scenario = scenario
        self._ids = 0
        self._job = job_id(number)
        self._step_id = ""
        self._step = 0
        self._step_started = 0.0
        self._last = scenario.clock(number, scenario.begins_s)
        self._did("startup", None, start)
        self._job_started = start

    @property
    def reached(self) -> int:
        """When the last thing it did ended, by its clock."""
        return self._last

    def initialise(self) -> None:
        """What comes before the first step."""
        length = self._scenario.init_s
        if length:
            self._work("demo.model_init", "model_init", self._job, length, None)

    def arrive(self, step: int, rng: random.Random) -> bool:
        """Own work up to the barrier; False when the rank never gets there."""
        scenario = self._scenario
        if scenario.between_s:
            length = self._length("data_loading", scenario.between_s, rng)
            self._work("demo.load", "data_loading", self._job, length, step)
        self._step_id, self._step, self._step_started = self._id(), step, self.now
        for phase, base in scenario.phases.items():
            length = self._length(phase, base, rng)
            if phase == "forward_backward":
                length += scenario.stalls.get((self.number, step), 0.0)
                if step in (scenario.killed.get(self.number), scenario.hung.get(self.number)):
                    self.killed = scenario.killed.get(self.number) == step
                    return False
            span_id = self._id()
            if scenario.nested and phase == "forward_backward":
                half = self.now + length / 2
                self._span("demo.layer", "layer", span_id, self.now, half)
            self._work(f"demo.{phase}", phase, self._step_id, length, step, span_id=span_id)
        if self.number == 0 and scenario.checkpoint_by == "rank 0" and self._is_due(step):
            length = scenario.checkpoint_s
            self._work("demo.checkpoint", "checkpoint", self._step_id, length, step)
        return True

    def finish(self, step: int, released: float, rng: random.Random) -> None:
        """Wait for the others, then the optimizer and what comes after the step."""
        scenario = self._scenario
        if scenario.release_jitter_s:
            released += rng.expovariate(1 / scenario.release_jitter_s)
        self._span(*self._barrier(), self._step_id, self.now, released, attributes=self._mark())
        self._did("waiting", step, released)
        length = self._length("optimizer", scenario.optimizer_s, rng)
        self._work("demo.optimizer", "optimizer", self._step_id, length, step)
        number = {"dl.iteration": {"intValue": str(step)}}
        self._span(
            "demo.step",
            "step",
            self._job,
            self._step_started,
            self.now,
            attributes=number,
            span_id=self._step_id,
        )
        self._step_id = ""
        if scenario.checkpoint_by == "all" and self._is_due(step):
            length = scenario.checkpoint_s
            self._work("demo.checkpoint", "checkpoint", self._job, length, None, attributes=number)
        if scenario.evaluate_every and step % scenario.evaluate_every == 0:
            length = scenario.evaluate_s
            self._work("demo.evaluate", "evaluate", self._job, length, None, attributes=number)

    def stop(self) -> None:
        """Orderly shutdown; a step that others do not finish is dropped."""
        if self._scenario.job:
            self._span("demo.job", "job", "", self._job_started, self.now, span_id=self._job)
        self.ended = self.reached

    def stop_within(self, moment: float, signal: str, *, arrived: bool) -> None:
        """End in the middle of a step: what is open is truncated, or lost with SIGKILL."""
        clock = self._scenario.clock
        rows = [("demo.job", "job", self._job, "", self._job_started)] if self._scenario.job else []
        rows.append(("demo.step", "step", self._step_id, self._job, self._step_started))
        inner = self._barrier() if arrived else ("demo.forward_backward", "forward_backward")
        rows.append((*inner, self._id(), self._step_id, self.now))
        self.open = [OpenSpan(*row, clock(self.number, start)) for *row, start in rows]
        self._did("waiting" if arrived else "forward_backward", self._step, moment)
        if signal == "SIGKILL":
            self.end = None
            return
        self.end, self.ended = f"signal:{signal}", self.reached
        for span in reversed(self.open):
            attributes: dict[str, Any] = {TRUNCATED: _TRUE}
            if span.group == "step":
                attributes["dl.iteration"] = {"intValue": str(self._step)}
            if arrived and span is self.open[-1]:
                attributes.update(self._mark())
            group = span.group if self._scenario.groups else None
            row = SpanRow(
                span.name, group, span.span_id, span.parent, span.start, self.reached, attributes
            )
            self.spans.append(row)

    def _is_due(self, step: int) -> bool:
        every = self._scenario.checkpoint_every
        return bool(every) and step % every == 0

    def _barrier(self) -> tuple[str, str]:
        by_group = self._scenario.marked and self._scenario.mark_by == "group"
        return "demo.all_reduce", "communication" if by_group else "sync"

    def _mark(self) -> dict[str, Any]:
        by_attribute = self._scenario.marked and self._scenario.mark_by == "attribute"
        return {"nemo.wait": _TRUE} if by_attribute else {}

    def _length(self, phase: str, base: float, rng: random.Random) -> float:
        return base * self._scenario.noise(rng) * self._scenario.slow.get((self.number, phase), 1.0)

    def _id(self) -> str:
        self._ids += 1
        return f"{self.number:08x}{self._ids:08x}"

    def _work(
        self,
        name: str,
        group: str,
        parent: str,
        length: float,
        step: int | None,
        **options: Any,
    ) -> None:
        self._span(name, group, parent, self.now, self.now + length, **options)
        self._did(group, step, self.now + length)

    def _did(self, label: str, step: int | None, end: float) -> None:
        moment = self._scenario.clock(self.number, end)
        if moment > self._last:
            self.activities.append(Activity(label, step, self._last, moment))
        self._last, self.now = moment, end

    def _span(
        self,
        name: str,
        group: str,
        parent: str,
        start: float,
        end: float,
        *,
        attributes: dict[str, Any] | None = None,
        span_id: str = "",
    ) -> None:
        clock = self._scenario.clock
        self.spans.append(
            SpanRow(
                name,
                group if self._scenario.groups else None,
                span_id or self._id(),
                parent,
                clock(self.number, start),
                clock(self.number, end),
                attributes or {},
            )
        )


def play(scenario: Scenario) -> list[Rank]:
    """Play a scenario to its end."""
    rng = random.Random(scenario.seed)
    starts = [
        scenario.begins_s + scenario.start_s.get(rank, 0.001 * rank)
        for rank in range(scenario.ranks)
    ]
    if not scenario.synchronised:
        return _play_alone(scenario, starts, rng)
    ranks = [Rank(scenario, number, start) for number, start in enumerate(starts)]
    for rank in ranks:
        rank.initialise()
    for step in scenario.numbers:
        arrived = [rank.arrive(step, rng) for rank in ranks]
        if not all(arrived):
            _break_off(scenario, ranks, arrived)
            return ranks
        released = max(rank.now for rank in ranks) + 50e-6
        for rank in ranks:
            rank.finish(step, released, rng)
    for rank in ranks:
        rank.stop()
    return ranks


def simulate(scenario: Scenario) -> list[list[SpanRow]]:
    """The spans of each rank in the order in which they end."""
    return [rank.spans for rank in play(scenario)]


def _break_off(scenario: Scenario, ranks: list[Rank], arrived: list[bool]) -> None:
    """A rank was killed or hangs: nobody gets past the barrier."""
    end = max(rank.now for rank in ranks) + scenario.patience_s
    for rank, waits in zip(ranks, arrived, strict=True):
        if rank.killed:
            rank.stop_within(rank.now, "SIGKILL", arrived=False)
        elif scenario.ended_by:
            rank.stop_within(end, scenario.ended_by, arrived=waits)
        else:
            rank.stop()


def _play_alone(scenario: Scenario, starts: list[float], rng: random.Random) -> list[Rank]:
    """Each rank at its own pace, no barrier; its all_reduce takes no time."""
    ranks: list[Rank] = []
    ended = scenario.begins_s
    for number, start in enumerate(starts):
        rank = Rank(scenario, number, ended if scenario.in_turn else start)
        rank.initialise()
        for step in scenario.numbers:
            rank.arrive(step, rng)
            rank.finish(step, rank.now, rng)
        rank.stop()
        ended = rank.now
        ranks.append(rank)
    return ranks
