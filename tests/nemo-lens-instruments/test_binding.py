# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Bound handles record as record_metrics does, with everything looked up before."""

import math

import numpy as np
import pytest

from nemo.lens.instruments import MetricSpec, bind_metrics, register_metric_group
from nemo.lens.instruments import meters as meters_module

SPECS = (
    MetricSpec("loss", "app.loss", "gauge", "1", "Loss."),
    MetricSpec("steps", "app.steps", "counter", "{step}", "Steps."),
)


@pytest.fixture
def group():
    """Declare two metrics."""
    register_metric_group("app", SPECS)
    return "app"


def test_records_by_keyword_mapping_and_single_key(meter, group):
    """With the attributes that were bound."""
    bound = bind_metrics(meter, group, attributes={"phase": "train"})
    bound.record(loss=1.5, steps=2)
    bound.record({"loss": np.float32(0.5)})
    bound.recorder("steps")(3)
    assert meter.recorded() == {
        "app.loss": [(1.5, {"phase": "train"}), (0.5, {"phase": "train"})],
        "app.steps": [(2, {"phase": "train"}), (3, {"phase": "train"})],
    }


def test_looks_nothing_up_again(meter, group, monkeypatch):
    """After the first time neither the meter nor the attributes are asked for."""
    attributes = {"phase": "train"}
    bound = bind_metrics(meter, group, attributes=attributes)
    attributes["phase"] = "changed"
    monkeypatch.setattr(meters_module, "_places", None)
    bound.recorder("loss")(1.0)
    assert meter.points("app.loss") == [(1.0, {"phase": "train"})]


def test_follows_a_new_declaration(meter, group):
    """A group that is replaced later is looked up again, with the same attributes."""
    bound = bind_metrics(meter, group, attributes={"phase": "train"})
    register_metric_group(group, [MetricSpec("loss", "app.other")], allow_override=True)
    bound.record(loss=1.0)
    assert meter.recorded() == {"app.other": [(1.0, {"phase": "train"})]}


def test_may_be_bound_before_the_group_is_declared(meter):
    """Import order does not matter."""
    bound = bind_metrics(meter, "late", attributes={"a": 1})
    bound.record(loss=1.0)
    register_metric_group("late", [MetricSpec("loss", "late.loss")])
    bound.record(loss=2.0)
    assert meter.recorded() == {"late.loss": [(2.0, {"a": 1})]}


@pytest.mark.parametrize("value", ["x", [1], object(), None, math.nan, -1])
def test_never_raises(meter, group, value):
    """Whatever is recorded, with or without a meter."""
    for target in (meter, None, object()):
        bound = bind_metrics(target, group, attributes=5)
        bound.record(steps=value)
        bound.record(value)
        bound.recorder("nothing")(value)
    assert meter.recorded() == {}


def test_values_wait_for_the_collection_once_there_was_one(meter, group):
    """The instruments see the latest gauge value and every increment, with the call's context."""
    bound = bind_metrics(meter, group)
    bound.record(loss=1.0)
    meter.collect()
    for number in range(3):
        bound.record(loss=float(number), steps=1)
    assert meter.points("app.loss") == [(1.0, {})]
    meter.collect()
    assert meter.points("app.loss") == [(1.0, {}), (2.0, {})]
    assert meter.points("app.steps") == [(1, {})] * 3
    assert None not in meter.instruments["app.steps"].contexts


@pytest.mark.parametrize("refused", [10**400, math.nan, math.inf, "x", None])
def test_a_value_that_cannot_be_shown_does_not_hide_the_one_before(meter, group, refused):
    """The last usable value of the interval reaches the gauge."""
    bound = bind_metrics(meter, group)
    bound.record(loss=0.0)
    meter.collect()
    bound.record(loss=1.0)
    bound.record(loss=refused)
    meter.collect()
    assert meter.points("app.loss")[1] == (1.0, {})


def test_numbers_that_no_gauge_can_show_are_told_once_and_all_counted(meter, group, caplog):
    """A gauge of OpenTelemetry's would log each of them; a diverged run has one in every step."""
    bound = bind_metrics(meter, group)
    reported = []
    for live in (False, True):
        for value in (math.nan, 1.0, math.inf, math.nan, math.nan):
            bound.record(loss=value)
        reported += meter.collect()["nemo.lens.metrics.not_finite"]
        assert meter.points("app.loss") == [(1.0, {})] * (1 + live)
    assert [count for count, _ in reported] == [4, 8]
    (told,) = caplog.records
    assert "'loss' of group 'app' got nan, which no metric can show" in told.getMessage()


@pytest.mark.parametrize("key", [["loss"], None, 5, {}, b"loss"])
def test_keys_that_are_no_text_are_unknown_ones(meter, group, key, caplog):
    """They are told once."""
    record = bind_metrics(meter, group).recorder(key)
    record(1.0)
    record(1.0)
    assert meter.recorded() == {}
    assert caplog.text.count("Unknown metric key") == 1


def test_nothing_that_waits_is_lost_when_the_group_is_replaced(meter, group):
    """It goes to the instruments of the old declaration first."""
    bound = bind_metrics(meter, group)
    bound.record(loss=1.0)
    meter.collect()
    bound.record(steps=5)
    register_metric_group(group, [MetricSpec("loss", "app.other")], allow_override=True)
    bound.record(loss=2.0)
    assert meter.points("app.steps") == [(5, {})]


def test_a_meter_without_observable_instruments_gets_each_value_at_once(meter, group, caplog):
    """Nobody could tell when to hand on what waits."""
    meter.refused.add("nemo.lens.metrics.overflow")
    bound = bind_metrics(meter, group)
    bound.record(loss=1.0)
    bound.record(loss=2.0)
    assert meter.points("app.loss") == [(1.0, {}), (2.0, {})]
    assert "values are recorded at each call" in caplog.text
