# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a synthetic run does, and what goes wrong in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

NANO = 1_000_000_000
EPOCH = 1_760_000_000 * NANO


def normal(rng: random.Random) -> float:
    """Noise of some percent around 1."""
    return 1 + max(-0.5, rng.gauss(0, 0.05))


def heavy(rng: random.Random) -> float:
    """Noise with a heavy tail: most near 1, some far above."""
    return 0.9 + 0.1 * rng.paretovariate(2)


def quiet(rng: random.Random) -> float:
    """A dedicated machine: steps vary by a thousandth."""
    return rng.gauss(1, 0.001)


@dataclass
class Scenario:
    """What one attempt of a job does.

    Attributes:
        ranks: World size.
        steps: How many steps, the first of which has the number `first_step`.
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
        hung: The step in whose forward_backward a rank stays for good, by rank.
        ended_by: What ends the processes that still run when one is killed or hung: "" for an
            orderly shutdown at once, or SIGTERM (what is open is recorded as truncated) or SIGKILL
            (what is open is lost) after `patience_s`.
        patience_s: How long the others wait in the barrier until then.
        release_jitter_s: How much later than the barrier opens a rank goes on, on average.
        synchronised: Whether ranks wait for each other in each step.
        start_s: When a rank starts, by rank; a millisecond after the one before it by default.
        in_turn: Whether each rank starts when the one before it has ended.
        marked: Whether waiting is marked.
        mark_by: How: "group" (`communication`) or "attribute" (`nemo.wait=true` on group `sync`).
        groups: Whether groups are recorded.
        nested: Whether forward_backward holds nested spans.
        checkpoint_every: A checkpoint is written in or after every such step, 0 for never.
        checkpoint_s: How long that takes.
        checkpoint_by: "rank 0" alone within its step, or "all" ranks between two steps.
        evaluate_every: All ranks evaluate after every such step, 0 for never.
        evaluate_s: How long that takes.
        between_s: A data loading span between the steps takes so long, 0 for none.
        init_s: A span of group model_init before the first step, 0 for none.
        job: Whether a span of group job lies around everything.
        run: Run id.
        restart: Attempt.
        first_step: Number of the first step.
        begins_s: When the processes start, seconds after `EPOCH`.
        job_uuid: `nv.dl.job.uuid` of the resource, "" for none.
    """

    ranks: int = 4
    steps: int = 60
    phases: dict[str, float] = field(
        default_factory=lambda: {"data_loading": 0.002, "forward_backward": 0.040}
    )
    optimizer_s: float = 0.003
    noise: Callable[[random.Random], float] = normal
    seed: int = 0
    ranks_per_host: int = 4
    clock_offset_s: dict[int, float] = field(default_factory=dict)
    clock_drift_ppm: dict[int, float] = field(default_factory=dict)
    slow: dict[tuple[int, str], float] = field(default_factory=dict)
    stalls: dict[tuple[int, int], float] = field(default_factory=dict)
    killed: dict[int, int] = field(default_factory=dict)
    hung: dict[int, int] = field(default_factory=dict)
    ended_by: str = ""
    patience_s: float = 5.0
    release_jitter_s: float = 0.0
    synchronised: bool = True
    start_s: dict[int, float] = field(default_factory=dict)
    in_turn: bool = False
    marked: bool = True
    mark_by: str = "group"
    groups: bool = True
    nested: bool = False
    checkpoint_every: int = 0
    checkpoint_s: float = 1.0
    checkpoint_by: str = "rank 0"
    evaluate_every: int = 0
    evaluate_s: float = 0.5
    between_s: float = 0.0
    init_s: float = 0.0
    job: bool = False
    run: str = "synthetic"
    restart: int = 0
    first_step: int = 1
    begins_s: float = 0.0
    job_uuid: str = ""

    @property
    def numbers(self) -> range:
        """The numbers of the steps."""
        return range(self.first_step, self.first_step + self.steps)

    def host(self, rank: int) -> int:
        """Number of the host of a rank."""
        return rank // self.ranks_per_host

    def host_name(self, rank: int) -> str:
        """Name of the host of a rank."""
        return f"host{self.host(rank)}"

    def pid(self, rank: int) -> int:
        """Process id of a rank, another one in each attempt."""
        return 1000 + 10_000 * self.restart + rank

    def clock(self, rank: int, moment_s: float) -> int:
        """What the clock of a rank's host shows, `moment_s` seconds after `EPOCH`."""
        host = self.host(rank)
        drift = self.clock_drift_ppm.get(host, 0.0)
        offset = self.clock_offset_s.get(host, 0.0)
        return EPOCH + round((moment_s * (1 + drift * 1e-6) + offset) * NANO)


def restarted(scenario: Scenario, first_step: int, begins_s: float, **changes: Any) -> Scenario:
    """The next attempt of a job: nothing goes wrong in it unless `changes` says so.

    Args:
        scenario: The attempt before.
        first_step: The step with which it goes on, one after that of the loaded checkpoint.
        begins_s: When its processes start, seconds after `EPOCH`.
        **changes: Other fields of `Scenario`.
    """
    calm: dict[str, Any] = {"killed": {}, "hung": {}, "ended_by": "", "stalls": {}}
    return replace(
        scenario,
        **{
            **calm,
            "restart": scenario.restart + 1,
            "first_step": first_step,
            "begins_s": begins_s,
            "seed": scenario.seed + 1,
            **changes,
        },
    )
