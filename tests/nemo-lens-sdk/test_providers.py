# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`build_providers` in the shape of each generation of clients."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens import NemoLensConfig
from nemo.lens.providers import build_providers

pytestmark = pytest.mark.usefixtures("clean_environment")


def _config(**fields):
    return NemoLensConfig(enabled=True, run_id="run", sigterm_flush=False, **fields)


def _in_memory():
    return {"span_exporter": InMemorySpanExporter(), "metric_reader": InMemoryMetricReader()}


def test_an_integer_is_a_rank(monkeypatch):
    """The 0.2 shape; the provider is installed positionally through the patchable function."""
    installed = []
    monkeypatch.setattr(
        trace, "set_tracer_provider", lambda *providers: installed.append(providers)
    )
    tracer_provider, meter_provider = build_providers(_config(), 3, 8, **_in_memory())
    assert installed == [(tracer_provider,)]
    attributes = tracer_provider.resource.attributes
    assert (attributes["dl.rank"], attributes["dl.world_size"]) == (3, 8)
    assert (attributes["nv.dl.rank"], attributes["nv.dl.world_size"]) == (3, 8)
    assert attributes["service.instance.id"] == "run-rank3"
    assert meter_provider is not None


@pytest.mark.parametrize("given", [{"nv.dl.rank": 5}, None])
def test_a_mapping_or_nothing_is_resource_attributes(given):
    """The later shape."""
    tracer_provider, _ = build_providers(_config(), given, **_in_memory())
    attributes = tracer_provider.resource.attributes
    assert attributes.get("nv.dl.rank") == (given or {}).get("nv.dl.rank")
    assert "dl.rank" not in attributes


def test_a_signal_that_is_off_has_no_provider():
    """None, and the global one is left alone."""
    tracer_provider, meter_provider = build_providers(_config(traces_enabled=False), **_in_memory())
    assert tracer_provider is None
    assert meter_provider is not None
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def test_anything_else_is_a_type_error_that_says_what_is_accepted():
    """A float is neither."""
    with pytest.raises(TypeError, match=r"a rank \(int\), a mapping"):
        build_providers(_config(), 1.5)
