# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Distinct attribute sets are told apart, bounded in number, and cheap when seen before."""

import numpy as np
import pytest

from nemo.lens.instruments import MetricSpec, attribute_sets, record_metrics, register_metric_group
from nemo.lens.instruments.attribute_sets import OVERFLOW, AttributeSets


@pytest.fixture
def few(monkeypatch):
    """Keep three sets apart."""
    monkeypatch.setattr(attribute_sets, "MAX_ATTRIBUTE_SETS", 3)


def test_equal_attributes_are_one_set():
    """In whatever order and with whatever spelling they come."""
    sets = AttributeSets("app")
    first = sets.of({"a": 1, "b": "x"})
    assert sets.of({"b": "x", "a": 1}) is first
    assert sets.of({"a": np.int64(1), "b": "x", "c": None}) is first
    assert first == {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), (True, 1.0), ([1, 2], [1.0, 2.0]), ([1], [True]), ("1", 1)],
)
def test_values_of_other_types_are_other_sets(one, other):
    """They are equal in Python and different series in a backend."""
    sets = AttributeSets("app")
    assert sets.of({"a": one}) is not sets.of({"a": other})


@pytest.mark.parametrize("value", [[1.0, "nan"], (float("nan"), 2.0)])
def test_sequences_with_nan_are_one_set(value):
    """As long as they are equal otherwise."""
    sets = AttributeSets("app")
    first = sets.of({"a": [float("nan") if item == "nan" else item for item in value]})
    assert sets.of({"a": [float("nan") if item == "nan" else item for item in value]}) is first


@pytest.mark.usefixtures("few")
def test_nan_is_one_value(caplog):
    """Though no two of them are equal, they take one place."""
    sets = AttributeSets("app")
    first = sets.of({"ratio": float("nan")})
    for _ in range(10):
        assert sets.of({"ratio": float("nan")}) is first
        assert sets.of({"ratio": np.float64("nan"), "b": None}) is first
    assert sets.of({"ratio": 1.0}) is not OVERFLOW
    assert caplog.records == []


@pytest.mark.parametrize("wrap", [str, np.str_])
def test_endless_texts_are_cut_and_told_once(wrap, caplog):
    """Every export carries them again, up to the size that no receiver takes."""
    sets = AttributeSets("app")
    for length in (1024, 10_000, 20_000):
        assert sets.of({"prompt_name": wrap("x" * length)}) == {"prompt_name": "x" * 1024}
    assert sum(len(str(spelling)) for spelling in sets._spellings) < 2000
    assert len(caplog.records) == 1
    assert "'prompt_name' of metric group 'app' had a text of 10000 characters" in caplog.text


def test_messages_speak_of_attributes_of_metrics(meter, caplog):
    """Nobody looks for a span."""
    register_metric_group("app", [MetricSpec("steps", "app.steps", "counter", "{step}", "Steps.")])
    record_metrics(meter, "app", steps=1, attributes={"a": object()})
    assert "Attribute 'a' was dropped" in caplog.text
    assert "Span" not in caplog.text


def test_nothing_is_no_set():
    """Neither None values nor an empty mapping make one."""
    sets = AttributeSets("app")
    assert sets.of({}) is None
    assert sets.of({"a": None}) is None
    assert sets.of({"a": object()}) is None


def test_the_caller_may_change_its_mapping_afterwards():
    """What was recorded stays as it was."""
    sets = AttributeSets("app")
    mine = {"a": 1}
    first = sets.of(mine)
    mine["a"] = 2
    assert first == {"a": 1}
    assert sets.of(mine) == {"a": 2}


@pytest.mark.usefixtures("few")
def test_sets_beyond_the_bound_share_the_overflow_attribute(caplog):
    """The ones that were known before go on; the warning names the attribute to leave out."""
    sets = AttributeSets("app")
    kept = [sets.of({"phase": "train", "request": number}) for number in range(3)]
    assert [sets.of({"phase": "train", "request": number}) for number in range(3, 9)] == [
        OVERFLOW
    ] * 6
    assert sets.of({"phase": "train", "request": 1}) is kept[1]
    assert len(caplog.records) == 1
    assert "'app' has had 3 distinct" in caplog.text
    assert "'request' takes the most values" in caplog.text


@pytest.mark.usefixtures("few")
def test_the_overflow_is_recorded_and_counted(meter):
    """Nothing is lost, and an observable counter says how much went there."""
    register_metric_group("app", [MetricSpec("steps", "app.steps", "counter", "{step}", "Steps.")])
    assert meter.instruments == {}
    for number in range(5):
        record_metrics(meter, "app", steps=1, attributes={"request": number})
    points = meter.points("app.steps")
    assert points[3:] == [(1, {"otel.metric.overflow": True})] * 2
    assert meter.collect()["nemo.lens.metrics.overflow"] == [(2, {})]


def test_without_an_overflow_its_counter_reports_nothing(meter):
    """No time series for a problem that nobody has."""
    register_metric_group("app", [MetricSpec("steps", "app.steps", "counter", "{step}", "Steps.")])
    record_metrics(meter, "app", steps=1, attributes={"a": 1})
    assert meter.collect()["nemo.lens.metrics.overflow"] == []


def test_memory_for_spellings_is_bounded(monkeypatch):
    """A program that invents attributes for ever keeps neither sets nor spellings of them."""
    monkeypatch.setattr(attribute_sets, "MAX_ATTRIBUTE_SETS", 3)
    monkeypatch.setattr(attribute_sets, "_MAX_SPELLINGS", 8)
    sets = AttributeSets("app")
    for number in range(1000):
        sets.of({"request": number})
    assert len(sets._sets) == 3
    assert len(sets._spellings) <= 8
