# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's Prometheus exporter gives every metric the name that the schema says."""

import pytest
from opentelemetry.sdk.metrics import MeterProvider

from nemo.lens.instruments.prometheus_names import prometheus_name

pytestmark = pytest.mark.integration

NAMES = ("q.duration", "q.seconds", "q.total", "q_total", "q.per_second", "q.bytes", "q-x..y/z")
UNITS = (
    *("", "1", "%", "s", "ms", "us", "ns", "min", "h", "d", "m", "g", "W", "V", "A", "J", "K"),
    *("Cel", "Hz", "GHz", "bit", "By", "KBy", "MBy", "GBy", "TBy", "KiBy", "MiBy", "GiBy", "TiBy"),
    *("{token}", "{a}{b}", "{token}/s", "{token}/{step}", "{a}By", "By{a}/s", "J/{token}", "1/s"),
    *("By/s", "MBy/d", "m/h", "{step}/min", "{x}/w", "%/s", "1/1", "s/", "/s", "m.s"),
)
METHODS = {"gauge": "set", "counter": "add", "up_down_counter": "add", "histogram": "record"}


@pytest.mark.parametrize("kind", METHODS)
def test_names_are_those_of_the_exporter(kind):
    """For every unit, and names that end in a unit already."""
    from opentelemetry.exporter.prometheus import PrometheusMetricReader
    from prometheus_client import REGISTRY

    provider = MeterProvider([PrometheusMetricReader()], shutdown_on_exit=False)
    meter = provider.get_meter("names")
    metrics = [(f"n{place}.{name}", unit) for place, unit in enumerate(UNITS) for name in NAMES]
    for name, unit in metrics:
        getattr(getattr(meter, f"create_{kind}")(name, unit=unit), METHODS[kind])(1)
    exported = {sample.name for family in REGISTRY.collect() for sample in family.samples}
    provider.shutdown()
    suffix = "_count" if kind == "histogram" else ""
    wrong = {
        (name, unit): prometheus_name(name, unit, kind)
        for name, unit in metrics
        if prometheus_name(name, unit, kind) + suffix not in exported
    }
    assert wrong == {}
