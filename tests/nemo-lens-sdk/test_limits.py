# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What OpenTelemetry's limits cut off is counted as lost, by reason, where everybody looks."""

from __future__ import annotations

import logging

import pytest
from opentelemetry.trace import Link, SpanContext

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry

pytestmark = pytest.mark.usefixtures("clean_environment")


def _set_up(**fields):
    config = NemoLensConfig(
        enabled=True, span_groups="all", run_id="r", sigterm_flush=False, **fields
    )
    return setup_telemetry(config, rank=0)


def test_cut_attributes_events_and_links_are_counted_by_reason(
    http_receiver, clean_environment, caplog
):
    """On the handle, as a metric, and in the one line at shutdown; the span itself arrives."""
    clean_environment(
        **http_receiver.environment(),
        OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT="3",
        OTEL_SPAN_EVENT_COUNT_LIMIT="1",
        OTEL_SPAN_LINK_COUNT_LIMIT="1",
    )
    handle = _set_up()
    links = [Link(SpanContext(trace_id, 1, is_remote=False)) for trace_id in (1, 2, 3)]
    with managed_span("step", "cut", a=1, b=2, c=3, d=4, e=5, links=links) as span:
        span.add_event("one")
        span.add_event("two")
    with managed_span("step", "whole", a=1):
        pass
    assert handle.flush()
    lost = {"attribute_limit": 2, "event_limit": 1, "link_limit": 2}
    assert handle.stats()["lost"] == lost
    assert handle.stats()["queues"]["spans to otlp"]["delivered"] == 2
    with caplog.at_level(logging.WARNING):
        assert handle.shutdown()
    assert "spans to otlp: 2 attribute_limit" in caplog.text
    [cut] = [span for span in http_receiver.spans() if span.name == "cut"]
    assert (cut.dropped_attributes_count, cut.dropped_events_count) == (2, 1)
    points = http_receiver.metrics()["nemo.lens.export.lost"].sum.data_points
    counted = {
        pair.value.string_value: point.as_int
        for point in points
        for pair in point.attributes
        if pair.key == "nemo.lens.reason"
    }
    assert counted == lost


def test_nothing_is_counted_within_the_limits(http_receiver, clean_environment):
    """No reason appears in the statistics."""
    clean_environment(**http_receiver.environment())
    handle = _set_up(metrics_enabled=False)
    with managed_span("step", "whole", **{f"a{number}": number for number in range(128)}):
        pass
    assert handle.shutdown()
    assert handle.stats()["lost"] == {}


def test_a_span_that_never_arrives_is_one_loss_and_not_its_attributes_too(
    receiver, clean_environment
):
    """What was cut is counted with what was delivered."""
    running = receiver.HttpReceiver(receiver.Faults(statuses=[400]))
    try:
        clean_environment(**running.environment(), OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT="1")
        handle = _set_up(metrics_enabled=False)
        with managed_span("step", "refused", a=1, b=2):
            pass
        handle.shutdown()
        assert handle.stats()["lost"] == {"refused": 1}
    finally:
        running.close()
