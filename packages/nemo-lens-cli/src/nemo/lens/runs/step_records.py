# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of the spans of one process once they are read, for all analyses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from nemo.lens.runs.phases import Phase
from nemo.lens.runs.step_table import StepTable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from nemo.lens.runs.process import Process

STEP_GROUP: Final = "step"
JOB_GROUP: Final = "job"
COMMUNICATION_GROUP: Final = "communication"
CHECKPOINT_GROUP: Final = "checkpoint"
# Work that one rank does for all, or that pauses the steps on purpose. It is told by itself and
# never held against a rank when it lies between two steps.
PLANNED_GROUPS: Final = frozenset(
    {JOB_GROUP, CHECKPOINT_GROUP, "evaluate", "evaluation", "validation"}
)


class Outside(NamedTuple):
    """A span outside the steps, or planned work inside one.

    Attributes:
        name: Its name.
        label: Its group, or its name where that is unknown.
        start: Start, nanoseconds since 1970.
        end: End.
        failed: Whether it ended with status error.
        job: Whether it is the whole job: of group `job`, or a root with the steps right below it.
    """

    name: str
    label: str
    start: int
    end: int
    failed: bool
    job: bool


class Truncated(NamedTuple):
    """A span that was cut short: still open when telemetry shut down, or left with an error.

    Attributes:
        name: Its name.
        group: Its group, None where that is unknown.
        duration: How long it was open.
        start: Start, nanoseconds since 1970.
        span_id: 16 hex digits.
        parent: The span around it, "" for none.
        waiting: Whether the rank waited for others in it.
        step: The number that it carries, None without one.
    """

    name: str
    group: str | None
    duration: int
    start: int
    span_id: str
    parent: str
    waiting: bool
    step: int | None


@dataclass
class ProcessRecord:
    """What one process left: its steps, its other work, and how far it came.

    `failures` are the spans that ended with an error, the last ones only; `failed` counts them all.
    """

    process: Process
    steps: StepTable = field(default_factory=StepTable)
    outside: list[Outside] = field(default_factory=list[Outside])
    truncated: list[Truncated] = field(default_factory=list[Truncated])
    failures: list[Truncated] = field(default_factory=list[Truncated])
    names: dict[Phase, set[str]] = field(default_factory=dict[Phase, set[str]])
    rest: set[Phase] = field(default_factory=set[Phase])
    failed: dict[Phase, int] = field(default_factory=dict[Phase, int])
    spans: int = 0
    first_start: int | None = None
    last_end: int = 0
    last_finished: int = 0
    last_name: str | None = None
    unnumbered_steps: int = 0


def phase_labels(records: Iterable[ProcessRecord]) -> frozenset[str]:
    """What the phases of the steps are called."""
    return frozenset(phase.label for record in records for phase in record.names)


def is_event(span: Outside, phases: Collection[str]) -> bool:
    """Whether a span is work of its own, and not what is left of a step that never ended."""
    return span.label in PLANNED_GROUPS or span.label not in phases
