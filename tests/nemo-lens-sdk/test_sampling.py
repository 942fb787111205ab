# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The rank sampler as OpenTelemetry sees it."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Decision
from opentelemetry.trace import NonRecordingSpan, SpanContext
from opentelemetry.trace.span import TraceState

from nemo.lens.sampling import RankAwareSampler
from nemo.lens.sdk.strategies import rank_hash


def test_a_rank_is_selected_by_the_same_hash_as_the_strategy():
    """The md5 rule that has always been used."""
    for rank in range(50):
        decision = RankAwareSampler(rank, 50, 0.3).should_sample(None, 1, "s").decision
        assert (decision is Decision.RECORD_AND_SAMPLE) == (rank_hash(rank) < 0.3)


def test_a_dropped_span_keeps_the_trace_state_of_its_parent():
    """Samplers downstream rely on it."""
    state = TraceState([("vendor", "1")])
    parent = NonRecordingSpan(SpanContext(1, 2, is_remote=True, trace_state=state))
    context = trace.set_span_in_context(parent)
    result = RankAwareSampler(0, 1, 0.0).should_sample(context, 1, "s")
    assert (result.decision, result.trace_state) == (Decision.DROP, state)


def test_a_selected_rank_asks_the_delegate_and_keeps_its_answer():
    """Attributes given to the span reach the result, as the delegate says."""
    result = RankAwareSampler(0, 1, 1.0).should_sample(None, 1, "s", attributes={"a": 1})
    assert dict(result.attributes) == {"a": 1}
    off = RankAwareSampler(0, 1, 1.0, ALWAYS_OFF)
    assert off.should_sample(None, 1, "s").decision is Decision.DROP
    assert "AlwaysOff" in off.get_description()


def test_the_compatibility_module_has_only_the_sampler():
    """Anything else is an ordinary AttributeError."""
    import nemo.lens.sampling

    with pytest.raises(AttributeError, match="has no attribute 'Nope'"):
        _ = nemo.lens.sampling.Nope
