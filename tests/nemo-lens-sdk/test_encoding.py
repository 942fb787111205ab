# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The span encoder against the official one, and its strictness."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans as encode_official
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.trace.span import TraceState

from nemo.lens.sdk.files.encoding import encode_resource, encode_spans, to_bytes
from nemo.lens.spans import span_names

_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
_int64 = st.integers(-(2**63), 2**63 - 1)
_scalar = st.one_of(_text, st.booleans(), _int64, st.floats())
_value = st.one_of(
    _scalar,
    st.lists(_text, max_size=3),
    st.lists(_int64, max_size=3),
    st.lists(st.floats(), max_size=3),
    st.lists(st.booleans(), max_size=3),
)
_attributes = st.dictionaries(_text.filter(bool), _value, max_size=4)
_state = st.sampled_from([TraceState(), TraceState([("a", "1"), ("b", "2")])])
_context = st.builds(
    SpanContext,
    trace_id=st.integers(1, 2**128 - 1),
    span_id=st.integers(1, 2**64 - 1),
    is_remote=st.booleans(),
    trace_flags=st.sampled_from([TraceFlags(0), TraceFlags(1), TraceFlags(3)]),
    trace_state=_state,
)
# The official encoder leaves the trace state of links out, so that is a test of its own.
_linked = st.builds(
    SpanContext,
    trace_id=st.integers(1, 2**128 - 1),
    span_id=st.integers(1, 2**64 - 1),
    is_remote=st.booleans(),
)
_time = st.integers(0, 2**63 - 1)
_RESOURCE = Resource({"service.name": "qa", "nv.dl.rank": 3}, "https://example.test/schema")
# The official encoder writes attributes and schema URLs of scopes in newer versions only.
_SCOPE = InstrumentationScope("lib", "1.0")
_span = st.builds(
    ReadableSpan,
    name=_text,
    context=_context,
    parent=st.one_of(st.none(), _context),
    resource=st.just(_RESOURCE),
    attributes=_attributes,
    events=st.lists(st.builds(Event, _text, _attributes, _time), max_size=2),
    links=st.lists(st.builds(Link, _linked, _attributes), max_size=2),
    kind=st.sampled_from(list(SpanKind)),
    status=st.one_of(
        st.just(Status()),
        st.just(Status(StatusCode.OK)),
        st.builds(Status, st.just(StatusCode.ERROR), _text),
    ),
    start_time=_time,
    end_time=_time,
    instrumentation_scope=st.sampled_from([_SCOPE, InstrumentationScope("other")]),
)


def _encode(spans):
    return encode_spans(spans, encode_resource(_RESOURCE))


def _one_span(**fields):
    context = SpanContext(1, 2, is_remote=False, trace_flags=TraceFlags(1))
    return ReadableSpan(
        **{
            "name": "s",
            "context": context,
            "resource": _RESOURCE,
            "instrumentation_scope": _SCOPE,
            "start_time": 1,
            "end_time": 2,
            **fields,
        }
    )


def _content(span):
    line = to_bytes(_encode([span]))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line, parse_constant=pytest.fail)["resourceSpans"][0]["scopeSpans"][0]


@settings(max_examples=100, deadline=None)
@given(st.lists(_span, min_size=1, max_size=3))
def test_the_official_parser_reads_what_the_official_encoder_wrote(receiver, spans):
    """Every span parses back into the official encoder's message, field by field."""
    ours = receiver.parse_otlp_json(_encode(spans), ExportTraceServiceRequest())
    official = encode_official(spans)
    # As text, because messages that hold NaN are never equal.
    assert str(ours) == str(official)


@pytest.mark.parametrize(
    ("number", "written"),
    [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity"), (1.5, 1.5)],
)
def test_numbers_that_json_lacks_are_text(number, written):
    """NaN and the infinities are written as OTLP-JSON wants them."""
    (attribute,) = _content(_one_span(attributes={"x": number}))["spans"][0]["attributes"]
    assert attribute["value"] == {"doubleValue": written}


def test_an_integer_beyond_64_bits_is_kept_as_text():
    """What the protocol cannot carry as a number does not cost the batch."""
    (attribute,) = _content(_one_span(attributes={"x": 2**70}))["spans"][0]["attributes"]
    assert attribute["value"] == {"stringValue": str(2**70)}


def test_a_lone_surrogate_becomes_a_question_mark():
    """No JSON reader accepts a lone surrogate."""
    block = _content(_one_span(name="bad\udcff", attributes={"k\ud800": "v\udfff"}))
    assert block["spans"][0]["name"] == "bad?"
    assert block["spans"][0]["attributes"] == [{"key": "k?", "value": {"stringValue": "v?"}}]


def test_a_name_that_is_no_text_is_written_out():
    """A name of another type costs neither the span nor the batch."""
    assert _content(_one_span(name=7))["spans"][0]["name"] == "7"


def test_spans_of_one_group_share_a_block_whose_scope_names_it():
    """The group of a span is an attribute of its block's scope, not of the span."""
    span_names.note("step.one", "step")
    spans = [_one_span(name="step.one"), _one_span(name="other"), _one_span(name="step.one")]
    blocks = json.loads(_encode(spans))["resourceSpans"][0]["scopeSpans"]
    by_group = {
        next(
            (
                pair["value"]["stringValue"]
                for pair in block["scope"].get("attributes", ())
                if pair["key"] == "nemo.span.group"
            ),
            None,
        ): [span["name"] for span in block["spans"]]
        for block in blocks
    }
    assert by_group == {"step": ["step.one", "step.one"], None: ["other"]}
    assert all("attributes" not in span for block in blocks for span in block["spans"])


def test_attributes_and_schema_url_of_a_scope_are_written():
    """Beside the group, in the scope of the block."""
    scope = InstrumentationScope("lib", "1.0", "https://example.test/scope", {"scope.key": True})
    block = _content(_one_span(instrumentation_scope=scope))
    assert block["schemaUrl"] == "https://example.test/scope"
    assert block["scope"]["attributes"] == [{"key": "scope.key", "value": {"boolValue": True}}]


def test_the_trace_state_of_a_link_is_written():
    """The protocol has a field for it."""
    state = TraceState([("a", "1"), ("b", "2")])
    context = SpanContext(3, 4, is_remote=True, trace_state=state)
    (link,) = _content(_one_span(links=[Link(context)]))["spans"][0]["links"]
    assert link["traceState"] == "a=1,b=2"
