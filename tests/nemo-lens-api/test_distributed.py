# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Linked spans, and the broadcast without torch; with real torch it is an integration test."""

import pytest
from opentelemetry import trace
from opentelemetry.trace import Link, SpanContext, SpanKind, TraceFlags

from nemo.lens.distributed import BROADCAST_BYTES, _packed, _unpacked, create_linked_span
from nemo.lens.distributed import broadcast_trace_context as broadcast
from nemo.lens.helpers import SpanOptions, managed_span
from nemo.lens.propagation import extract_context

TRACEPARENT = f"00-{'a' * 32}-{'b' * 16}-01"
REMOTE = SpanContext(int("a" * 32, 16), int("b" * 16, 16), True, TraceFlags(1))


class TestLinkedSpan:
    """A span that links to one of another process."""

    @pytest.mark.parametrize(
        "remote",
        [
            {"remote_carrier": {"traceparent": TRACEPARENT}},
            {"remote_context": extract_context({"traceparent": TRACEPARENT})},
            {
                "remote_context": extract_context({"traceparent": TRACEPARENT}),
                "remote_carrier": {"traceparent": "looked at only without a context"},
            },
        ],
    )
    def test_a_valid_remote_span_becomes_a_link(self, nemo_lens_recorder, remote):
        """The parent is the current span, and the span is not made current."""
        tracer = nemo_lens_recorder.get_tracer("t")
        with tracer.start_as_current_span("parent") as parent:
            span = create_linked_span(tracer, "linked", rank=1, prompt="p", **remote)
            assert trace.get_current_span() is parent
        assert span.is_recording()
        assert [link.context for link in span.links] == [REMOTE]
        assert span.parent == parent.context
        assert span.attributes == {"rank": 1, "prompt": "[REDACTED]"}

    @pytest.mark.parametrize("carrier", [None, {}, {"traceparent": "x"}, {"traceparent": None}, 5])
    def test_without_one_there_is_no_link(self, nemo_lens_recorder, nemo_lens_groups, carrier):
        """Not even to the current span."""
        nemo_lens_groups("step")
        with managed_span("step", "current"):
            span = create_linked_span(None, "linked", remote_carrier=carrier)
        assert span.links == []
        assert span.instrumentation_scope.name == "nemo.lens"

    def test_options_are_understood(self, nemo_lens_recorder):
        """As by every helper."""
        own = Link(SpanContext(1, 2, is_remote=True, trace_flags=TraceFlags(1)))
        span = create_linked_span(
            None,
            "linked",
            remote_carrier={"traceparent": TRACEPARENT},
            kind=SpanKind.CONSUMER,
            _span=SpanOptions(links=[own]),
        )
        assert span.kind is SpanKind.CONSUMER
        assert [link.context for link in span.links] == [own.context, REMOTE]

    def test_it_works_without_a_provider(self):
        """A span that records nothing."""
        create_linked_span(None, "linked", remote_carrier={"traceparent": TRACEPARENT}).end()


class TestBroadcast:
    """What can be said without torch."""

    def test_without_torch_there_is_nothing_to_share(self):
        """None, and torch is not imported for it."""
        import sys

        assert broadcast(0) is None
        assert "torch" not in sys.modules

    @pytest.mark.parametrize(
        "carrier",
        [{}, {"traceparent": TRACEPARENT}, {"traceparent": TRACEPARENT, "tracestate": "a=b"}],
    )
    def test_a_carrier_is_packed_into_a_fixed_size(self, carrier):
        """Every rank knows the size beforehand."""
        packed = _packed(carrier)
        assert len(packed) == BROADCAST_BYTES
        assert _unpacked(packed) == carrier

    def test_what_does_not_fit_is_left_out_in_order_of_importance(self):
        """Baggage first, then trace state, never the parent."""
        base = {"traceparent": TRACEPARENT}
        state = {**base, "tracestate": "a=b"}
        assert _unpacked(_packed({**state, "baggage": "k=v," * 500})) == state
        assert _unpacked(_packed({**base, "tracestate": "a" * 2000, "baggage": "k=v"})) == base
        assert _unpacked(_packed({"unknown": "x" * 2000})) == {}
