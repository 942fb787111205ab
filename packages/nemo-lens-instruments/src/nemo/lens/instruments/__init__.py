# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metrics declared once: a registry of metric groups, and the instruments of the domains.

A library declares its metrics with `register_metric_group` and records them with
`record_metrics`, or in a hot loop through the handle of `bind_metrics`. Inference has its own
function here; reinforcement learning and environment servers have theirs in
`nemo.lens.instruments.rl` and `nemo.lens.instruments.gym`.
"""

from nemo.lens.instruments.binding import BoundMetrics, bind_metrics
from nemo.lens.instruments.inference import record_inference_metrics
from nemo.lens.instruments.metric_spec import METRIC_KINDS, OBSERVABLE_METRIC_KINDS, MetricSpec
from nemo.lens.instruments.recording import create_metric_instruments, record_metrics
from nemo.lens.instruments.registry import (
    register_metric_group,
    registered_metric_groups,
    unregister_metric_group,
)
from nemo.lens.instruments.schema import schema

__all__ = [
    "METRIC_KINDS",
    "OBSERVABLE_METRIC_KINDS",
    "BoundMetrics",
    "MetricSpec",
    "bind_metrics",
    "create_metric_instruments",
    "record_inference_metrics",
    "record_metrics",
    "register_metric_group",
    "registered_metric_groups",
    "schema",
    "unregister_metric_group",
]
