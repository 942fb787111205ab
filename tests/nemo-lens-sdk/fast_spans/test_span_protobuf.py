# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Directly written protobuf and JSON against the messages of the official encoder."""

from __future__ import annotations

import pytest
from harness import observed
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans as official
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.trace.span import TraceState
from programs import PROGRAMS

from nemo.lens.sdk.exporters import span_protobuf
from nemo.lens.sdk.exporters.span_protobuf import EncodedSpans, encode_spans, encoded_request
from nemo.lens.sdk.files import encoding as json_encoding

# Attributes that only the official encoder takes.
_ODD = {"attributes_set_in_the_body"}

_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=200)
_scalar = st.one_of(_text, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats())
_value = st.one_of(
    _scalar,
    st.lists(_text, max_size=3),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3).map(tuple),
    st.lists(st.floats(), max_size=3),
    st.lists(st.booleans(), max_size=3),
)
_attributes = st.dictionaries(_text.filter(bool), _value, max_size=5)
_context = st.builds(
    SpanContext,
    trace_id=st.integers(1, 2**128 - 1),
    span_id=st.integers(1, 2**64 - 1),
    is_remote=st.booleans(),
    trace_flags=st.sampled_from([TraceFlags(0), TraceFlags(1), TraceFlags(3)]),
    trace_state=st.sampled_from([TraceState(), TraceState([("a", "1"), ("b", "2")])]),
)
_time = st.integers(0, 2**64 - 1)
_resources = [
    Resource({"service.name": "one", "list": [1, 2]}, "https://example.test/resource"),
    Resource({"service.name": "one", "list": [1, 2]}, "https://example.test/resource"),
    Resource({"service.name": "two"}),
]
_scopes = [
    InstrumentationScope("lib", "1.0", "https://example.test/scope", {"key": True}),
    InstrumentationScope("lib", "1.0", "https://example.test/scope", {"key": True}),
    InstrumentationScope("other"),
    None,
]
_span = st.builds(
    ReadableSpan,
    name=_text,
    context=_context,
    parent=st.one_of(st.none(), _context),
    resource=st.sampled_from(_resources),
    attributes=_attributes,
    events=st.lists(st.builds(Event, _text, _attributes, _time), max_size=2),
    links=st.lists(st.builds(Link, _context, _attributes), max_size=2),
    kind=st.sampled_from(list(SpanKind)),
    status=st.one_of(
        st.just(Status()),
        st.just(Status(StatusCode.OK)),
        st.builds(Status, st.just(StatusCode.ERROR), _text),
    ),
    start_time=_time,
    end_time=_time,
    instrumentation_scope=st.sampled_from(_scopes),
)


def _one_span(**fields):
    context = SpanContext(1, 2, is_remote=False, trace_flags=TraceFlags(1))
    return ReadableSpan(
        **{"name": "s", "context": context, "resource": _resources[2], "start_time": 1, **fields}
    )


def _parsed(encoded):
    """Parse a request; older official encoders leave out what scopes tell beside their names."""
    request = ExportTraceServiceRequest.FromString(encoded)
    for block in request.resource_spans:
        for scope in block.scope_spans:
            if not _OFFICIAL_SCOPE.schema_url:
                scope.ClearField("schema_url")
            if not _OFFICIAL_SCOPE.scope.attributes:
                scope.scope.ClearField("attributes")
    return request


_SPAN_OF_SCOPE = _one_span(instrumentation_scope=_scopes[0])
_OFFICIAL_SCOPE = official([_SPAN_OF_SCOPE]).resource_spans[0].scope_spans[0]


@settings(max_examples=150, deadline=None)
@given(st.lists(_span, max_size=4))
def test_any_spans_parse_into_the_official_message(spans):
    """Whatever the spans hold, the collector reads what the official encoder would have sent."""
    assert str(_parsed(encoded_request(spans))) == str(official(spans))


@pytest.mark.parametrize("name", PROGRAMS.keys() - _ODD)
def test_fast_spans_parse_into_the_message_of_the_sdks_spans(nemo_lens_isolated, name):
    """Bytes from fast spans equal the official message of the stock SDK's spans."""
    expected = observed(PROGRAMS[name], fast=False, pipeline=False).spans
    actual = observed(PROGRAMS[name], fast=True, pipeline=False).spans
    message = str(official(expected))
    assert str(_parsed(encoded_request(actual))) == message
    assert str(official(actual)) == message


@pytest.mark.parametrize("name", PROGRAMS.keys() - _ODD)
def test_fast_spans_are_written_to_files_as_the_sdks_spans_are(nemo_lens_isolated, name):
    """The line of a run file is the same text."""
    expected = observed(PROGRAMS[name], fast=False, pipeline=False).spans
    actual = observed(PROGRAMS[name], fast=True, pipeline=False).spans
    assert json_encoding.encode_spans(actual, "") == json_encoding.encode_spans(expected, "")


@pytest.mark.parametrize("name", sorted(_ODD))
def test_unusual_spans_go_to_the_official_encoder(nemo_lens_isolated, name):
    """What is written directly is what is usual; the rest ends as it always did."""
    actual = observed(PROGRAMS[name], fast=True, pipeline=False).spans
    encoded = encode_spans(actual)
    assert not isinstance(encoded, EncodedSpans)
    assert encoded == official(actual)


@pytest.mark.parametrize(
    "value", [2**63, -(2**63) - 1, [[1]], [None, 1], b"raw", {"a": 1}, [1, {"b": 2}]]
)
def test_an_unusual_value_goes_to_the_official_encoder(value):
    """Mappings, bytes, nested lists and large integers are the official encoder's business."""
    span = _one_span(attributes={"x": value})
    encoded = encode_spans([span])
    assert not isinstance(encoded, EncodedSpans)
    assert encoded == official([span])


def test_usual_spans_are_bytes_at_once():
    """The exporters serialise what is bytes already."""
    encoded = encode_spans([_one_span(attributes={"x": 1})])
    assert isinstance(encoded, EncodedSpans)
    assert encoded.SerializeToString() == encoded.SerializePartialToString()


def test_a_lone_surrogate_fails_as_in_the_official_encoder():
    """Then the sink repairs the batch, as before."""
    span = _one_span(attributes={"x": "bad \udcff"}, name="bad \udcff")
    with pytest.raises(UnicodeEncodeError):
        official([span])
    with pytest.raises(UnicodeEncodeError):
        encode_spans([span])


def test_names_made_from_data_do_not_fill_the_memory():
    """Encoded names and keys are remembered up to a bound, and long ones not at all."""
    for number in range(span_protobuf._MOST_CACHED + 10):
        encoded_request([_one_span(name=f"n{number}", attributes={f"k{number}": 1})])
    assert len(span_protobuf._heads) <= span_protobuf._MOST_CACHED
    assert len(span_protobuf._keys) <= span_protobuf._MOST_CACHED
    span_protobuf._heads.clear()
    encoded_request([_one_span(name="x" * 1000)])
    assert not span_protobuf._heads


def test_long_texts_and_many_spans_have_long_lengths():
    """Lengths beyond the table are written as well."""
    spans = [_one_span(attributes={"x": "y" * size}) for size in (125, 126, 127, 128, 5000, 70000)]
    assert _parsed(encoded_request(spans)) == official(spans)
