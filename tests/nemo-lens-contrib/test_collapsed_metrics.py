# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the fakes have the methods of what they stand for
"""However many ranks there are, a metric has four series."""

import math
import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.contrib.collapsed_metrics import (
    Collapsed,
    CollapsedMetrics,
    collapse,
    record_over_ranks,
)


class Meter:
    """Counts the series: a name with a set of attributes."""

    def __init__(self):
        self.units = {}
        self.series = {}

    def create_gauge(self, name, unit="", description=""):
        assert description
        self.units[name] = unit
        return Gauge(self, name)


class Gauge:
    """Keeps the last value of each series."""

    def __init__(self, meter, name):
        self.meter = meter
        self.name = name

    def set(self, value, attributes=None):
        self.meter.series[self.name, str(attributes)] = value


def test_512_ranks_give_four_series_for_each_metric():
    """And the slowest rank is named."""
    meter = Meter()
    metrics = CollapsedMetrics({"step.duration": "s", "loss": "1"}, meter)
    for step in range(3):
        durations = [1.0 + rank / 1000 for rank in range(512)]
        durations[77] = 9.0 + step
        metrics.record({"step.duration": durations, "loss": dict.fromkeys(range(512), 0.5)})
    assert len(meter.series) == 8
    values = {name: value for (name, _), value in meter.series.items()}
    assert values["step.duration.max"] == 11.0
    assert values["step.duration.max_rank"] == 77
    assert values["step.duration.min"] == 1.0
    assert values["loss.median"] == 0.5
    assert meter.units["step.duration.max"] == "s"
    assert meter.units["step.duration.max_rank"] == "{rank}"


@given(st.dictionaries(st.integers(0, 10_000), st.floats(), max_size=50))
def test_the_statistics_are_those_of_the_finite_values(values):
    """Whatever ranks report; the lowest rank of several that have the maximum."""
    finite = {rank: value for rank, value in values.items() if math.isfinite(value)}
    collapsed = collapse(values)
    if not finite:
        assert collapsed is None
        return
    assert collapsed.min == min(finite.values())
    assert collapsed.max == max(finite.values())
    assert collapsed.min <= collapsed.median <= collapsed.max
    assert collapsed.max_rank == min(r for r, v in finite.items() if v == collapsed.max)


def test_ranks_need_not_start_at_zero():
    """Actors of one kind may have any numbers."""
    assert collapse({7: 1.0, 9: 3.0}) == Collapsed(1.0, 2.0, 3.0, 9)


def test_unknown_metrics_are_ignored():
    """A rank with a newer version may report more."""
    meter = Meter()
    CollapsedMetrics({"a": "1"}, meter).record({"b": [1.0], "a": []})
    assert meter.series == {}


def test_without_a_process_group_one_process_records_alone(monkeypatch):
    """A job of one process needs no torch."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    meter = Meter()
    metrics = CollapsedMetrics({"a": "1"}, meter)
    assert record_over_ranks(metrics, {"a": 2.0}, rank=5)
    assert meter.series["a.max_rank", "None"] == 5


def test_by_default_the_meter_is_that_of_the_scope():
    """Before set-up it records nothing, and does no harm."""
    CollapsedMetrics({"a": "1"}).record({"a": [1.0]})


class Hostile:
    """Raises at whatever it is asked."""

    def __float__(self):
        raise RuntimeError

    __index__ = __iter__ = __len__ = __getitem__ = items = __str__ = __bool__ = __float__


class DeviceScalar:
    """A tensor on a device; reading it would wait for the device."""

    ndim = 0
    device = "cuda:0"

    def item(self):
        raise AssertionError("synchronised")

    __float__ = item


BAD = [None, "x", [1.0], {}, 10**400, 1j, math.nan, Hostile(), DeviceScalar(), object()]


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_value_of_one_rank_leaves_the_others(bad):
    """It is left out, and nothing is raised."""
    meter = Meter()
    CollapsedMetrics({"a": "1"}, meter).record({"a": [1.0, bad, 3.0]})
    values = {name: value for (name, _), value in meter.series.items()}
    assert values == {"a.min": 1.0, "a.median": 2.0, "a.max": 3.0, "a.max_rank": 2}


@pytest.mark.parametrize("bad", [*BAD, "abc", 5])
def test_what_holds_no_values_records_nothing(bad):
    """In the place of all metrics, of one, and of a rank."""
    meter = Meter()
    metrics = CollapsedMetrics({"a": "1"}, meter)
    metrics.record(bad)
    metrics.record({"a": bad if bad != [1.0] else None})
    metrics.record({"a": {"rank": 1.0, None: 2.0}})
    assert collapse(bad) is None
    assert meter.series == {}


def test_numbers_of_other_libraries_count():
    """As attributes of spans do."""
    assert collapse({0: Decimal("1.5"), 1: True, 2: Fraction(1, 2)}) == Collapsed(0.5, 1.0, 1.5, 0)


def test_a_gauge_that_raises_does_not_stop_the_loop():
    """The other metrics are recorded."""
    meter = Meter()
    metrics = CollapsedMetrics({"a": "1", "b": "1"}, meter)
    metrics._gauges["a"]["min"] = Hostile()
    metrics.record({"a": [1.0], "b": [1.0]})
    assert meter.series["b.max", "None"] == 1.0


class BrokenTorch:
    """A torch whose collectives fail."""

    float64 = "float64"

    class distributed:  # noqa: N801 -- as torch spells it
        """A process group that was aborted."""

        @staticmethod
        def is_available():
            return True

        is_initialized = is_available

        @staticmethod
        def get_backend_config(_group):
            raise RuntimeError("NCCL communicator was aborted")


def test_a_broken_process_group_is_no_exception(monkeypatch):
    """The job decides what that means."""
    monkeypatch.setitem(sys.modules, "torch", BrokenTorch)
    meter = Meter()
    assert not record_over_ranks(CollapsedMetrics({"a": "1"}, meter), {"a": 1.0}, rank=0)
    assert meter.series == {}


@pytest.mark.parametrize("values", [{"a": [math.nan]}, {"a": [math.inf, -math.inf]}])
def test_metrics_without_a_usable_value_record_nothing(values):
    """A gauge keeps its last value."""
    meter = Meter()
    CollapsedMetrics({"a": "1"}, meter).record(values)
    assert meter.series == {}
