# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The environment of a program carries the trace context and the configuration."""

import os

import pytest
from opentelemetry import baggage, context, trace

from nemo.lens import handle
from nemo.lens.config import NemoLensConfig
from nemo.lens.contrib.child_processes import child_environment, environment_context
from nemo.lens.handle import TelemetryHandle

TRACEPARENT = f"00-{'a' * 32}-{'b' * 16}-01"


def test_a_child_continues_the_trace(nemo_lens_recorder):
    """Baggage included; the rest of the environment goes along."""
    with trace.get_tracer("t").start_as_current_span("parent") as span:
        token = context.attach(baggage.set_baggage("job", "j1"))
        child = child_environment(environ={"PATH": "/bin"})
        context.detach(token)
    assert set(child) == {"PATH", "TRACEPARENT", "BAGGAGE"}
    with environment_context(child):
        current = trace.get_current_span().get_span_context()
        assert current.span_id == span.get_span_context().span_id
        assert baggage.get_baggage("job") == "j1"
    assert context.get_current() == {}


def test_the_context_of_the_parents_parent_is_not_the_childs():
    """It is removed where there is no current one."""
    inherited = {"TRACEPARENT": TRACEPARENT, "TRACESTATE": "a=b", "BAGGAGE": "c=d"}
    assert child_environment(environ=inherited) == {}
    assert len(inherited) == 3


def test_a_configuration_goes_along():
    """`from_env` in the child gives an equal one, of the same run."""
    config = NemoLensConfig(enabled=True, span_groups="all,-layer")
    child = child_environment(config, environ={}, prefix="NEMO_RL")
    assert NemoLensConfig.from_env("NEMO_RL", environ=child) == config
    assert config.run_id


def test_a_bad_configuration_is_an_error_here_not_in_the_child():
    """It names the field."""
    config = NemoLensConfig()
    config.exporter = "pigeon"
    with pytest.raises(ValueError, match="exporter"):
        child_environment(config)


def test_by_default_the_environment_of_this_process_is_used(monkeypatch):
    """To start from, and to read."""
    monkeypatch.setenv("TRACEPARENT", TRACEPARENT)
    assert child_environment().keys() == os.environ.keys() - {"TRACEPARENT"}
    with environment_context():
        assert trace.get_current_span().get_span_context().trace_id == int("a" * 32, 16)


@pytest.mark.parametrize(
    "value", ["", "x", TRACEPARENT[:-1], "00-" + "0" * 32 + "-" + "b" * 16 + "-01"]
)
def test_a_malformed_context_is_none(value):
    """What is current stays so."""
    with environment_context({"TRACEPARENT": value}):
        assert context.get_current() == {}


def test_a_child_of_a_rank_that_does_not_export_does_not_either(monkeypatch):
    """Whatever the configuration says, which stays as it is."""
    config = NemoLensConfig(enabled=True, run_id="r")
    assert NemoLensConfig.from_env(environ=child_environment(config, {})).enabled
    monkeypatch.setattr(handle, "_INITIALIZED", True)
    monkeypatch.setattr(handle, "_primary", TelemetryHandle())
    assert not NemoLensConfig.from_env(environ=child_environment(config, {})).enabled
    assert config.enabled
