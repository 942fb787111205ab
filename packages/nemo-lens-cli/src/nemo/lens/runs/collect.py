# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One pass over the spans of a run: what the analyses need of each process, and no more.

Spans are reduced to one `StepRecord` per step while they are read, process by process, so that
the memory grows with the number of steps and not with the number of spans.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens.runs.phases import Node, Phase, split
from nemo.lens.runs.records import any_value, is_list
from nemo.lens.semconv import DL_ITERATION, NEMO_SPAN_TRUNCATED, NEMO_WAIT

if TYPE_CHECKING:
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.records import Span
    from nemo.lens.runs.run import Run

STEP_GROUP: Final = "step"
COMMUNICATION_GROUP: Final = "communication"
# Work that one rank does for all, or that pauses the steps on purpose. It is told by itself and
# never held against a rank when it lies between two steps.
PLANNED_GROUPS: Final = frozenset({"job", "checkpoint", "evaluate", "evaluation", "validation"})
_WAIT_KEY: Final = NEMO_WAIT
_TRUNCATED_KEY: Final = NEMO_SPAN_TRUNCATED
_STEP_KEYS: Final = (DL_ITERATION, "iteration")
_WATCHED: Final = frozenset({_WAIT_KEY, _TRUNCATED_KEY, *_STEP_KEYS})
# How a step span is recognised where no group was recorded (spans that came through OTLP).
_STEP_NAMES: Final = frozenset({"step", "train_step", "training_step"})
# Operations in which ranks meet; they count as waiting where no group was recorded.
_COLLECTIVES: Final = frozenset(
    {
        "all_gather",
        "all_reduce",
        "all_to_all",
        "barrier",
        "broadcast",
        "gather",
        "reduce",
        "reduce_scatter",
        "scatter",
    }
)
_NOTHING: Final[dict[str, Any]] = {}


class StepRecord(NamedTuple):
    """One finished step of one process.

    Attributes:
        step: Its number.
        again: How often this process had done the number before (after a rollback).
        start: Start, nanoseconds since 1970.
        end: End.
        released: End of the last waiting in it, 0 when it has none.
        phases: Nanoseconds by phase within the step; they sum to its duration.
        between: The same for named work between the step before and this one.
    """

    step: int
    again: int
    start: int
    end: int
    released: int
    phases: dict[Phase, int]
    between: dict[Phase, int]


class Outside(NamedTuple):
    """A span outside the steps, or planned work inside one."""

    name: str
    label: str
    start: int
    end: int
    failed: bool


class Truncated(NamedTuple):
    """A span that was still open when telemetry shut down."""

    name: str
    group: str | None
    duration: int


def _names() -> dict[Phase, set[str]]:
    return {}


@dataclass
class ProcessRecord:
    """What one process left: its steps, its other work, and how far it came."""

    process: Process
    steps: list[StepRecord] = field(default_factory=list[StepRecord])
    outside: list[Outside] = field(default_factory=list[Outside])
    truncated: list[Truncated] = field(default_factory=list[Truncated])
    names: dict[Phase, set[str]] = field(default_factory=_names)
    spans: int = 0
    first_start: int | None = None
    last_end: int = 0
    last_name: str | None = None
    unnumbered_steps: int = 0


def collect(run: Run) -> list[ProcessRecord]:
    """Read all spans of a run once.

    Returns:
        One record per process, in the order of `run.processes`; those without spans too.
    """
    builders: dict[Process, _Builder] = {}
    done: dict[Process, ProcessRecord] = {}
    for process, spans in groupby(run.spans(), key=attrgetter("process")):
        builder = builders.setdefault(process, _Builder(process))
        for span in spans:
            builder.add(span)
        if process.manifest:
            # Run folders come process by process; only a collector interleaves them.
            done[process] = builders.pop(process).finish()
    done.update((process, builder.finish()) for process, builder in builders.items())
    return [done.get(process) or ProcessRecord(process) for process in run.processes]


