# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Scenarios drawn by seed: jobs of many shapes, with one thing wrong or nothing at all."""

from __future__ import annotations

import random
from dataclasses import replace

from synthetic_runs.scenario import Scenario, heavy, normal, quiet

TROUBLES = ("none", "chronic", "once", "host")


def draw(seed: int, trouble: str, **changes: object) -> Scenario:
    """One job.

    Args:
        seed: Of everything: size, hosts, phases, noise, clocks, marks, and where the trouble is.
        trouble: "none", "chronic" (one phase of one rank takes 1.5 to 3 times as long), "once" (a
            stall of one rank in one step; not among noise with a heavy tail, which has such stalls
            by nature) or "host" (all ranks of one host are slow).
        **changes: Fields of `Scenario` to set.
    """
    rng = random.Random(f"{seed} {trouble}")
    ranks = rng.choice([4, 6, 8, 12])
    per_host = rng.choice([size for size in (1, 2, 4) if ranks % size == 0 and ranks > size])
    hosts = range(1, ranks // per_host)
    phases = {"data_loading": rng.uniform(0.01, 0.03), "forward_backward": rng.uniform(0.02, 0.2)}
    scenario = Scenario(
        run=f"{trouble}{seed}",
        seed=seed,
        ranks=ranks,
        ranks_per_host=per_host,
        steps=rng.randrange(40, 80),
        phases=phases,
        optimizer_s=rng.uniform(0.001, 0.02),
        noise=rng.choice([normal, quiet] if trouble == "once" else [normal, heavy, quiet]),
        release_jitter_s=rng.choice([0.0, 0.0002, 0.001]),
        nested=rng.random() < 0.5,
        mark_by=rng.choice(["group", "attribute"]),
        clock_offset_s={host: rng.uniform(-10, 10) for host in hosts},
        clock_drift_ppm={host: rng.choice([0.0, rng.uniform(-50, 50)]) for host in hosts},
        checkpoint_every=rng.choice([0, 10, 20]),
        checkpoint_by=rng.choice(["rank 0", "all"]),
    )
    rank = rng.randrange(ranks)
    if trouble == "chronic":
        phase = rng.choice(list(phases))
        # At least 0.3 of a step: who is slower by less than a tenth is nothing to act on.
        factor = max(rng.uniform(1.5, 3.0), 1 + 0.3 * sum(phases.values()) / phases[phase])
        scenario.slow = {(rank, phase): factor}
    elif trouble == "once":
        stall_s = rng.uniform(15, 30) * (sum(phases.values()) + 0.1)
        scenario.stalls = {(rank, rng.randrange(10, scenario.steps)): stall_s}
    elif trouble == "host":
        first = rank // per_host * per_host
        slow = range(first, first + per_host)
        scenario.slow = {(one, "forward_backward"): rng.uniform(2.0, 3.0) for one in slow}
    return replace(scenario, **changes)
