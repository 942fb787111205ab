# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The console exporter: one strict JSON object per line."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import pytest

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry


@pytest.fixture
def console(monkeypatch, clean_environment):
    """Set up with the console exporter; returns the handle and a reader of the lines."""
    stream = io.StringIO()
    monkeypatch.setattr("sys.stdout", stream)
    config = NemoLensConfig(
        enabled=True,
        exporter="console",
        span_groups="all",
        run_id="r",
        logs_enabled=True,
        sigterm_flush=False,
    )
    handle = setup_telemetry(config, rank=0)

    def lines():
        handle.shutdown()
        return [
            json.loads(line, parse_constant=pytest.fail) for line in stream.getvalue().splitlines()
        ]

    return handle, lines


def test_every_signal_is_one_json_object_per_line(console):
    """Spans, metrics and log records."""
    import logging

    handle, lines = console
    with managed_span("step", "qa.step", text="two\nlines"):
        handle.meter.create_counter("qa.count").add(1)
    logging.getLogger("qa").warning("hello")
    printed = lines()
    assert [line["name"] for line in printed if "parent_id" in line] == ["qa.step"]
    assert any("resource_metrics" in line for line in printed)
    assert [line["body"] for line in printed if "severity_text" in line] == ["hello"]


def test_numbers_that_json_lacks_are_text(console):
    """NaN and the infinities would be invalid JSON."""
    _, lines = console
    with managed_span("step", "qa.step", a=math.nan, b=-math.inf, c=1.5):
        pass
    (line,) = lines()
    assert line["attributes"] == {"a": "NaN", "b": "-Infinity", "c": 1.5}


def test_a_numpy_scalar_does_not_cost_the_batch(console):
    """It is printed as the number that it is."""
    handle, lines = console
    handle.meter.create_gauge("qa.numpy").set(np.float32(0.5))
    handle.meter.create_gauge("qa.plain").set(2)
    (line,) = [line for line in lines() if "resource_metrics" in line]
    (scope,) = line["resource_metrics"][0]["scope_metrics"]
    values = {
        metric["name"]: metric["data"]["data_points"][0]["value"] for metric in scope["metrics"]
    }
    assert values == {"qa.numpy": 0.5, "qa.plain": 2}
