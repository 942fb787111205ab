# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's variables for choosing exporters, beside the setting `exporter`."""

from __future__ import annotations

import dataclasses
import logging

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.sdk.exporters.selection import exporters_by_signal

pytestmark = pytest.mark.usefixtures("clean_environment")

VARIABLES = {
    "traces": "OTEL_TRACES_EXPORTER",
    "metrics": "OTEL_METRICS_EXPORTER",
    "logs": "OTEL_LOGS_EXPORTER",
}


def _config(**fields):
    return NemoLensConfig(
        enabled=True,
        span_groups="all",
        run_id="r",
        sigterm_flush=False,
        **{"logs_enabled": True, **fields},
    )


def _record_all_signals(handle):
    with managed_span("step", "qa.step"):
        handle.meter.create_counter("qa.count").add(1)
        logging.getLogger("qa").warning("hello")


@pytest.mark.parametrize("signal", VARIABLES)
def test_none_switches_one_signal_off_and_leaves_the_others(
    http_receiver, clean_environment, signal
):
    """Whatever the setting says, and as the only one of its kind."""
    clean_environment(**http_receiver.environment(), **{VARIABLES[signal]: " None "})
    handle = setup_telemetry(_config(exporter="otlp"), rank=0)
    _record_all_signals(handle)
    assert handle.is_exporting
    assert handle.shutdown()
    arrived = {
        "traces": http_receiver.span_names(),
        "metrics": http_receiver.metric_names(),
        "logs": http_receiver.log_bodies(),
    }
    assert [name for name, items in arrived.items() if not items] == [signal]


def test_without_any_exporter_nothing_is_exported_and_no_thread_is_left(clean_environment):
    """The handle says so, and works like that of a process that does not export."""
    clean_environment(**dict.fromkeys(VARIABLES.values(), "none"))
    handle = setup_telemetry(_config(), rank=0)
    assert not handle.is_exporting
    _record_all_signals(handle)
    assert handle.shutdown()


def test_a_name_counts_while_nobody_chose_the_exporter(http_receiver, clean_environment, capfd):
    """Spans go to the console, metrics by default to the collector."""
    clean_environment(**http_receiver.environment(), OTEL_TRACES_EXPORTER="console,OTLP")
    handle = setup_telemetry(_config(logs_enabled=False), rank=0)
    _record_all_signals(handle)
    handle.shutdown()
    assert http_receiver.span_names() == ["qa.step"]
    assert "qa.count" in http_receiver.metric_names()
    printed = capfd.readouterr().out
    assert '"qa.step"' in printed
    assert "qa.count" not in printed


@pytest.mark.parametrize("chosen_by", ["code", "environment", "replace"])
def test_an_exporter_that_was_chosen_wins_over_a_name(clean_environment, chosen_by):
    """Be it the default one."""
    clean_environment(OTEL_TRACES_EXPORTER="console")
    if chosen_by == "environment":
        clean_environment(NEMO_LENS_EXPORTER="otlp")
        config = NemoLensConfig.from_env()
    else:
        config = _config(exporter="otlp")
    if chosen_by == "replace":
        config = dataclasses.replace(config, run_id="other")
    assert exporters_by_signal(config)["traces"] == ("otlp",)


def test_a_name_switches_no_signal_on(clean_environment):
    """Logs stay off until `logs_enabled` asks for them."""
    clean_environment(OTEL_LOGS_EXPORTER="otlp")
    assert "logs" not in exporters_by_signal(_config(logs_enabled=False))


def test_an_exporter_that_the_caller_brings_is_used_whatever_the_variables_say(clean_environment):
    """An argument wins over the environment, as everywhere."""
    clean_environment(**dict.fromkeys(VARIABLES.values(), "none"))
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    handle = setup_telemetry(_config(), rank=0, span_exporter=exporter, metric_reader=reader)
    with managed_span("step", "qa.step"):
        handle.meter.create_counter("qa.count").add(1)
    assert reader.get_metrics_data() is not None
    handle.shutdown()
    assert [span.name for span in exporter.get_finished_spans()] == ["qa.step"]


@pytest.mark.parametrize("value", ["zipkin", "none,otlp", ",", "prometheus"])
def test_a_bad_name_is_one_warning_and_the_setting_counts(clean_environment, caplog, value):
    """It names the variable, the value and what is accepted."""
    clean_environment(OTEL_METRICS_EXPORTER=value)
    with caplog.at_level(logging.WARNING):
        assert exporters_by_signal(_config())["metrics"] == ("otlp",)
    [record] = caplog.records
    for part in ("OTEL_METRICS_EXPORTER", repr(value), "'none'", "'console'"):
        assert part in record.getMessage()
