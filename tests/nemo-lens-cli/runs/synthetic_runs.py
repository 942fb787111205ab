# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Runs whose answer is known, written as run files or as a collector would write them.

A `Scenario` says how many ranks do how many steps, how long each phase takes and what goes wrong;
`simulate` plays it (ranks wait for each other in every step, clocks are wrong), `write_run` and
`write_collector_file` put it on disk.
"""

from __future__ import annotations

import gzip
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NANO = 1_000_000_000
EPOCH = 1_760_000_000 * NANO
BATCH = 64
TORN = b'{"resourceSpans":[{"resource":{"attributes":[{"key":"to'


class SpanRow(NamedTuple):
    """One span of a rank, by the clock of its host."""

    name: str
    group: str | None
    span_id: str
    parent: str
    start: int
    end: int
    attributes: dict[str, Any]


@dataclass
class Scenario:
    """What a synthetic run does.

    Attributes:
        ranks: World size.
        steps: Steps, numbered from 1.
        phases: Own work before the barrier of a step, seconds by group.
        optimizer_s: Own work after it.
        noise: A factor on each phase, drawn for each rank, step and phase.
        seed: Of the noise.
        ranks_per_host: How many ranks share a host.
        clock_offset_s: How far the clock of a host is ahead, by number of the host.
        clock_drift_ppm: How much it gains, by number of the host.
        slow: Factor on one phase of one rank in all steps, by (rank, phase).
        stalls: Extra seconds in forward_backward, by (rank, step).
        killed: The step in whose forward_backward a rank is killed, by rank; nobody gets further.
        synchronised: Whether ranks wait for each other in each step.
        start_s: When a rank starts, by rank; a millisecond after the one before it by default.
        in_turn: Whether each rank starts when the one before it has ended.
        marked: Whether waiting is marked (group communication).
        groups: Whether groups are recorded.
        nested: Whether forward_backward holds nested spans.
        checkpoint_every: Rank 0 alone writes a checkpoint within every such step, 0 for never.
        checkpoint_s: How long that takes.
        between_s: A data loading span between the steps takes so long, 0 for none.
        run: Run id.
        restart: Attempt.
    """

    ranks: int = 4
    steps: int = 60
    phases: dict[str, float] = field(
        default_factory=lambda: {"data_loading": 0.002, "forward_backward": 0.040}
    )
    optimizer_s: float = 0.003
    noise: Callable[[random.Random], float] = lambda rng: 1 + max(-0.5, rng.gauss(0, 0.05))
    seed: int = 0
    ranks_per_host: int = 4
    clock_offset_s: dict[int, float] = field(default_factory=dict)
    clock_drift_ppm: dict[int, float] = field(default_factory=dict)
    slow: dict[tuple[int, str], float] = field(default_factory=dict)
    stalls: dict[tuple[int, int], float] = field(default_factory=dict)
    killed: dict[int, int] = field(default_factory=dict)
    synchronised: bool = True
    start_s: dict[int, float] = field(default_factory=dict)
    in_turn: bool = False
    marked: bool = True
    groups: bool = True
    nested: bool = False
    checkpoint_every: int = 0
    checkpoint_s: float = 1.0
    between_s: float = 0.0
    run: str = "synthetic"
    restart: int = 0

    def host(self, rank: int) -> int:
        """Number of the host of a rank."""
        return rank // self.ranks_per_host


def simulate(scenario: Scenario) -> list[list[SpanRow]]:
    """Play a scenario.

    Returns:
        The spans of each rank in the order in which they end.
    """
    rng = random.Random(scenario.seed)
    ranks = [_Rank(scenario, rank) for rank in range(scenario.ranks)]
    now = [scenario.start_s.get(rank, 0.001 * rank) for rank in range(scenario.ranks)]
    if not scenario.synchronised:
        _play_alone(scenario, ranks, now, rng)
        return [rank.spans for rank in ranks]
    for step in range(1, scenario.steps + 1):
        arrivals = [rank.work(step, now[rank.number], rng) for rank in ranks]
        if any(rank.dead for rank in ranks):
            break
        released = max(arrivals) + 50e-6
        now = [rank.finish(step, released, rng) for rank in ranks]
    return [rank.spans for rank in ranks]


def _play_alone(
    scenario: Scenario, ranks: list[_Rank], starts: list[float], rng: random.Random
) -> None:
    """Each rank at its own pace, no barrier; its all_reduce takes no time."""
    ended = 0.0
    for rank, start in zip(ranks, starts, strict=True):
        now = ended if scenario.in_turn else start
        for step in range(1, scenario.steps + 1):
            now = rank.finish(step, rank.work(step, now, rng), rng)
        ended = now


class _Rank:
    """One rank at work; times are true seconds since the start of the run."""

    def __init__(self, scenario: Scenario, number: int) -> None:
        self.scenario = scenario
        self.number = number
        self.spans: list[SpanRow] = []
        self.dead = False
        self._ids = 0
        self._step_id = ""
        self._started = 0.0
        self._arrived = 0.0

    def work(self, step: int, now: float, rng: random.Random) -> float:
        """Own work up to the barrier; returns when the rank arrives there."""
        scenario = self.scenario
        if scenario.between_s:
            length = self._length("data_loading", scenario.between_s, rng)
            self._span("demo.load", "data_loading", "job", now, now + length)
            now += length
        self._step_id, self._started = self._id(), now
        for phase, base in scenario.phases.items():
            length = self._length(phase, base, rng)
            if phase == "forward_backward":
                length += scenario.stalls.get((self.number, step), 0.0)
                if scenario.killed.get(self.number) == step:
                    self.dead = True
                    return now
            span_id = self._id()
            if scenario.nested and phase == "forward_backward":
                self._span("demo.layer", "layer", span_id, now, now + length / 2)
            self._span(f"demo.{phase}", phase, self._step_id, now, now + length, span_id=span_id)
            now += length
        if self.number == 0 and scenario.checkpoint_every and step % scenario.checkpoint_every == 0:
            length = scenario.checkpoint_s
            self._span("demo.checkpoint", "checkpoint", self._step_id, now, now + length)
            now += length
        self._arrived = now
        return now

    def finish(self, step: int, released: float, rng: random.Random) -> float:
        """Wait for the others, then the optimizer; returns when the step is over."""
        scenario = self.scenario
        group = "communication" if scenario.marked else "sync"
        self._span("demo.all_reduce", group, self._step_id, self._arrived, released)
        end = released + self._length("optimizer", scenario.optimizer_s, rng)
        self._span("demo.optimizer", "optimizer", self._step_id, released, end)
        number = {"dl.iteration": {"intValue": str(step)}}
        self._span(
            "demo.step", "step", "job", self._started, end, attributes=number, span_id=self._step_id
        )
        return end

    def _length(self, phase: str, base: float, rng: random.Random) -> float:
        return base * self.scenario.noise(rng) * self.scenario.slow.get((self.number, phase), 1.0)

    def _id(self) -> str:
        self._ids += 1
        return f"{self.number:08x}{self._ids:08x}"

    def _clock(self, moment: float) -> int:
        host = self.scenario.host(self.number)
        offset = self.scenario.clock_offset_s.get(host, 0.0)
        drift = self.scenario.clock_drift_ppm.get(host, 0.0)
        return EPOCH + round((moment * (1 + drift * 1e-6) + offset) * NANO)

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
        self.spans.append(
            SpanRow(
                name,
                group if self.scenario.groups else None,
                span_id or self._id(),
                parent,
                self._clock(start),
                self._clock(end),
                attributes or {},
            )
        )


def key_values(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes in OTLP-JSON; values are given as AnyValue or as str."""
    return [
        {"key": key, "value": value if isinstance(value, dict) else {"stringValue": value}}
        for key, value in attributes.items()
    ]


