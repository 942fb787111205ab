# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The latest steps of a process, as they come in."""

from __future__ import annotations

import orjson
import pytest
from synthetic_runs import EPOCH, NANO, Scenario, lines, play, quiet, resource

from nemo.lens.runs.otlp_json import items
from nemo.lens.runs.process import Process
from nemo.lens.runs.tailing_steps import RecentSteps


def fed(scenario, rank):
    steps = RecentSteps()
    played = play(scenario)[rank]
    for line in lines(scenario, rank, played.spans):
        steps.add(items(orjson.loads(line), "resourceSpans"), Process())
    return steps


@pytest.mark.parametrize("mark_by", ["group", "attribute"])
def test_own_work_leaves_the_waiting_out(mark_by):
    """However it is marked; and the rate is that of the slowest."""
    scenario = Scenario(
        ranks=2, steps=30, noise=quiet, slow={(1, "forward_backward"): 2.0}, mark_by=mark_by
    )
    assert fed(scenario, 0).own_s == pytest.approx(0.045, rel=0.05)
    assert fed(scenario, 1).own_s == pytest.approx(0.085, rel=0.05)
    assert fed(scenario, 0).per_s == pytest.approx(1 / 0.085, rel=0.05)
    assert fed(scenario, 0).last_number == 30


def span(group, start_s, end_s, **attributes):
    pairs = [{"key": key, "value": {"intValue": str(value)}} for key, value in attributes.items()]
    return group, {
        "name": f"t.{group}",
        "spanId": f"{hash((group, start_s)) & (2**64 - 1):016x}",
        "startTimeUnixNano": str(EPOCH + round(start_s * NANO)),
        "endTimeUnixNano": str(EPOCH + round(end_s * NANO)),
        "attributes": pairs,
    }


def entry(*spans):
    """One line, spans grouped by scope as they are given."""
    scopes = [
        {
            "scope": {
                "name": "t",
                "attributes": [{"key": "nemo.span.group", "value": {"stringValue": group}}],
            },
            "spans": [raw],
        }
        for group, raw in spans
    ]
    return [{"resource": resource(Scenario(), 0), "scopeSpans": scopes}]


def test_waiting_that_stands_behind_its_step_in_a_line_counts():
    """Spans of one scope stand together, whatever their time."""
    steps = RecentSteps()
    steps.add(entry(span("step", 0, 1, iteration=1), span("communication", 0.5, 0.75)), Process())
    assert steps.own_s == pytest.approx(0.75)


def test_waits_that_overlap_count_once():
    """Two transfers at a time."""
    steps = RecentSteps()
    waits = (span("communication", 0.2, 0.6), span("communication", 0.4, 0.8))
    steps.add(entry(*waits, span("step", 0, 1, iteration=1)), Process())
    assert steps.own_s == pytest.approx(0.4)


def test_a_step_within_a_step_is_part_of_it():
    """A microbatch is no step of its own."""
    steps = RecentSteps()
    inner = (span("step", 0.1, 0.4), span("step", 0.5, 0.9))
    steps.add(entry(*inner, span("step", 0, 1, iteration=7)), Process())
    assert [step.number for step in steps.kept] == [7]


@pytest.mark.parametrize("damage", [None, [], {}, "x", [None], [{"scopeSpans": [{"spans": [3]}]}]])
def test_damage_is_passed_over(damage):
    """Nothing is raised for what a file holds."""
    steps = RecentSteps()
    assert steps.add(items({"resourceSpans": damage}, "resourceSpans"), Process()) is False
    assert (steps.own_s, steps.per_s, steps.last_number) == (None, None, None)
