# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Process and host metrics come from OpenTelemetry's instrumentation, when it is installed."""

import sys
import types

import pytest

from nemo.lens.instruments import system

MODULE = "opentelemetry.instrumentation.system_metrics"


@pytest.fixture
def instrumentors(monkeypatch):
    """Put a stand-in for the instrumentation in its place; return those that were made."""
    made = []

    class Instrumentor:
        def __init__(self, config):
            self.config = config
            self.calls = []
            made.append(self)

        def instrument(self, **options):
            self.calls.append(("instrument", options))

        def uninstrument(self):
            self.calls.append(("uninstrument", {}))

    module = types.ModuleType(MODULE)
    module.SystemMetricsInstrumentor = Instrumentor
    monkeypatch.setitem(sys.modules, MODULE, module)
    return made


def test_the_basics_are_switched_on_once(instrumentors):
    """A second call changes nothing until the first is taken back."""
    provider = object()
    system.observe_system(provider)
    system.observe_system(provider)
    (instrumentor,) = instrumentors
    assert instrumentor.config == system.BASICS
    assert instrumentor.calls == [("instrument", {"meter_provider": provider})]
    system.unobserve_system()
    system.unobserve_system()
    assert instrumentor.calls[1:] == [("uninstrument", {})]
    system.observe_system(metrics={"process.cpu.time": ("user",)})
    assert instrumentors[1].config == {"process.cpu.time": ["user"]}


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    """The job decides whether to go on."""
    monkeypatch.setitem(sys.modules, MODULE, None)
    with pytest.raises(ImportError, match=r"nemo-lens-instruments\[system\]"):
        system.observe_system()
