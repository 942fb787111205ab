# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Set-up without the sdk: disabled, not exporting, or told what to install."""

from __future__ import annotations

import logging
import sys
import threading

import pytest

from nemo.lens import NemoLensConfig, handle, is_span_group_enabled, setup_telemetry
from nemo.lens.spans.discards import discard
from nemo.lens.state import set_enabled_span_groups


@pytest.fixture
def without_sdk(monkeypatch):
    """Make the sdk look as if it were not installed."""
    for name in list(sys.modules):
        if name.startswith(("nemo.lens.sdk", "opentelemetry.sdk", "opentelemetry.exporter")):
            monkeypatch.delitem(sys.modules, name)

    class Nowhere:
        def find_spec(self, name, path=None, target=None):
            if name.startswith(("nemo.lens.sdk", "opentelemetry.sdk")):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(sys, "meta_path", [Nowhere(), *sys.meta_path])


def test_a_disabled_set_up_is_repeatable_and_does_nothing(without_sdk):
    """A handle whose every part works and records nothing."""
    threads = threading.active_count()
    for _ in range(3):
        telemetry = setup_telemetry(NemoLensConfig(enabled=False), rank=0, world_size=1)
    assert not telemetry.is_exporting
    assert telemetry.flush()
    assert telemetry.shutdown()
    assert telemetry.shutdown(timeout_ms=1)
    assert telemetry.stats() == {"queues": {}, "lost": {}, "discarded": {}}
    with telemetry.tracer.start_as_current_span("x") as span:
        assert not span.is_recording()
    telemetry.meter.create_counter("c").add(1)
    assert threading.active_count() == threads
    assert handle._INITIALIZED is False


def test_a_disabled_set_up_leaves_global_providers_to_the_application(without_sdk):
    """The application can still install its own."""
    from opentelemetry import trace

    setup_telemetry(NemoLensConfig(enabled=False))
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def test_a_disabled_set_up_raises_nothing_about_bad_values(without_sdk):
    """Explicitly off, nothing else matters."""
    assert not setup_telemetry(NemoLensConfig(enabled=False, exporter="pigeon")).is_exporting


def test_without_the_sdk_an_exporting_set_up_says_what_to_install(without_sdk):
    """And leaves nothing half set."""
    with pytest.raises(ImportError, match=r"pip install nemo-lens-sdk.*nemo-lens\[sdk\]"):
        setup_telemetry(NemoLensConfig(enabled=True, span_groups="all"))
    assert not is_span_group_enabled("step")
    assert handle._INITIALIZED is False
    assert not setup_telemetry(NemoLensConfig(enabled=False)).is_exporting


def test_without_the_sdk_a_rank_cannot_be_decided_about(without_sdk):
    """The strategies are the sdk's."""
    with pytest.raises(ImportError, match="nemo-lens-sdk"):
        setup_telemetry(NemoLensConfig(enabled=True), rank=0, world_size=2)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"rank": "abc"}, "rank='abc'"),
        ({"rank": -1}, "rank=-1"),
        ({"rank": 1.5}, "rank=1.5"),
        ({"rank": 0, "world_size": 0}, "world_size=0"),
    ],
)
def test_a_bad_rank_is_an_error_that_names_it(without_sdk, arguments, named):
    """Never silently no export."""
    with pytest.raises(ValueError, match=named):
        setup_telemetry(NemoLensConfig(enabled=True), **arguments)


def test_a_bad_value_is_an_error_before_anything_is_loaded(without_sdk):
    """Validated first, also where the sdk is missing."""
    with pytest.raises(ValueError, match="Unknown exporter"):
        setup_telemetry(NemoLensConfig(enabled=True, exporter="pigeon"))


def test_otel_sdk_disabled_means_no_export(without_sdk, monkeypatch):
    """OpenTelemetry's own switch is obeyed, and the gate stays closed."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    telemetry = setup_telemetry(NemoLensConfig(enabled=True, span_groups="all"))
    assert not telemetry.is_exporting
    assert not is_span_group_enabled("step")
    telemetry.shutdown()


def test_a_handle_can_be_wrapped_and_subclassed(without_sdk):
    """Clients delegate to it and construct their own."""

    class Own(handle.TelemetryHandle):
        pass

    own = Own(None, None, False)
    assert own.is_exporting is False
    assert handle.TelemetryHandle.__module__ == "nemo.lens.handle"
    assert own.shutdown(timeout_ms=10)


def test_statistics_count_what_was_discarded_whether_or_not_anything_is_exported(without_sdk):
    """A carrier that cannot be written is a mistake of the application, not of an exporter."""
    telemetry = setup_telemetry(NemoLensConfig(enabled=False))
    for _ in range(2):
        discard("context injection", "told once")
    assert telemetry.stats() == {"queues": {}, "lost": {}, "discarded": {"context injection": 2}}


def test_statistics_never_raise(without_sdk):
    """A runtime that fails gives what is known without it."""

    class Broken:
        def stats(self):
            raise OSError("no")

    own = handle.TelemetryHandle(None, None, True, _runtime=Broken())
    assert own.stats() == {"queues": {}, "lost": {}, "discarded": {}}


def test_shutting_a_disabled_handle_down_leaves_the_gate_to_others(without_sdk, caplog):
    """Only the handle that opened the gate closes it."""
    telemetry = setup_telemetry(NemoLensConfig(enabled=False))
    set_enabled_span_groups(frozenset({"step"}))
    with caplog.at_level(logging.WARNING):
        telemetry.shutdown()
    assert is_span_group_enabled("step")
    assert not caplog.records
