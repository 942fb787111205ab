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


@pytest.mark.parametrize(
    ("metrics", "complaint"),
    [
        (["process.cpu.time"], r"must map names to states or None, got \['process"),
        ({"process.cpu.time": "user"}, r"states of metric 'process.cpu.time'.*got 'user'"),
        ({"process.cpu.time": 5}, "got 5"),
    ],
)
def test_refuses_what_is_no_choice_of_metrics(instrumentors, metrics, complaint):
    """A text of states would be taken letter by letter, and nothing would be reported."""
    with pytest.raises(ValueError, match=complaint):
        system.observe_system(metrics=metrics)
    assert instrumentors == []


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    """The job decides whether to go on."""
    monkeypatch.setitem(sys.modules, MODULE, None)
    with pytest.raises(ImportError, match=r"nemo-lens-instruments\[system\]"):
        system.observe_system()
