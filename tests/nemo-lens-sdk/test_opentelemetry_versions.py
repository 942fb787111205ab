# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The page about OpenTelemetry versions says what is so with the version that is installed."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.version import __version__

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.sdk.exporters.otlp import OtlpSink

pytestmark = pytest.mark.usefixtures("clean_environment")

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "opentelemetry-versions.md"
ROW = re.compile(r"^\| (?P<feature>.+?) \| (?P<needs>\d+\.\d+) \| .+ \|$", re.MULTILINE)
NEEDS = {row["feature"]: row["needs"] for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))}


def _config(**fields):
    return NemoLensConfig(
        enabled=True, span_groups="all", run_id="r", sigterm_flush=False, **fields
    )


def _counts_cut_attributes_of_logs(http_receiver, set_variables):
    set_variables(OTEL_ATTRIBUTE_COUNT_LIMIT="4")
    handle = _log_with_ten_fields()
    assert http_receiver.log_bodies() == ["hello"]
    return handle.stats()["lost"].get("attribute_limit", 0) > 0


def _obeys_the_limit_of_log_records(http_receiver, set_variables):
    set_variables(OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT="4")
    _log_with_ten_fields()
    [record] = http_receiver.log_records()
    return len(record.attributes) == 4


def _log_with_ten_fields():
    config = _config(logs_enabled=True, traces_enabled=False, metrics_enabled=False)
    handle = setup_telemetry(config, rank=0)
    logging.getLogger("qa").warning("hello", extra={f"field{i}": i for i in range(10)})
    assert handle.shutdown()
    return handle


def _says_that_trace_ids_are_random(http_receiver, set_variables):
    exporter = InMemorySpanExporter()
    handle = setup_telemetry(_config(metrics_enabled=False), rank=0, span_exporter=exporter)
    with managed_span("step", "qa.step"):
        pass
    handle.shutdown()
    [span] = exporter.get_finished_spans()
    return bool(span.context.trace_flags & 0x02)


def _uses_an_installed_meter_provider(http_receiver, set_variables):
    theirs = MeterProvider([InMemoryMetricReader()], shutdown_on_exit=False)
    metrics.set_meter_provider(theirs)
    counter = theirs.get_meter("qa").create_counter("qa.count")
    for _ in range(2):
        # Again after a shutdown, when the reader of before is gone.
        http_receiver.forget()
        handle = setup_telemetry(_config(traces_enabled=False), rank=0)
        counter.add(1)
        handle.shutdown()
        arrived = "qa.count" in http_receiver.metric_names()
        assert handle.is_exporting is arrived
    return arrived


def _bounds_the_pauses_of_grpc(http_receiver, set_variables):
    set_variables(OTEL_EXPORTER_OTLP_PROTOCOL="grpc", OTEL_EXPORTER_OTLP_ENDPOINT="")
    exporter = OtlpSink("traces", list).exporter
    options = dict(getattr(exporter, "_channel_options", ()))
    exporter.shutdown()
    return options.get("grpc.max_reconnect_backoff_ms") == 10_000


PROBES = {
    "What limits cut off log records is counted": _counts_cut_attributes_of_logs,
    "Trace ids say that they are random": _says_that_trace_ids_are_random,
    "Metrics through a meter provider that the application": _uses_an_installed_meter_provider,
    "`OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT` limits": _obeys_the_limit_of_log_records,
    "A collector that is back is reached over gRPC within": _bounds_the_pauses_of_grpc,
}


def _number(version):
    return tuple(map(int, version.split(".")[:2]))


def test_every_row_of_the_page_is_tried():
    """No feature stands there unproven."""
    assert len(NEEDS) == len(PROBES)
    for beginning in PROBES:
        assert [feature for feature in NEEDS if feature.startswith(beginning)]


# The SDK warns about cut attributes once in a process.
@pytest.mark.filterwarnings("ignore:Log record attributes were dropped:UserWarning")
@pytest.mark.parametrize("beginning", PROBES)
def test_a_feature_works_exactly_from_the_version_on_that_the_page_names(
    http_receiver, clean_environment, beginning
):
    """With this OpenTelemetry it works, or does not, as the page says."""
    clean_environment(**http_receiver.environment())
    [needs] = [version for feature, version in NEEDS.items() if feature.startswith(beginning)]
    works = PROBES[beginning](http_receiver, clean_environment)
    assert works is (_number(__version__) >= _number(needs))


def test_the_floor_of_the_page_is_that_of_the_distribution():
    """`pyproject.toml` accepts what the page promises."""
    declared = (ROOT / "packages" / "nemo-lens-sdk" / "pyproject.toml").read_text(encoding="utf-8")
    [floor] = re.findall(r'"opentelemetry-sdk>=([\d.]+),', declared)
    assert f"from {floor}, the floor" in PAGE.read_text(encoding="utf-8")
