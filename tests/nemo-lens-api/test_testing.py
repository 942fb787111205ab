# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: isolation, enabled groups and the recording tracer."""

from __future__ import annotations

import os
import subprocess
import sys
import types

import pytest
from opentelemetry import _logs, metrics, trace
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

from nemo.lens import state
from nemo.lens.groups import SpanRegistry
from nemo.lens.testing import RecordingTracerProvider
from nemo.lens.testing_isolation import isolated


@pytest.fixture
def recorder():
    """A recorder that is not installed globally."""
    return RecordingTracerProvider()


def test_what_a_test_changes_is_undone():
    """Every piece of process-wide state is pristine inside and put back afterwards."""
    import nemo.lens.handle

    SpanRegistry.register("imported", ["a"])
    state.set_span_group_spec("all")
    os.environ["OTEL_RESOURCE_ATTRIBUTES"] = "outer=1"
    outer = RecordingTracerProvider()
    trace.set_tracer_provider(outer)
    with isolated():
        assert not state.is_span_group_enabled("a")
        assert "OTEL_RESOURCE_ATTRIBUTES" not in os.environ
        assert trace.get_tracer_provider() is not outer
        assert SpanRegistry.namespaces() == ["imported"]
        SpanRegistry.register("test", ["b"])
        state.set_span_group_spec("all")
        state.set_pp_trace_carrier({"traceparent": "x"})
        state.set_step_sampling(3)
        state.set_step(4)
        nemo.lens.handle._INITIALIZED = True
        os.environ["OTEL_RESOURCE_ATTRIBUTES"] = "inner=1"
        os.environ["NEMO_LENS_RUN_ID"] = "inner"
        trace.set_tracer_provider(RecordingTracerProvider())
    assert SpanRegistry.namespaces() == ["imported"]
    assert state.enabled_span_groups() == frozenset()
    assert state.get_pp_trace_carrier() is None
    assert state.current_step() is None
    assert nemo.lens.handle._INITIALIZED is False
    assert os.environ.pop("OTEL_RESOURCE_ATTRIBUTES") == "outer=1"
    assert "NEMO_LENS_RUN_ID" not in os.environ
    assert trace.get_tracer_provider() is outer


def test_global_providers_can_be_installed_in_every_isolated_body():
    """OpenTelemetry allows it once per process; the plugin makes it once per test.

    This is also the canary for the private names of OpenTelemetry that the plugin exchanges.
    """
    for _ in range(2):
        with isolated():
            tracers = trace.NoOpTracerProvider()
            meters = metrics.NoOpMeterProvider()
            loggers = _logs.NoOpLoggerProvider()
            trace.set_tracer_provider(tracers)
            metrics.set_meter_provider(meters)
            _logs.set_logger_provider(loggers)
            assert trace.get_tracer_provider() is tracers
            assert metrics.get_meter_provider() is meters
            assert _logs.get_logger_provider() is loggers


def test_a_restored_provider_cannot_be_replaced_by_accident(caplog):
    """OpenTelemetry again refuses a second provider, as before the isolated body."""
    outer = trace.NoOpTracerProvider()
    trace.set_tracer_provider(outer)
    with isolated():
        pass
    trace.set_tracer_provider(trace.NoOpTracerProvider())
    assert trace.get_tracer_provider() is outer
    assert "not allowed" in caplog.text


def test_a_meter_made_before_does_not_record_into_the_next_tests_provider():
    """The proxy for meters forgets the provider of the test before."""
    with isolated():
        metrics.set_meter_provider(metrics.NoOpMeterProvider())
        assert isinstance(metrics.get_meter("x"), metrics.NoOpMeter)
    with isolated():
        assert not isinstance(metrics.get_meter("x"), metrics.NoOpMeter)


def test_a_loaded_module_resets_itself(monkeypatch):
    """Any lens module that keeps state takes part by defining `_reset_for_tests`."""
    module = types.ModuleType("nemo.lens.some_registry")
    calls = []
    module._reset_for_tests = lambda: calls.append("reset")
    monkeypatch.setitem(sys.modules, "nemo.lens.some_registry", module)
    with isolated():
        assert calls == ["reset"]
    assert calls == ["reset", "reset"]


class Registered(types.ModuleType):
    """A registry with the functions that the sdk's strategies and the instruments have."""

    def __init__(self, name, built_in=()):
        super().__init__(name)
        self.built_in = frozenset(built_in)
        self.entries = {name: object() for name in built_in}
        self.register_export_strategy = self.register_metric_group = self.register
        self.unregister_export_strategy = self.unregister_metric_group = self.unregister
        self.resolve_strategy = self.entries.get
        self.registered_strategies = lambda: sorted(self.entries)
        self.registered_metric_groups = lambda: dict(self.entries)

    def register(self, name, entry, *, allow_override=False):
        """Add an entry, as the real registries do."""
        assert allow_override or name not in self.entries
        self.entries[name] = entry

    def unregister(self, name):
        """Remove an entry, as the real registries do."""
        if name in self.built_in:
            raise ValueError("built in")
        del self.entries[name]


