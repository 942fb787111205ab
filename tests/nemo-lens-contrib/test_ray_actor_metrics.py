# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the fakes have the methods of what they stand for
"""A driver records the metrics of its actors as one; tests/integration has a real cluster."""

import sys
from types import SimpleNamespace

import pytest

from nemo.lens.contrib.collapsed_metrics import CollapsedMetrics
from nemo.lens.contrib.ray import record_over_actors
from nemo.lens.spans.discards import discarded


class Meter:
    """Keeps the last value of each gauge."""

    def __init__(self):
        self.values = {}

    def create_gauge(self, name, _unit, _description):
        return SimpleNamespace(set=lambda value: self.values.update({name: value}))


@pytest.fixture
def ray(monkeypatch):
    """Stand for Ray: references are what they give, or what they raise."""
    waits = []

    def wait(references, num_returns, timeout):
        assert num_returns == len(references)
        waits.append(timeout)

    def get(reference, timeout):
        assert timeout == 0
        if isinstance(reference, Exception):
            raise reference
        return reference

    fake = SimpleNamespace(wait=wait, get=get, waits=waits)
    monkeypatch.setitem(sys.modules, "ray", fake)
    return fake


@pytest.fixture
def meter():
    return Meter()


@pytest.fixture
def metrics(meter):
    return CollapsedMetrics({"step.duration": "s"}, meter)


def test_actors_are_recorded_in_the_order_of_their_ranks(ray, metrics, meter):
    """Or by rank."""
    answers = [{"step.duration": value} for value in (1.0, 4.0, 2.0)]
    assert record_over_actors(metrics, answers) == 3
    assert meter.values == {
        "step.duration.min": 1.0,
        "step.duration.median": 2.0,
        "step.duration.max": 4.0,
        "step.duration.max_rank": 1,
    }
    assert record_over_actors(metrics, {7: answers[0], 9: answers[1]}) == 2
    assert meter.values["step.duration.max_rank"] == 9


def test_actors_that_died_or_are_late_are_left_out(ray, metrics, meter):
    """The others are recorded; what is missing is counted."""
    references = [RuntimeError("actor died"), {"step.duration": 2.0}, TimeoutError()]
    assert record_over_actors(metrics, references, timeout_s=3) == 1
    assert meter.values["step.duration.max_rank"] == 1
    assert discarded()["metrics of an actor"] == 2
    assert 0 < ray.waits[0] <= 3


@pytest.mark.parametrize("answer", [None, 5, "x", [1.0], {"step.duration": "slow"}])
def test_an_answer_that_holds_no_metrics_is_left_out(ray, metrics, meter, answer):
    """Nothing is raised for it."""
    assert record_over_actors(metrics, [answer, {"step.duration": 1.0}]) == 2
    assert meter.values["step.duration.max_rank"] == 1


@pytest.mark.parametrize("references", [None, 5, [], {}])
def test_no_references_record_nothing(ray, metrics, meter, references):
    """Nor is Ray asked."""
    assert record_over_actors(metrics, references) == 0
    assert (meter.values, ray.waits) == ({}, [])


def test_without_a_cluster_nothing_is_raised(ray, metrics, meter):
    """Ray refuses to wait then."""
    ray.wait = None
    assert record_over_actors(metrics, [{"step.duration": 1.0}]) == 0
    assert meter.values == {}
