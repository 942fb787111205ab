# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The whole table as data."""

import json
import subprocess
import sys

from nemo.lens.instruments import METRIC_KINDS, MetricSpec, register_metric_group, schema


def test_rows_are_json_and_complete():
    """Every row can be written, and says everything about its metric."""
    rows = json.loads(json.dumps(schema()))
    assert {"rl.reward.mean", "gym.servers.active", "gen_ai.client.token.usage"} <= {
        row["name"] for row in rows
    }
    for row in rows:
        assert row["kind"] in METRIC_KINDS
        assert row["unit"]
        assert row["description"].endswith(".")
        assert row["owner"] == "nemo-lens"


def test_no_two_metrics_have_one_name():
    """Neither in OpenTelemetry nor in Prometheus."""
    for field in ("name", "prometheus_name"):
        names = [row[field] for row in schema()]
        assert len(names) == len(set(names))


def test_registered_groups_are_in_it():
    """A consumer's dashboards are generated from the same data."""
    register_metric_group(
        "mylib",
        [MetricSpec("t", "mylib.t", "histogram", "ms", "Time.", buckets=(1, 2), owner="me")],
    )
    (row,) = [row for row in schema() if row["group"] == "mylib"]
    assert row == {
        "group": "mylib",
        "key": "t",
        "name": "mylib.t",
        "kind": "histogram",
        "unit": "ms",
        "description": "Time.",
        "attributes": [],
        "buckets": [1, 2],
        "owner": "me",
        "recorded_when": [],
        "prometheus_name": "mylib_t_milliseconds",
    }


def test_durations_have_a_row_for_each_unit():
    """Each says under which settings it is recorded."""
    when = {row["name"]: row["recorded_when"] for row in schema()}
    assert when["rl.rollout.duration_ms"] == ["ms", "both"]
    assert when["rl.rollout.duration"] == ["s", "both"]
    assert when["rl.reward.mean"] == []


def test_the_schema_needs_no_sdk_and_no_gpu():
    """Documentation is generated anywhere."""
    code = (
        "import sys; sys.modules['pynvml'] = None\n"
        "from nemo.lens.instruments import schema\n"
        "assert any(row['name'] == 'nv.gpu.power' for row in schema())\n"
        "sys.exit(any(name.startswith('opentelemetry.sdk') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
