# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A trace context survives the way through tensor buffers, and garbage does no harm."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import context, trace

from nemo.lens.contrib.nccl import (
    MAX_CONTEXT_BYTES,
    deserialize_context,
    extract_nccl_context,
    serialize_context,
)

TRACE_ID, SPAN_ID = 0xA5 << 120, 0xB7


@pytest.fixture
def current_span():
    """Make a sampled span context current."""
    span = trace.NonRecordingSpan(
        trace.SpanContext(TRACE_ID, SPAN_ID, is_remote=False, trace_flags=trace.TraceFlags(1))
    )
    token = context.attach(trace.set_span_in_context(span))
    yield span
    context.detach(token)


@pytest.mark.usefixtures("current_span")
@pytest.mark.parametrize(
    "buffer",
    [
        bytes,
        bytearray,
        memoryview,
        lambda data: np.frombuffer(data, dtype=np.uint8),
        lambda data: data.ljust(512, b"\0"),
        lambda data: np.frombuffer(bytearray(data.ljust(512, b"\0")), dtype=np.uint8),
    ],
    ids=["bytes", "bytearray", "memoryview", "numpy", "padded", "padded-numpy"],
)
def test_every_kind_of_buffer_gives_the_sender_back(buffer):
    """Receivers preallocate, pad and use other types; the parent is the sender's span."""
    received = extract_nccl_context(buffer(serialize_context()))
    parent = trace.get_current_span(received).get_span_context()
    assert (parent.trace_id, parent.span_id) == (TRACE_ID, SPAN_ID)


def test_without_a_span_the_payload_is_an_empty_object():
    """An empty carrier decodes as such."""
    assert serialize_context() == b"{}"
    assert deserialize_context(b"{}") == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[1,2]",
        b"5",
        b"null",
        b'"x"',
        b'{"traceparent": 5}',
        b"{",
        b"\0" * 64,
        None,
        7,
        "text",
        b'{"a":"' + b"x" * MAX_CONTEXT_BYTES + b'"}',
        b"[" * 5000,
    ],
)
def test_anything_else_is_no_context(data):
    """Garbage gives None, and the current context stays what it is."""
    assert deserialize_context(data) is None
    assert extract_nccl_context(data) == context.get_current()


@given(
    st.binary(max_size=64)
    | st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ).map(lambda value: json.dumps(value).encode())
)
def test_decoding_never_raises(data):
    """The result is a flat mapping of text or None, whatever the bytes are."""
    carrier = deserialize_context(data)
    assert carrier is None or all(isinstance(value, str) for value in carrier.values())