@pytest.mark.parametrize("name", ["nemo.lens.sdk.strategies", "nemo.lens.instruments.registry"])
def test_registrations_of_other_distributions_are_put_back(monkeypatch, name):
    """What the body adds goes, what it replaces or removes comes back."""
    registry = Registered(name)
    monkeypatch.setitem(sys.modules, name, registry)
    registry.register("kept", first := object())
    registry.register("replaced", second := object())
    registry.register("removed", third := object())
    with isolated():
        assert registry.entries["kept"] is first
        registry.register("added", object())
        registry.register("replaced", object(), allow_override=True)
        registry.unregister("removed")
    assert registry.entries == {"kept": first, "replaced": second, "removed": third}


def test_what_a_distribution_brings_itself_stays_when_the_body_loads_it(monkeypatch):
    """Built-in strategies and lens's own metric groups are not undone; registrations are."""
    strategies = Registered("nemo.lens.sdk.strategies", built_in=["all_ranks"])
    metric_groups = Registered("nemo.lens.instruments.registry")
    monkeypatch.delitem(sys.modules, strategies.__name__, raising=False)
    monkeypatch.delitem(sys.modules, metric_groups.__name__, raising=False)
    with isolated():
        sys.modules[strategies.__name__] = strategies
        sys.modules[metric_groups.__name__] = metric_groups
        strategies.register("mine", object())
        metric_groups.register("nemo.lens.inference", object())
        metric_groups.register("mine", object())
    del sys.modules[strategies.__name__], sys.modules[metric_groups.__name__]
    assert set(strategies.entries) == {"all_ranks"}
    assert set(metric_groups.entries) == {"nemo.lens.inference"}


def test_registries_that_the_body_drops_are_left_alone(monkeypatch):
    """A test that drops modules from `sys.modules` does not fail afterwards."""
    for name in ("nemo.lens.sdk.strategies", "nemo.lens.instruments.registry"):
        registry = Registered(name)
        registry.register("before", object())
        monkeypatch.setitem(sys.modules, name, registry)
    with isolated():
        for name in ("nemo.lens.sdk.strategies", "nemo.lens.instruments.registry"):
            monkeypatch.delitem(sys.modules, name)
    assert "nemo.lens.sdk.strategies" not in sys.modules


def test_groups_are_enabled_by_name(nemo_lens_groups):
    """The fixture pins exactly what it is given, each time."""
    nemo_lens_groups("step", "job")
    assert state.enabled_span_groups() == {"step", "job"}
    nemo_lens_groups()
    assert state.enabled_span_groups() == frozenset()


def test_the_recorder_is_the_global_provider(nemo_lens_recorder):
    """Instrumented code finds it by itself."""
    with trace.get_tracer("lib").start_as_current_span("outer"):
        trace.get_tracer("lib").start_span("inner").end()
    assert nemo_lens_recorder.names() == ["inner", "outer"]
    inner, outer = nemo_lens_recorder.spans
    assert nemo_lens_recorder.started == [outer, inner]
    assert inner.parent == outer.context
    assert inner.context.trace_id == outer.context.trace_id
    assert outer.parent is None


def test_a_span_remembers_everything(recorder):
    """Name, kind, attributes, events, links, status, times, parent and scope."""
    other = recorder.get_tracer("x").start_span("other").get_span_context()
    tracer = recorder.get_tracer("lib", "1.2", "https://schema", {"s": 1})
    span = tracer.start_span(
        "a", kind=SpanKind.CLIENT, attributes={"k": 1}, links=[Link(other)], start_time=5
    )
    span.set_attribute("l", [1, 2])
    span.set_attributes({"m": True})
    span.add_event("e", {"n": 1}, timestamp=6)
    span.add_link(other, {"o": 1})
    span.update_name("b")
    span.set_status(StatusCode.ERROR, "why")
    assert span.is_recording()
    span.end(9)
    assert not span.is_recording()
    assert recorder.spans == [span]
    assert (span.name, span.kind, span.start_time, span.end_time) == ("b", SpanKind.CLIENT, 5, 9)
    assert span.attributes == {"k": 1, "l": [1, 2], "m": True}
    assert [(e.name, e.attributes, e.timestamp) for e in span.events] == [("e", {"n": 1}, 6)]
    assert [link.context for link in span.links] == [other, other]
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "why")
    scope = span.instrumentation_scope
    assert (scope.name, scope.version, scope.schema_url) == ("lib", "1.2", "https://schema")
    assert scope.attributes == {"s": 1}
    assert repr(span) == "<RecordedSpan 'b' {'k': 1, 'l': [1, 2], 'm': True}>"


