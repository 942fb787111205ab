# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The fixtures that consumers get."""

from __future__ import annotations

import pytest

from nemo.lens import managed_span, span_cm


def test_spans_are_captured_with_counting_ids_and_a_clock(nemo_lens_spans, nemo_lens_clock):
    """Ids count from 1, and time passes when the test says so."""
    with managed_span("job", "outer"):
        nemo_lens_clock.advance(1)
        with managed_span("step", "inner", i=1):
            nemo_lens_clock.advance(2.5)
    assert nemo_lens_spans.names() == ["inner", "outer"]
    inner, outer = nemo_lens_spans.one("inner"), nemo_lens_spans.one("outer")
    assert (inner.context.trace_id, outer.context.span_id, inner.context.span_id) == (1, 1, 2)
    assert inner.end_time - inner.start_time == 2_500_000_000
    assert outer.end_time - outer.start_time == 3_500_000_000
    nemo_lens_spans.clear()
    assert nemo_lens_spans.names() == []


def test_asking_for_one_span_says_what_there_was(nemo_lens_spans):
    """The failure of a test is readable."""
    with span_cm("other"):
        pass
    with pytest.raises(AssertionError, match="other"):
        nemo_lens_spans.one("missing")


def test_metrics_are_captured(nemo_lens_metrics):
    """By name, with their values."""
    nemo_lens_metrics.handle.meter.create_counter("qa.count").add(3, {"a": "b"})
    assert nemo_lens_metrics.value("qa.count") == 3
    (point,) = nemo_lens_metrics.points()["qa.count"]
    assert dict(point.attributes) == {"a": "b"}


def test_a_lost_span_is_a_metric(nemo_lens_metrics, nemo_lens_spans):
    """With the queue and the reason as attributes; nothing is reported while nothing is lost."""
    assert nemo_lens_metrics.points() == {}
    (lane,) = nemo_lens_spans.handle.runtime.pipeline._lanes[:1]
    lane.counts.lose("queue_full", 3)
    (point,) = nemo_lens_metrics.points()["nemo.lens.export.lost"]
    assert point.value == 3
    assert point.attributes["nemo.lens.reason"] == "queue_full"
