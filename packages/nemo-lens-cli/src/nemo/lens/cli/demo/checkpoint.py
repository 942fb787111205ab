# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of the demo: each rank writes its share, as a sharded checkpoint does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.demo.messages import TrainingPlan


def path(plan: TrainingPlan, step: int, rank: int) -> Path:
    """Where the share of ``rank`` of the checkpoint after ``step`` is kept."""
    folder = Path(plan.directory, plan.run_id, "checkpoints", f"step-{step:06d}")
    return folder / f"rank-{rank:05d}-of-{plan.world_size:05d}.json"


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