def resource(scenario: Scenario, rank: int) -> dict[str, Any]:
    """The resource of a rank."""
    return {
        "attributes": key_values(
            {
                "service.name": "trainer",
                "nemo.run.id": scenario.run,
                "host.name": f"host{scenario.host(rank)}",
                "process.pid": {"intValue": str(1000 + rank)},
                "nv.dl.rank": {"intValue": str(rank)},
                "nv.dl.world_size": {"intValue": str(scenario.ranks)},
            }
        )
    }


def request(scenario: Scenario, rank: int, spans: list[SpanRow]) -> bytes:
    """One line: an ExportTraceServiceRequest with one block per group."""
    blocks: dict[str | None, list[dict[str, Any]]] = {}
    for span in spans:
        blocks.setdefault(span.group, []).append(span_json(span))
    scopes = [{"scope": _scope(group), "spans": encoded} for group, encoded in blocks.items()]
    entry = {"resource": resource(scenario, rank), "scopeSpans": scopes}
    return orjson.dumps({"resourceSpans": [entry]}) + b"\n"


def _scope(group: str | None) -> dict[str, Any]:
    scope: dict[str, Any] = {"name": "nemo.lens"}
    if group is not None:
        scope["attributes"] = key_values({"nemo.span.group": group})
    return scope


