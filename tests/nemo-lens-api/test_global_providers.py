# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Tracers and meters where OpenTelemetry cannot load the provider that a variable names."""

from __future__ import annotations

import os

import pytest
from opentelemetry import trace

from nemo.lens import get_meter, get_tracer
from nemo.lens.global_providers import hidden_variables
from nemo.lens.testing_recorder import RecordingTracerProvider

_LOADING = "opentelemetry.util._providers"  # logs a traceback at each of its failures


@pytest.fixture
def unloadable(monkeypatch):
    """Name providers that there are not."""
    for kind in ("TRACER", "METER"):
        monkeypatch.setenv(f"OTEL_PYTHON_{kind}_PROVIDER", "garbage")


def test_they_work_and_one_warning_names_the_variable(unloadable, caplog):
    """OpenTelemetry raises StopIteration at every look; the variable counts as unset."""
    for _ in range(2):
        get_tracer().start_span("a").end()
        get_meter("own").create_counter("c").add(1)
    ours = [r.getMessage() for r in caplog.records if r.name != _LOADING]
    assert len(ours) == 1
    assert "OTEL_PYTHON_TRACER_PROVIDER names no provider" in ours[0]
    assert os.environ["OTEL_PYTHON_TRACER_PROVIDER"] == "garbage"


def test_a_tracer_of_before_records_once_a_provider_is_there(unloadable):
    """It is the proxy that it would have been without the variable."""
    tracer = get_tracer()
    recorder = RecordingTracerProvider()
    trace.set_tracer_provider(recorder)
    tracer.start_span("a").end()
    assert [span.name for span in recorder.spans] == ["a"]


def test_an_error_of_a_provider_that_was_installed_goes_through(monkeypatch):
    """It is the application's, and no variable can be blamed."""

    class Broken(trace.TracerProvider):
        def get_tracer(self, *arguments, **options):
            raise OSError("broken")

    trace.set_tracer_provider(Broken())
    with pytest.raises(OSError, match="broken"):
        get_tracer()


def test_hidden_variables_come_back(monkeypatch):
    """Also those that were hidden when something raised."""
    monkeypatch.setenv("OTEL_QA", "1")
    seen = []

    def fail():
        with hidden_variables(["OTEL_QA", "OTEL_QA_UNSET"]):
            seen.append(os.environ.get("OTEL_QA"))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert seen == [None]
    assert os.environ["OTEL_QA"] == "1"
    assert "OTEL_QA_UNSET" not in os.environ
