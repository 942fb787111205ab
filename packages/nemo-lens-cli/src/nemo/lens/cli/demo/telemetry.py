# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the demo adds to the shared vocabulary: its span groups, span names and metrics.

A consumer owns such a module: the groups and presets that its operators may choose from, and the
metrics that only it can define.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from nemo.lens.config import NemoLensConfig
from nemo.lens.groups import SpanGroup
from nemo.lens.handle import setup_telemetry
from nemo.lens.instruments import MetricSpec, register_metric_group

if TYPE_CHECKING:
    from nemo.lens.handle import TelemetryHandle

METRIC_GROUP = "demo"


class DemoSpanGroup(SpanGroup):
    """The eight shared groups and the two that this training loop has in addition."""

    DATA_LOADING = "data_loading"
    COMMUNICATION = "communication"

    ALL_GROUPS: ClassVar[frozenset[str]] = SpanGroup.ALL_GROUPS | {DATA_LOADING, COMMUNICATION}
    _PRESETS: ClassVar[dict[str, frozenset[str]]] = {
        "default": frozenset({SpanGroup.JOB, SpanGroup.CHECKPOINT, SpanGroup.EVALUATE}),
        "per_step": ALL_GROUPS,
        "all": ALL_GROUPS,
    }


class SpanName:
    """The names of the demo's spans."""

    JOB = "demo.job"
    MODEL_INIT = "demo.model_init"
    BROADCAST = "demo.model_init.broadcast"
    LOAD_CHECKPOINT = "demo.load_checkpoint"
    STEP = "demo.train_step"
    DATA_LOADING = "demo.train_step.load_batch"
    FORWARD_BACKWARD = "demo.train_step.forward_backward"
    ALL_REDUCE = "demo.train_step.all_reduce"
    OPTIMIZER = "demo.train_step.optimizer"
    CHECKPOINT = "demo.checkpoint"
    EVALUATE = "demo.evaluate"
    EVALUATE_REDUCE = "demo.evaluate.all_reduce"


def register_metrics() -> None:
    """Declare the demo's metrics, once for each process."""
    register_metric_group(
        METRIC_GROUP,
        [
            MetricSpec(
                "loss",
                "demo.loss",
                unit="1",
                description="Mean cross-entropy of the global batch.",
            ),
            MetricSpec(
                "accuracy",
                "demo.accuracy",
                unit="1",
                description="Share of held-out penguins whose species was predicted.",
            ),
            MetricSpec(
                "learning_rate",
                "demo.learning_rate",
                unit="1",
                description="Step size of the optimizer.",
            ),
            MetricSpec(
                "step_duration",
                "demo.step.duration",
                kind="histogram",
                unit="s",
                description="Wall time of one training step.",
            ),
        ],
        allow_override=True,
    )


def start(directory: str, run_id: str, rank: int, world_size: int) -> TelemetryHandle:
    """Begin recording this rank to run files.

    Args:
        directory: Where runs are kept.
        run_id: Name of this run, the same on each rank.
        rank: This process.
        world_size: Number of ranks.

    Returns:
        The handle to shut down at the end.
    """
    config = NemoLensConfig(
        enabled=True,
        service_name="nemo-lens-demo",
        exporter="file",
        directory=directory,
        span_groups="all",
        export_strategy="all_ranks",
        run_id=run_id,
        _span_group_cls=DemoSpanGroup,
    )
    handle = setup_telemetry(config, rank=rank, world_size=world_size)
    register_metrics()
    return handle
