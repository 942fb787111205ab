# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The life of each process for the goodput analysis: its time by bucket, and its steps.

Spans are kept of one process at a time; of the others what they came to.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from nemo.lens.runs.bucket_sweep import Classified, Segments, sweep
from nemo.lens.runs.step_records import CHECKPOINT_GROUP
from nemo.lens.runs.step_spans import is_step, is_truncated, step_number, watched_attributes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.runs.bucket_table import Classifier
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.records import Span
    from nemo.lens.runs.run import Run


class NumberedStep(NamedTuple):
    """A step that ended, its number, and whether it was done or ended with an error."""

    start: int
    end: int
    number: int
    done: bool


class _StepSpan(NamedTuple):
    start: int
    end: int
    number: int | None
    name: str
    span_id: str
    ended: bool
    done: bool


@dataclass
class Life:
    """One process from its start to its end, by its own clock.

    Attributes:
        process: The process.
        start: Its start, or that of its first span.
        end: Its end, or the last thing recorded.
        segments: Its time, cut where the bucket changes.
        steps: Its outer steps that ended and have a number, in order of time.
        checkpoint_end: When its last finished checkpoint ended, None without one.
    """

    process: Process
    start: int = 0
    end: int = 0
    segments: Segments = field(default_factory=Segments)
    steps: list[NumberedStep] = field(default_factory=list[NumberedStep])
    checkpoint_end: int | None = None


def process_lives(run: Run, classifier: Classifier) -> Iterator[Life]:
    """The life of every process of a run, of one process at a time where they are kept apart."""
    builders: dict[Process, _Builder] = {}
    told: set[Process] = set()
    for process, spans in groupby(run.spans(), key=attrgetter("process")):
        builder = builders.setdefault(process, _Builder(process, classifier))
        for span in spans:
            builder.add(span)
        if process.manifest:
            told.add(process)
            yield builders.pop(process).finish()
    for process in run.processes:
        if process not in told:
            yield builders.get(process, _Builder(process, classifier)).finish()


class _Builder:
    def __init__(self, process: Process, classifier: Classifier) -> None:
        self._life = Life(process)
        self._classifier = classifier
        self._spans: list[Classified] = []
        self._parents: dict[str, str] = {}
        self._steps: list[_StepSpan] = []
        told = (process.started_unix_nano, process.ended_unix_nano)
        self._bounds = [moment for moment in told if moment is not None]

    def add(self, span: Span) -> None:
        life = self._life
        start, end = span.start_unix_nano, span.end_unix_nano
        life.start = min(life.start or start, start)
        life.end = max(life.end, end)
        self._parents[span.span_id] = span.parent_span_id
        pairs = span.raw.get("attributes")
        watched: dict[str, Any] = watched_attributes(pairs) if pairs else {}
        finished = not is_truncated(watched)
        if is_step(span.name, span.group, watched):
            number = step_number(watched)
            self._steps.append(
                _StepSpan(
                    start, end, number, span.name, span.span_id, finished, done=not span.failed
                )
            )
        if span.group == CHECKPOINT_GROUP and finished and not span.failed:
            life.checkpoint_end = max(life.checkpoint_end or 0, end)
        bucket = self._classifier.bucket(span)
        if bucket is not None:
            part = span.group or span.name
            self._spans.append(
                Classified(start, end, span.span_id, span.parent_span_id, bucket, part)
            )

    def finish(self) -> Life:
        life = self._life
        bounds = [*self._bounds, *([life.start, life.end] if self._parents else [])]
        life.start, life.end = min(bounds, default=0), max(bounds, default=0)
        life.segments = sweep(self._spans, self._parents)
        life.steps = sorted(self._numbered_steps())
        return life

    def _numbered_steps(self) -> Iterator[NumberedStep]:
        """The outer steps of the one kind that the process counts most of."""
        ids = {step.span_id for step in self._steps}
        outer = [step for step in self._steps if not self._is_inside(step.span_id, ids)]
        names = Counter(step.name for step in outer if step.number is not None)
        counted = next((name for name, _count in names.most_common(1)), None)
        for step in outer:
            if step.number is not None and step.ended and step.name == counted:
                yield NumberedStep(step.start, step.end, step.number, step.done)

    def _is_inside(self, span_id: str, ids: set[str]) -> bool:
        parents = self._parents
        above = parents.get(span_id, "")
        for _level in range(1000):
            if not above or above in ids:
                return bool(above)
            above = parents.get(above, "")
        return False
