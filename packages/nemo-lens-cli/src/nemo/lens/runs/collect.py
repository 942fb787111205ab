# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One pass over the spans of a run: what the analyses need of each process, and no more.

Spans are reduced to one `StepRecord` per step while they are read, process by process, so that
the memory grows with the number of steps and not with the number of spans.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.runs.phases import Node, Phase, split
from nemo.lens.runs.step_records import (
    JOB_GROUP,
    PLANNED_GROUPS,
    Outside,
    ProcessRecord,
    StepRecord,
    Truncated,
)
from nemo.lens.runs.step_spans import (
    is_step,
    is_truncated,
    is_waiting,
    step_number,
    watched_attributes,
)

if TYPE_CHECKING:
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.records import Span
    from nemo.lens.runs.run import Run

_NOTHING: Final[dict[str, Any]] = {}


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
        self._around_steps: set[str] = set()

    def add(self, span: Span) -> None:
        """Take in one span, in any order."""
        name, group, span_id, parent, start, end, _process, raw = span
        record = self._record
        record.spans += 1
        record.last_end = max(record.last_end, end)
        if record.first_start is None or start < record.first_start:
            record.first_start = start
        pairs = raw.get("attributes")
        watched = watched_attributes(pairs) if pairs else _NOTHING
        if is_truncated(watched):
            record.truncated.append(Truncated(name, group, end - start))
            return
        if end >= record.last_finished:
            record.last_finished, record.last_name = end, name
        waiting = is_waiting(name, group, watched)
        node = Node(start, end, span_id, group or name, name, waiting)
        if raw.get("status") and span.failed:
            self._failed.add(span_id)
        if is_step(name, group, watched):
            self._steps.append((node, parent, step_number(watched)))
            return
        self._children.setdefault(parent, []).append(node)

    def finish(self) -> ProcessRecord:
        """The record of everything that was added."""
        self._nest_steps()
        seen: dict[int, int] = {}
        numbered = any(number is not None for _node, _parent, number in self._steps)
        steps = sorted(self._steps, key=_window)
        self._around_steps = {parent for _node, parent, _number in steps}
        siblings = _Siblings(self._children, self._around_steps)
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
        rest = Phase(window.label, waiting=False)
        self._name(rest, window.name)
        self._record.rest.add(rest)
        if self._failed:
            self._count_failed(window, inside)
        for node in inside:
            self._name(Phase(node.label, node.waiting), node.name)
            if node.label in PLANNED_GROUPS:
                self._keep(node)
        return inside

    def _count_failed(self, window: Node, inside: list[Node]) -> None:
        """Failures go to the phase in which they happened, else to the step itself."""
        failed = [node for node in inside if self._holds_failed(node)]
        if not failed and window.span_id in self._failed:
            failed = [window]
        for node in failed:
            self._fail(node)

    def _holds_failed(self, node: Node) -> bool:
        """Whether a span or one below it failed."""
        stack = [node]
        while stack and self._failed:
            span = stack.pop()
            if span.span_id in self._failed:
                return True
            stack += self._children.get(span.span_id, ())
        return False

    def _fail(self, node: Node) -> None:
        phase = Phase(node.label, node.waiting)
        self._record.failed[phase] = self._record.failed.get(phase, 0) + 1

    def _split_between(self, taken: list[Node]) -> dict[Phase, int]:
        """Named work between the step before and this one, by phase."""
        if not taken:
            return {}
        for node in taken:
            self._name(Phase(node.label, node.waiting), node.name)
            if self._holds_failed(node):
                self._fail(node)
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
                    self._keep(node, root=not parent)
        self._children.clear()

    def _keep(self, node: Node, *, root: bool = False) -> None:
        job = node.label == JOB_GROUP or (root and node.span_id in self._around_steps)
        failed = node.span_id in self._failed
        self._record.outside.append(
            Outside(node.name, node.label, node.start, node.end, failed, job)
        )


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
