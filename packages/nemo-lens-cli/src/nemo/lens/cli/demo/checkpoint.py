# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of the demo: each rank writes its share, as a sharded checkpoint does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nemo.lens.cli.demo import penguins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.demo.messages import TrainingPlan


class State(NamedTuple):
    """What a training goes on from: the model, and the momentum of its optimizer."""

    parameters: list[float]
    velocity: list[float]


def path(plan: TrainingPlan, step: int, rank: int) -> Path:
    """Where the share of ``rank`` of the checkpoint after ``step`` is kept."""
    return _folder(plan) / f"step-{step:06d}" / f"rank-{rank:05d}-of-{plan.world_size:05d}.json"


def last_whole(plan: TrainingPlan) -> int:
    """The step of the last checkpoint of which every rank wrote its share, 0 when there is none."""
    folders = sorted(_folder(plan).glob("step-*"), reverse=True)
    steps = (int(folder.name.removeprefix("step-")) for folder in folders)
    return next((step for step in steps if _is_whole(plan, step)), 0)


def load(plan: TrainingPlan, step: int) -> State:
    """The state after a step, put together from the shares of all ranks.

    Raises:
        OSError: A share cannot be read.
    """
    shares = [
        json.loads(path(plan, step, rank).read_text(encoding="utf-8"))
        for rank in range(plan.world_size)
    ]
    parameters, velocity = (
        penguins.join_shards([share[part] for share in shares])
        for part in ("parameters", "velocity")
    )
    return State(parameters, velocity)


def _folder(plan: TrainingPlan) -> Path:
    return Path(plan.directory, plan.run_id, "checkpoints")


def _is_whole(plan: TrainingPlan, step: int) -> bool:
    return all(path(plan, step, rank).exists() for rank in range(plan.world_size))


def save(file: Path, step: int, parameters: Sequence[float], velocity: Sequence[float]) -> None:
    """Write one rank's share so that it is whole on disk, or not there at all.

    Args:
        file: Where to.
        step: The step after which the state was taken.
        parameters: This rank's share of the model.
        velocity: This rank's share of the optimizer's momentum.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".part")
    state = {"step": step, "parameters": list(parameters), "velocity": list(velocity)}
    with unfinished.open("w", encoding="utf-8") as stream:
        json.dump(state, stream)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(file)
