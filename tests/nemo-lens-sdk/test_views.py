# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Buckets, dropped metrics and dropped attributes, as a collector receives them; the interval."""

from __future__ import annotations

import time

import pytest

from nemo.lens import NemoLensConfig, setup_telemetry

pytestmark = pytest.mark.usefixtures("clean_environment")


def _set_up(**fields):
    config = NemoLensConfig(
        enabled=True, exporter="otlp", run_id="r", traces_enabled=False, sigterm_flush=False,
        **fields,
    )  # fmt: skip
    return setup_telemetry(config, rank=0)


def _record(meter):
    meter.create_histogram("qa.duration_ms", unit="ms").record(7, {"rank": 1, "phase": "x"})
    meter.create_histogram("qa.other_ms", unit="ms").record(7, {"rank": 1})
    counter = meter.create_counter("qa.count")
    counter.add(1, {"rank": 1, "phase": "x"})
    counter.add(2, {"rank": 2, "phase": "x"})


@pytest.fixture
def collector(http_receiver, clean_environment):
    """A collector that the exporter points to."""
    clean_environment(**http_receiver.environment())
    return http_receiver


def test_buckets_from_the_environment_reach_the_collector(collector, clean_environment):
    """Of the histogram that is named, and of no other metric."""
    clean_environment(
        NEMO_LENS_ENABLED="1",
        NEMO_LENS_METRIC_BUCKETS="qa.duration_ms=1,10,100;qa.count=5",
        NEMO_LENS_TRACES_ENABLED="0",
        NEMO_LENS_SIGTERM_FLUSH="0",
    )
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=0)
    _record(handle.meter)
    assert handle.shutdown()
    metrics = collector.metrics()
    [point] = metrics["qa.duration_ms"].histogram.data_points
    assert list(point.explicit_bounds) == [1, 10, 100]
    assert list(point.bucket_counts) == [0, 1, 0, 0]
    [other] = metrics["qa.other_ms"].histogram.data_points
    assert len(other.explicit_bounds) > 3
    assert metrics["qa.count"].WhichOneof("data") == "sum"


def test_dropped_metrics_do_not_arrive_whatever_else_is_said_about_them(collector):
    """By name and by pattern."""
    handle = _set_up(
        metric_drop=("qa.d*", "qa.count"),
        metric_buckets={"qa.duration_ms": (1, 2)},
        metric_attributes={"qa.count": ()},
    )
    _record(handle.meter)
    assert handle.shutdown()
    assert set(collector.metrics()) == {"qa.other_ms"}


def test_only_the_listed_attributes_are_kept_and_series_are_joined(collector):
    """With buckets for the same metric, which is exported once."""
    handle = _set_up(
        metric_attributes={"qa.count": ["phase"], "qa.duration_ms": []},
        metric_buckets={"qa.duration_ms": (5, 10)},
    )
    _record(handle.meter)
    assert handle.shutdown()
    metrics = collector.metrics()
    [point] = metrics["qa.count"].sum.data_points
    assert (point.as_int, [pair.key for pair in point.attributes]) == (3, ["phase"])
    [point] = metrics["qa.duration_ms"].histogram.data_points
    assert (list(point.explicit_bounds), list(point.attributes)) == ([5, 10], [])


def test_a_new_set_up_brings_its_own_buckets_to_instruments_of_before(collector):
    """A library keeps its histogram over a shutdown; the views of the later set-up count."""
    first = _set_up(metric_buckets={"qa.kept": (1,)})
    histogram = first.meter.create_histogram("qa.kept")
    histogram.record(1)
    assert first.shutdown()
    collector.forget()
    second = _set_up(metric_buckets={"qa.kept": (2, 3)})
    histogram.record(1)
    assert second.shutdown()
    [point] = collector.metrics()["qa.kept"].histogram.data_points
    assert list(point.explicit_bounds) == [2, 3]


def test_metrics_are_exported_at_the_interval_of_opentelemetrys_variable(
    collector, clean_environment
):
    """Without a flush, several times a second when it says so."""
    clean_environment(OTEL_METRIC_EXPORT_INTERVAL="50")
    handle = _set_up()
    handle.meter.create_counter("qa.count").add(1)
    deadline = time.monotonic() + 10
    while len(collector.requests) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    handle.shutdown()
    assert len(collector.requests) >= 3
    assert "qa.count" in collector.metrics()
