# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One switch decides in which unit the duration metrics are recorded."""

import pytest

from nemo.lens.instruments import MetricSpec
from nemo.lens.instruments.gym import record_gym_metrics
from nemo.lens.instruments.rl import record_rl_metrics
from nemo.lens.metric_durations import set_metric_durations

MILLISECONDS = {
    "rl.generation.duration_ms": [(1500, {})],
    "rl.rollout.duration_ms": [(2000.0, {})],
    "gym.server.request_duration_ms": [(3, {})],
    "gym.rollout.duration_ms": [(4, {})],
    "gym.verify.duration_ms": [(5, {})],
}
SECONDS = {
    "rl.generation.duration": [(1.5, {})],
    "rl.rollout.duration": [(2.0, {})],
    "gym.server.request.duration": [(0.003, {})],
    "gym.rollout.duration": [(0.004, {})],
    "gym.verify.duration": [(0.005, {})],
}


@pytest.mark.parametrize(
    ("setting", "recorded"),
    [("ms", MILLISECONDS), ("s", SECONDS), ("both", {**MILLISECONDS, **SECONDS})],
)
def test_durations_are_recorded_as_the_setting_says(meter, setting, recorded):
    """Milliseconds are the default; gauges do not care."""
    if setting != "ms":
        set_metric_durations(setting)
    record_rl_metrics(meter, 0.5, generation_duration_ms=1500, rollout_duration_ms=2000.0)
    record_gym_metrics(meter, 3, 4, 5)
    assert meter.recorded() == {"rl.reward.mean": [(0.5, {})], **recorded}


def test_the_bounds_in_seconds_are_those_in_milliseconds(meter):
    """A quantile reads the same in both units."""
    record_rl_metrics(meter, 0.5)
    bounds = {
        name: meter.instruments[name].options["explicit_bucket_boundaries_advisory"]
        for name in ("rl.rollout.duration_ms", "rl.rollout.duration")
    }
    in_seconds = [bound / 1000 for bound in bounds["rl.rollout.duration_ms"]]
    assert bounds["rl.rollout.duration"] == in_seconds
    assert meter.instruments["rl.rollout.duration"].options["unit"] == "s"


def test_only_a_histogram_in_milliseconds_has_a_name_in_seconds():
    """Anything else is a mistake in the declaration."""
    with pytest.raises(ValueError, match="only used by histograms with the unit 'ms'"):
        MetricSpec("k", "lib.k", "gauge", "ms", seconds_name="lib.s")
    assert MetricSpec("k", "lib.k").in_seconds() is None
