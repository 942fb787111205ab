# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the demo adds to the shared vocabulary."""

from __future__ import annotations

import re

from nemo.lens.cli.demo import telemetry
from nemo.lens.cli.demo.telemetry import DemoSpanGroup, SpanName
from nemo.lens.groups import SpanGroup
from nemo.lens.instruments import registered_metric_groups


def test_presets_build_on_the_shared_ones():
    """The default stays small; the parts of a step come with per_step and all."""
    shared = SpanGroup.resolve("default")

    assert DemoSpanGroup.resolve("default") == shared
    assert DemoSpanGroup.resolve("per_step") == DemoSpanGroup.resolve("all")
    assert DemoSpanGroup.resolve("all") == SpanGroup.ALL_GROUPS | {"data_loading", "communication"}


def test_span_names_follow_the_naming_rule():
    """Library, operation, sub-operation: lower snake_case joined by dots."""
    names = [value for key, value in vars(SpanName).items() if key.isupper()]

    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"demo(\.[a-z]+(_[a-z]+)*){1,2}", name) for name in names)


def test_metrics_have_a_unit_and_a_description():
    """The metrics are the consumer's own: never in the namespace of attributes."""
    telemetry.register_metrics()
    telemetry.register_metrics()

    specs = registered_metric_groups()[telemetry.METRIC_GROUP]
    assert [spec.name for spec in specs] == [
        "demo.loss",
        "demo.accuracy",
        "demo.learning_rate",
        "demo.step.duration",
    ]
    assert all(spec.unit and spec.description.endswith(".") for spec in specs)