class _Builder:
    """Reduces the spans of one process to its record."""

    def __init__(self, process: Process) -> None:
        self._record = ProcessRecord(process)
        self._children: dict[str, list[Node]] = {}
        self._steps: list[tuple[Node, str, int | None]] = []
        self._failed: set[str] = set()

    def add(self, span: Span) -> None:
        """Take in one span, in any order."""
        name, group, span_id, parent, start, end, _process, raw = span
        record = self._record
        record.spans += 1
        if end >= record.last_end:
            record.last_end, record.last_name = end, name
        if record.first_start is None or start < record.first_start:
            record.first_start = start
        pairs = raw.get("attributes")
        watched = _watched(pairs) if pairs else _NOTHING
        if watched.get(_TRUNCATED_KEY) is True:
            record.truncated.append(Truncated(name, group, end - start))
            return
        waiting = group == COMMUNICATION_GROUP or watched.get(_WAIT_KEY) is True
        if group is None and not waiting:
            waiting = _WAIT_KEY not in watched and name.rpartition(".")[2] in _COLLECTIVES
        node = Node(start, end, span_id, group or name, name, waiting)
        if group == STEP_GROUP or (group is None and _is_step(name, watched)):
            self._steps.append((node, parent, _step_number(watched)))
            return
        if raw.get("status") and span.failed:
            self._failed.add(span_id)
        self._children.setdefault(parent, []).append(node)

    def finish(self) -> ProcessRecord:
        """The record of everything that was added."""
        self._nest_steps()
        seen: dict[int, int] = {}
        numbered = any(number is not None for _node, _parent, number in self._steps)
        steps = sorted(self._steps, key=_window)
        siblings = _Siblings(self._children, {parent for _node, parent, _number in steps})
        previous_end = 0
        for place, (node, parent, number) in enumerate(steps):
            step = number if numbered else place
            window = node._replace(label=node.name)
            parts, released = split(window, self._take_inside(window), self._children)
            between = self._split_between(siblings.take(parent, previous_end, node.start))
            previous_end = node.end
            if step is None:
                self._record.unnumbered_steps += 1
                continue
            again = seen.get(step, 0)
            seen[step] = again + 1
            self._record.steps.append(
                StepRecord(step, again, node.start, node.end, released, parts, between)
            )
        siblings.give_back()
        self._keep_outside()
        return self._record

    def _nest_steps(self) -> None:
        """A step within a step (a microbatch, a policy update) is a phase of the outer one."""
        ids = {node.span_id for node, _parent, _number in self._steps}
        parents = self._ancestry(ids)
        outer: list[tuple[Node, str, int | None]] = []
        for node, parent, number in self._steps:
            if _has_ancestor(parent, ids, parents):
                self._children.setdefault(parent, []).append(node._replace(label=node.name))
            else:
                outer.append((node, parent, number))
        self._steps = outer

    def _ancestry(self, ids: set[str]) -> dict[str, str]:
        """The parents of the steps and of all that is above them, level by level."""
        parents = {node.span_id: parent for node, parent, _number in self._steps}
        wanted = set(parents.values()) - ids
        while wanted:
            found = {
                node.span_id: parent
                for parent, nodes in self._children.items()
                for node in nodes
                if node.span_id in wanted
            }
            wanted = set(found.values()) - parents.keys() - found.keys()
            parents.update(found)
        return parents

    def _take_inside(self, window: Node) -> list[Node]:
        inside = self._children.pop(window.span_id, [])
        self._name(Phase(window.label, waiting=False), window.name)
        for node in inside:
            self._name(Phase(node.label, node.waiting), node.name)
            if node.label in PLANNED_GROUPS:
                self._keep(node)
        return inside

    def _split_between(self, taken: list[Node]) -> dict[Phase, int]:
        """Named work between the step before and this one, by phase."""
        if not taken:
            return {}
        for node in taken:
            self._name(Phase(node.label, node.waiting), node.name)
        last_end = max(node.end for node in taken)
        window = Node(taken[0].start, last_end, "", "", "", waiting=False)
        parts, _released = split(window, taken, self._children)
        parts.pop(Phase("", waiting=False), None)
        return parts

    def _name(self, phase: Phase, name: str) -> None:
        self._record.names.setdefault(phase, set()).add(name)

    def _keep_outside(self) -> None:
        """What no step took; of spans nested in one of their own group the outermost only."""
        labels = {node.span_id: node.label for nodes in self._children.values() for node in nodes}
        for parent, nodes in self._children.items():
            for node in nodes:
                if labels.get(parent) != node.label:
                    self._keep(node)
        self._children.clear()

    def _keep(self, node: Node) -> None:
        failed = node.span_id in self._failed
        self._record.outside.append(Outside(node.name, node.label, node.start, node.end, failed))


class _Siblings:
    """Spans beside the steps, handed out once, in order of time."""

    def __init__(self, children: dict[str, list[Node]], parents: set[str]) -> None:
        self._children = children
        self._waiting = {parent: sorted(children.pop(parent, ())) for parent in parents}
        self._place = dict.fromkeys(parents, 0)
        self._kept: dict[str, list[Node]] = {parent: [] for parent in parents}

    def take(self, parent: str, after: int, before: int) -> list[Node]:
        """The siblings that lie wholly between two steps, planned work left out."""
        nodes, place = self._waiting[parent], self._place[parent]
        taken: list[Node] = []
        while place < len(nodes) and nodes[place].start < before:
            node = nodes[place]
            whole = after and node.start >= after and node.end <= before
            fits = whole and node.label not in PLANNED_GROUPS
            (taken if fits else self._kept[parent]).append(node)
            place += 1
        self._place[parent] = place
        return taken

    def give_back(self) -> None:
        """Put the siblings that no step took back among the children."""
        for parent, nodes in self._waiting.items():
            rest = self._kept[parent] + nodes[self._place[parent] :]
            if rest:
                self._children[parent] = rest


def _window(step: tuple[Node, str, int | None]) -> Node:
    return step[0]


def _has_ancestor(span_id: str, wanted: set[str], parents: dict[str, str]) -> bool:
    for _level in range(1000):
        if not span_id:
            return False
        if span_id in wanted:
            return True
        span_id = parents.get(span_id, "")
    return False


def _watched(pairs: Any) -> dict[str, Any]:
    """The few attributes that the analyses look at."""
    found: dict[str, Any] = {}
    if is_list(pairs):
        for pair in pairs:
            if pair.__class__ is dict:
                key = pair.get("key")
                if key.__class__ is str and key in _WATCHED:
                    found[key] = any_value(pair.get("value"))
    return found


def _is_step(name: str, watched: dict[str, Any]) -> bool:
    return name.rpartition(".")[2] in _STEP_NAMES and _step_number(watched) is not None


def _step_number(watched: dict[str, Any]) -> int | None:
    for key in _STEP_KEYS:
        number = watched.get(key)
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if isinstance(number, int) and not isinstance(number, bool):
            return number
    return None