def span_json(span: SpanRow) -> dict[str, Any]:
    """One span in OTLP-JSON."""
    return {
        "traceId": "0" * 31 + "1",
        "spanId": span.span_id,
        "parentSpanId": span.parent,
        "name": span.name,
        "kind": 1,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": key_values(span.attributes),
        "status": {},
    }


def lines(scenario: Scenario, rank: int, spans: list[SpanRow]) -> list[bytes]:
    """All spans of a rank as lines of at most `BATCH` spans."""
    return [
        request(scenario, rank, spans[place : place + BATCH])
        for place in range(0, len(spans), BATCH)
    ]


def manifest(scenario: Scenario, rank: int, spans: list[SpanRow]) -> dict[str, Any]:
    """The manifest of a rank, with its end unless it was killed."""
    killed = rank in scenario.killed
    return {
        "schema": 1,
        "run": scenario.run,
        "role": "trainer",
        "rank": rank,
        "world_size": scenario.ranks,
        "local_rank": rank % scenario.ranks_per_host,
        "host": f"host{scenario.host(rank)}",
        "pid": 1000 + rank,
        "restart": scenario.restart,
        "started_unix_nano": EPOCH,
        "ended_unix_nano": None if killed else max((span.end for span in spans), default=EPOCH),
        "end": None if killed else "shutdown",
        "command": ["train.py", "--steps", str(scenario.steps)],
        "versions": {"nemo-lens-api": "0.3.0"},
        "config": {},
        "resource": {"service.name": "trainer"},
        "lost": {},
    }


def process_folder(directory: Path, scenario: Scenario, rank: int) -> Path:
    """Where a rank keeps its files."""
    name = f"trainer-{rank}-host{scenario.host(rank)}-{1000 + rank}"
    return directory / scenario.run / str(rank // 256) / name


def write_run(directory: Path, scenario: Scenario) -> Path:
    """Write a scenario as run files.

    Returns:
        The run folder. A killed rank has a torn last line and no end in its manifest.
    """
    for rank, spans in enumerate(simulate(scenario)):
        folder = process_folder(directory, scenario, rank)
        folder.mkdir(parents=True)
        torn = TORN if rank in scenario.killed else b""
        (folder / "manifest.json").write_bytes(orjson.dumps(manifest(scenario, rank, spans)))
        written = lines(scenario, rank, spans)
        (folder / "traces-00000.jsonl").write_bytes(b"".join(written) + torn)
    return directory / scenario.run


def write_collector_file(path: Path, scenario: Scenario) -> Path:
    """Write a scenario as the one file of a collector, the ranks interleaved.

    Returns:
        The file, compressed when its name ends in `.gz`.
    """
    written = [lines(scenario, rank, spans) for rank, spans in enumerate(simulate(scenario))]
    longest = max(map(len, written))
    mixed = [rank[place] for place in range(longest) for rank in written if place < len(rank)]
    data = b"".join(mixed)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def metric_line(scenario: Scenario, rank: int, name: str, values: list[float]) -> bytes:
    """One line: a gauge with one point per second."""
    points = [
        {"timeUnixNano": str(EPOCH + place * NANO), "asDouble": value}
        for place, value in enumerate(values)
    ]
    metric = {"name": name, "unit": "1", "gauge": {"dataPoints": points}}
    entry = {"resource": resource(scenario, rank), "scopeMetrics": [{"metrics": [metric]}]}
    return orjson.dumps({"resourceMetrics": [entry]}) + b"\n"


def log_line(scenario: Scenario, rank: int, severity: str, body: str) -> bytes:
    """One line: one log record."""
    record = {
        "timeUnixNano": str(EPOCH),
        "severityNumber": 9,
        "severityText": severity,
        "body": {"stringValue": body},
    }
    entry = {"resource": resource(scenario, rank), "scopeLogs": [{"logRecords": [record]}]}
    return orjson.dumps({"resourceLogs": [entry]}) + b"\n"