def test_an_ended_span_does_not_change(recorder):
    """Whatever is done to it, and it is kept only once."""
    span = recorder.get_tracer("x").start_span("a")
    span.end(7)
    span.end(8)
    span.set_attribute("k", 1)
    span.add_event("e")
    span.add_link(span.context)
    span.update_name("b")
    span.set_status(StatusCode.ERROR)
    span.record_exception(ValueError("late"))
    assert recorder.spans == [span]
    assert (span.name, span.end_time, span.attributes) == ("a", 7, {})
    assert (span.events, span.links, span.status.status_code) == ([], [], StatusCode.UNSET)


def test_an_ok_status_is_final(recorder):
    """The rule of the SDK."""
    span = recorder.get_tracer("x").start_span("a")
    span.set_status(StatusCode.ERROR, "first")
    span.set_status(Status(StatusCode.UNSET))
    assert span.status.status_code is StatusCode.ERROR
    span.set_status(Status(StatusCode.OK))
    span.set_status(StatusCode.ERROR, "later")
    assert span.status.status_code is StatusCode.OK


def test_an_exception_in_the_body_is_recorded_and_passes(recorder):
    """Event and status are those of the SDK."""
    error = KeyError("missing")
    with pytest.raises(KeyError), recorder.get_tracer("x").start_as_current_span("a"):
        raise error
    span = recorder.span("a")
    assert span.status.status_code is StatusCode.ERROR
    (event,) = span.events
    assert event.name == "exception"
    assert event.attributes["exception.type"] == "KeyError"
    assert event.attributes["exception.message"] == "'missing'"
    assert "Traceback" in event.attributes["exception.stacktrace"]


def test_a_current_span_may_stay_open_and_unmarked(recorder):
    """The flags of `start_as_current_span` are honoured."""
    tracer = recorder.get_tracer("x")
    with (
        pytest.raises(ValueError, match="mine"),
        tracer.start_as_current_span(
            "a", record_exception=False, set_status_on_exception=False, end_on_exit=False
        ) as span,
    ):
        raise ValueError("mine")
    assert span.is_recording()
    assert (span.events, span.status.status_code) == ([], StatusCode.UNSET)


@pytest.mark.parametrize("marked", [True, False])
def test_a_started_span_is_a_context_manager_that_honours_its_flags(recorder, marked):
    """`with tracer.start_span(...)` ends the span and marks it, unless told otherwise."""
    span = recorder.get_tracer("x").start_span(
        "a", record_exception=marked, set_status_on_exception=marked
    )
    with pytest.raises(ValueError, match="mine"), span:
        raise ValueError("mine")
    assert recorder.spans == [span]
    assert [event.name for event in span.events] == (["exception"] if marked else [])
    assert span.status.description == ("ValueError: mine" if marked else None)
    with recorder.get_tracer("x").start_span("b"):
        pass
    assert recorder.span("b").events == []


def test_looking_for_one_span_says_what_there_is(recorder):
    """A wrong name is told apart from a span that was recorded twice."""
    recorder.get_tracer("x").start_span("a").end()
    with pytest.raises(LookupError, match=r"'b', got 0 among \['a'\]"):
        recorder.span("b")
    recorder.get_tracer("x").start_span("a").end()
    with pytest.raises(LookupError, match=r"'a', got 2 among \['a', 'a'\]"):
        recorder.span("a")


def test_the_plugin_has_no_other_lazy_names():
    """A typo is an AttributeError."""
    import nemo.lens.testing

    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        nemo.lens.testing.nonsense  # noqa: B018
    with pytest.raises(AttributeError):
        nemo.lens.testing.RecordedNonsense  # noqa: B018


def test_loading_the_plugin_loads_neither_opentelemetry_nor_the_rest_of_lens():
    """It is loaded in every pytest run of an environment, before coverage starts."""
    code = (
        "import sys, nemo.lens.testing\n"
        "print(sorted(m for m in sys.modules if m.startswith(('nemo.', 'opentelemetry'))))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert out.stdout == "['nemo.lens', 'nemo.lens.testing']\n"


def test_a_consumers_tests_are_untouched_unless_they_ask(tmp_path):
    """The installed plugin is opt-in, by fixture or by the `usefixtures` setting."""
    (tmp_path / "test_mine.py").write_text(
        "import os, sys\n"
        "from nemo.lens import state\n"
        "def test_first():\n"
        "    assert not [m for m in sys.modules if m.startswith('opentelemetry')]\n"
        "    state.set_enabled_span_groups({'leak'})\n"
        "    os.environ['OTEL_RESOURCE_ATTRIBUTES'] = 'a=1'\n"
        "def test_second_sees_what_the_first_did():\n"
        "    assert state.is_span_group_enabled('leak')\n"
        "def test_third_asks_for_isolation(nemo_lens_isolated):\n"
        "    assert not state.is_span_group_enabled('leak')\n"
        "    assert 'OTEL_RESOURCE_ATTRIBUTES' not in os.environ\n"
        "def test_fourth():\n"
        "    assert os.environ['OTEL_RESOURCE_ATTRIBUTES'] == 'a=1'\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={k: v for k, v in os.environ.items() if k != "OTEL_RESOURCE_ATTRIBUTES"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout
