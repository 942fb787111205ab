# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The documented names are those that a scrape shows."""

import pytest

from nemo.lens.instruments.prometheus_names import prometheus_name


@pytest.mark.parametrize(
    ("name", "unit", "kind", "expected"),
    [
        ("lib.size", "By", "gauge", "lib_size_bytes"),
        ("lib.share", "1", "gauge", "lib_share"),
        ("lib.rate", "{token}/s", "gauge", "lib_rate_per_second"),
        ("lib.speed", "By/s", "gauge", "lib_speed_bytes_per_second"),
        ("lib.steps", "{step}", "counter", "lib_steps_total"),
        ("lib.steps_total", "{step}", "counter", "lib_steps_total"),
        ("lib.time_seconds", "s", "histogram", "lib_time_seconds"),
        ("lib.busy", "s", "observable_counter", "lib_busy_seconds_total"),
        ("lib.busy_total", "s", "counter", "lib_busy_seconds_total"),
        ("lib.memory", "GiBy", "gauge", "lib_memory_gibibytes"),
        ("lib.share", "%", "gauge", "lib_share_percent"),
        ("lib.wait", "{x}/{y}", "gauge", "lib_wait"),
        ("lib.energy", "J/{token}", "gauge", "lib_energy_J"),
        ("lib.rate", "1/h", "gauge", "lib_rate_per_hour"),
        ("lib.rate", "{flop}/min", "gauge", "lib_rate_per_min"),
        ("lib-odd//name", "", "gauge", "lib_odd_name"),
    ],
)
def test_names_in_prometheus_follow_its_exporters(name, unit, kind, expected):
    """Units are spelled out, counters end in _total."""
    assert prometheus_name(name, unit, kind) == expected
