# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Attributes, span groups and metrics as data and as tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from nemo.lens import instruments, semconv

LIBRARY = """
from nemo.lens import SpanGroup
from nemo.lens.instruments import MetricSpec, register_metric_group
class Groups(SpanGroup):
    ROLLOUT = "my_rollout"
    ALL_GROUPS = SpanGroup.ALL_GROUPS | {ROLLOUT}
    _PRESETS = {"default": frozenset({ROLLOUT})}
register_metric_group("mine", [
    MetricSpec("loss", "my_library.loss", unit="1", description="The loss.")
])
"""


def answer(call, *arguments):
    status, out, err = call("schema", *arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_every_attribute_constant_is_described(call):
    """The data is that of the constants which are imported."""
    rows = answer(call, "attributes")["attributes"]

    constants = {
        name: getattr(semconv, name)
        for name in semconv.attributes.__all__
        if name not in {"SCHEMA_URL", "SEMCONV_VERSION"}
    }
    assert {row["constant"]: row["id"] for row in rows} == constants
    assert all(row["brief"] and row["type"] and row["use"] for row in rows)


def test_metrics_are_those_of_the_instruments(call):
    """Names, units and meanings for dashboards."""
    assert answer(call, "metrics")["metrics"] == json.loads(json.dumps(instruments.schema()))


def test_groups_name_the_presets_that_hold_them(call):
    """The base vocabulary, although nobody has registered it."""
    groups = {row["name"]: row["presets"] for row in answer(call, "groups")["groups"]}

    assert groups["job"] == ["all", "default", "per_step"]
    assert groups["step"] == ["all", "per_step"]


def test_all_parts_come_at_once(call):
    """Without a part, with the versions of the conventions."""
    everything = answer(call)

    assert {"attributes", "groups", "metrics"} <= set(everything)
    assert everything["schema"] == 1
    assert everything["schema_url"] == semconv.SCHEMA_URL


@pytest.mark.parametrize("part", ["attributes", "groups", "metrics"])
def test_tables_fit_a_pipe_and_hold_every_row(call, part):
    """The same rows as the JSON."""
    out = call("schema", part)[1]
    rows = answer(call, part)[part]

    assert f"({len(rows)})" in out
    assert all(row.get("id", row.get("name")) in out for row in rows)


def test_libraries_of_the_user_are_part_of_it(tmp_path):
    """What they declare when they are imported, and classes that set-up would register."""
    (tmp_path / "my_library.py").write_text(LIBRARY)

    done = subprocess.run(
        [sys.executable, "-m", "nemo.lens.cli", "schema", "--import", "my_library", "--json"],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )

    found = json.loads(done.stdout)
    assert {"name": "my_rollout", "presets": ["all", "default"]} in found["groups"]
    assert "my_library.loss" in {row["name"] for row in found["metrics"]}


def test_a_library_that_cannot_be_imported_is_one_line(call):
    """It is named with the reason."""
    status, out, err = call("schema", "--import", "no_such_library")

    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "'no_such_library'" in err
    assert "ModuleNotFoundError" in err
