# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Telemetry leaves the random numbers of the training alone."""

from __future__ import annotations

import random

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider

from nemo.lens.sdk.random_streams import isolate_random_streams


def test_exemplar_reservoirs_draw_from_our_generator():
    """Otherwise recording a metric would move the stream that seeded the training."""
    isolate_random_streams()
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], shutdown_on_exit=False)
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("t")
    histogram = meters.get_meter("m").create_histogram("h")
    gauge = meters.get_meter("m").create_gauge("g")
    with tracer.start_as_current_span("s"):
        random.seed(5)
        expected = random.random()
        random.seed(5)
        for number in range(50):
            histogram.record(number)
            gauge.set(number)
    assert random.random() == expected
    meters.shutdown()
