# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One pass over the spans of a run: what the analyses need of each process, and no more.

Spans are reduced to one `StepRecord` per step while they are read, process by process, so that
the memory grows with the number of steps and not with the number of spans.
"""

from __future__ import annotations

from collections import defaultdict, deque
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens.runs.parallel_collect import cores, read_shares, shares
from nemo.lens.runs.phases import Kind, Node, Phase, split
from nemo.lens.runs.records import MAX_NANO, is_failed, span_fields
from nemo.lens.runs.step_records import (
    JOB_GROUP,
    PLANNED_GROUPS,
    Outside,
    ProcessRecord,
    Truncated,
)
from nemo.lens.runs.step_siblings import Siblings
from nemo.lens.runs.step_spans import (
    cut_short,
    is_step,
    is_truncated,
    is_waiting,
    step_number,
    watched_attributes,
)
from nemo.lens.runs.step_table import StepRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.runs.process import Process
    from nemo.lens.runs.records import SpanBlock
    from nemo.lens.runs.run import Run

_NOTHING: Final[dict[str, Any]] = {}
_MOST_FAILURES: Final = 64


def collect(run: Run, *, readers: int | None = None) -> list[ProcessRecord]:
    """Read all spans of a run once.

    Args:
        run: The run.
        readers: How many processes may read a large run at the same time; the number of cores when
            None.

    Returns:
        One record per process, in the order of `run.processes`; those without spans too.
    """
    sizes = run.trace_bytes()
    parts = shares(sizes, cores() if readers is None else readers)
    if len(parts) == 1:
        done = dict(collect_processes(run))
        return [done.get(process) or ProcessRecord(process) for process in run.processes]
    records, problems = read_shares(run.path, parts)
    run.add_problems(problems)
    left = run.narrowed(sizes.keys() - records.keys())
    records.update((process.folder, record) for process, record in collect_processes(left))
    return [_of_process(records.get(process.folder), process) for process in run.processes]


def _of_process(record: ProcessRecord | None, process: Process) -> ProcessRecord:
    if record is None:
        return ProcessRecord(process)
    record.process = process
    return record


def collect_processes(run: Run) -> Iterator[tuple[Process, ProcessRecord]]:
    """The record of each process that has spans, one process at a time where they lie apart."""
    builders: dict[Process, _Builder] = {}
    for process, blocks in groupby(run.span_blocks(), key=attrgetter("process")):
        builder = builders.setdefault(process, _Builder(process))
        for block in blocks:
            builder.add(block)
        if process.manifest:
            # Run folders come process by process; only a collector interleaves them.
            yield process, builders.pop(process).finish()
    for process, builder in builders.items():
        yield process, builder.finish()


class _Step(NamedTuple):
    """A step span until it is known what lies inside of it."""

    node: Node
    parent: str
    number: int | None


class _Builder:
    """Reduces the spans of one process to its record."""

    def __init__(self, process: Process) -> None:
        self._record = ProcessRecord(process)
        self._children: defaultdict[str, list[Node]] = defaultdict(list)
        self._steps: list[_Step] = []
        self._failed: set[str] = set()
        self._failures: deque[Truncated] = deque(maxlen=_MOST_FAILURES)
        self._around_steps: set[str] = set()
        self._named: set[Kind] = set()

    def add(self, block: SpanBlock) -> None:
        """Take in the spans of one group, in any order."""
        record, children, group = self._record, self._children, block.group
        kinds: dict[str, Kind] = {}
        starts: list[int] = []
        ends: list[int] = []
        # One loop on purpose: it is most of the time of every analysis of a large run.
        for raw in block.spans:
            found = span_fields(raw)
            if found is None:
                block.damaged()
                continue
            name, span_id, parent, start, end = found
            starts.append(start)
            ends.append(end)
            pairs = raw.get("attributes")
            watched = watched_attributes(pairs) if pairs else _NOTHING
            if watched and is_truncated(watched):
                record.truncated.append(cut_short(group, found, watched))
                continue
            if end >= record.last_finished:
                record.last_finished, record.last_name = end, name
            if raw.get("status") and is_failed(raw):
                self._failed.add(span_id)
                self._failures.append(cut_short(group, found, watched))
            kind = None if watched else kinds.get(name)
            if kind is None:
                phase = Phase(group or name, is_waiting(name, group, watched))
                kind = kinds[name] = Kind(phase, name)
            node = Node(start, end, span_id, kind)
            if is_step(name, group, watched):
                self._steps.append(_Step(node, parent, step_number(watched)))
            else:
                children[parent].append(node)
        if starts:
            record.spans += len(starts)
            record.first_start = min(*starts, record.first_start or MAX_NANO)
            record.last_end = max(*ends, record.last_end)

    def finish(self) -> ProcessRecord:
        """The record of everything that was added."""
        self._nest_steps()
        seen: dict[int, int] = {}
        numbered = any(step.number is not None for step in self._steps)
        steps = sorted(self._steps, key=_window)
        self._around_steps = {step.parent for step in steps}
        siblings = Siblings(self._children, self._around_steps)
        previous_end = 0
        for place, (node, parent, number) in enumerate(steps):
            step = number if numbered else place
            window = node._replace(kind=_own_kind(node.kind.name))
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
        self._record.failures = list(self._failures)
        return self._record

    def _nest_steps(self) -> None:
        """A step within a step (a microbatch, a policy update) is a phase of the outer one."""
        ids = {step.node.span_id for step in self._steps}
        parents = self._ancestry(ids)
        outer: list[_Step] = []
        for step in self._steps:
            if _has_ancestor(step.parent, ids, parents):
                node = step.node._replace(kind=_own_kind(step.node.kind.name))
                self._children[step.parent].append(node)
            else:
                outer.append(step)
        self._steps = outer

    def _ancestry(self, ids: set[str]) -> dict[str, str]:
        """The parents of the steps and of all that is above them, level by level."""
        parents = {step.node.span_id: step.parent for step in self._steps}
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
        self._name(window.kind)
        self._record.rest.add(window.kind.phase)
        if self._failed:
            self._count_failed(window, inside)
        for node in inside:
            kind = node.kind
            if kind not in self._named:
                self._name(kind)
            if kind.phase.label in PLANNED_GROUPS:
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
        phase = node.kind.phase
        self._record.failed[phase] = self._record.failed.get(phase, 0) + 1

    def _split_between(self, taken: list[Node]) -> dict[Phase, int]:
        """Named work between the step before and this one, by phase."""
        if not taken:
            return {}
        for node in taken:
            self._name(node.kind)
            if self._holds_failed(node):
                self._fail(node)
        last_end = max(node.end for node in taken)
        window = Node(taken[0].start, last_end, "", _own_kind(""))
        parts, _released = split(window, taken, self._children)
        parts.pop(window.kind.phase, None)
        return parts

    def _name(self, kind: Kind) -> None:
        self._named.add(kind)
        self._record.names.setdefault(kind.phase, set()).add(kind.name)

    def _keep_outside(self) -> None:
        """What no step took; of spans nested in one of their own group the outermost only."""
        labels = {
            node.span_id: node.kind.phase.label
            for nodes in self._children.values()
            for node in nodes
        }
        for parent, nodes in self._children.items():
            for node in nodes:
                if labels.get(parent) != node.kind.phase.label:
                    self._keep(node, root=not parent)
        self._children.clear()

    def _keep(self, node: Node, *, root: bool = False) -> None:
        name, label = node.kind.name, node.kind.phase.label
        job = label == JOB_GROUP or (root and node.span_id in self._around_steps)
        failed = node.span_id in self._failed
        self._record.outside.append(Outside(name, label, node.start, node.end, failed, job))


def _window(step: _Step) -> Node:
    return step.node


@cache
def _own_kind(name: str) -> Kind:
    """The kind of a step, whose own time is called by its name."""
    return Kind(Phase(name, waiting=False), name)


def _has_ancestor(span_id: str, wanted: set[str], parents: dict[str, str]) -> bool:
    for _level in range(1000):
        if not span_id:
            return False
        if span_id in wanted:
            return True
        span_id = parents.get(span_id, "")
    return False
