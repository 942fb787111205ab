# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G11: what recording the metrics of a step costs."""

from __future__ import annotations

import statistics
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks.paired_timing import timed
from benchmarks.rows import Measurement, NotMeasurableError, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VALUES = 11
_ATTRIBUTES = {"mylib.phase": "train"}
_COLLECT_EVERY_S = 0.002
_CALLS = 500
_ROUNDS = 15


def _recording() -> Measurement:
    """Time calls with attributes, two readers, and a thread that collects as an exporter does."""
    try:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    except ImportError as reason:
        raise NotMeasurableError("opentelemetry-sdk is not installed") from reason
    from nemo.lens.instruments.rl import record_rl_metrics

    readers = [InMemoryMetricReader(), InMemoryMetricReader()]
    meter = MeterProvider(readers, shutdown_on_exit=False).get_meter("benchmark")
    gauge = meter.create_gauge("benchmark.gauge")
    record_rl_metrics(meter, 0.5, attributes=_ATTRIBUTES)

    def collect() -> None:
        for reader in readers:
            reader.get_metrics_data()

    collect()
    arguments = ", ".join(["0.5"] * VALUES)
    with _in_background(collect):
        times = timed(
            {
                "record": f"record({arguments}, attributes=attributes)",
                "set": "set_gauge(0.5, attributes)",
            },
            {
                "record": lambda *values, attributes: record_rl_metrics(
                    meter, *values, attributes=attributes
                ),
                "set_gauge": gauge.set,
                "attributes": _ATTRIBUTES,
            },
        )
    gauges = {"tokens_per_sec": 0.5, "attributes": _ATTRIBUTES}
    eleven = [0.5] * VALUES
    with_collection = _whole_cost_us(
        lambda: record_rl_metrics(meter, *eleven, attributes=_ATTRIBUTES), collect
    )
    gauges_with_collection = _whole_cost_us(
        lambda: record_rl_metrics(meter, *eleven[:9], **gauges), collect
    )
    plain_us = times.median_ns("set") / 1000
    return Measurement(
        times.median_ratio("record", "set") / VALUES,
        {
            "record_rl_metrics_us": times.median_ns("record") / 1000,
            "gauge_set_us": plain_us,
            "with_collection_percent": 100 * with_collection / (VALUES * plain_us),
            "gauges_with_collection_percent": 100 * gauges_with_collection / (10 * plain_us),
        },
    )


@contextmanager
def _in_background(collect: Callable[[], None]) -> Iterator[None]:
    done = threading.Event()

    def run() -> None:
        while not done.wait(_COLLECT_EVERY_S):
            collect()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _whole_cost_us(record: Callable[[], Any], collect: Callable[[], None]) -> float:
    """Return the median time of one call, with its share of the collection that follows."""
    taken: list[float] = []
    for _ in range(_ROUNDS):
        begin = time.thread_time_ns()
        for _ in range(_CALLS):
            record()
        collect()
        taken.append((time.thread_time_ns() - begin) / _CALLS / 1000)
    return statistics.median(taken)


ROWS = (
    Row(
        "G11",
        "record_rl_metrics, 11 values / 11 x gauge.set, 2 readers",
        0.10,
        _recording,
    ),
)
