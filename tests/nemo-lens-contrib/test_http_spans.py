# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans of HTTP requests hold no query strings and no credentials, on whatever way they come in."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

from nemo.lens.contrib.http_spans import (
    HttpTracerProvider,
    hide_url_secrets,
    without_query,
    without_url_secrets,
)

URL = "http://user:pa55@host:80/path?token=s3cret#end"


@pytest.fixture
def tracer(nemo_lens_recorder):
    return HttpTracerProvider({"service.name": "math"}).get_tracer("scope", "1")


def test_samplers_and_processors_never_see_a_query(tracer, nemo_lens_recorder):
    """It is gone before the span is started; other attributes are untouched."""
    attributes = {"http.url": URL, "url.query": "token=s3cret", "http.method": "GET"}
    tracer.start_span("GET", kind=SpanKind.CLIENT, attributes=attributes).end()
    assert nemo_lens_recorder.span("GET").attributes == {
        "http.url": "http://host:80/path",
        "http.method": "GET",
        "service.name": "math",
    }


def test_tracers_from_before_set_up_work_after_it():
    """The global provider of the moment counts."""
    assert not HttpTracerProvider().get_tracer("scope").start_span("early").is_recording()


def test_a_failed_request_is_recorded_without_the_url(tracer, nemo_lens_recorder):
    """Message, stack trace and status."""

    def request():
        with tracer.start_as_current_span("GET", kind=SpanKind.CLIENT):
            raise ConnectionError(f"cannot connect to {URL}")

    with pytest.raises(ConnectionError):
        request()
    span = nemo_lens_recorder.span("GET")
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "cannot connect to http://host:80/path?[REDACTED]"
    (event,) = span.events
    assert event.attributes["exception.type"] == "ConnectionError"
    assert "s3cret" not in repr(event.attributes) + repr(span.status)
    assert not trace.get_current_span().get_span_context().is_valid


def test_a_cancelled_request_is_marked(tracer, nemo_lens_recorder):
    """As the spans of `managed_span` are."""

    def request():
        with tracer.start_as_current_span("GET", kind=SpanKind.CLIENT):
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        request()
    assert nemo_lens_recorder.span("GET").attributes["nemo.span.cancelled"] is True


def test_what_is_set_later_on_a_client_span_is_cleaned_too(tracer, nemo_lens_recorder):
    """Everything else reaches the span behind it."""
    span = tracer.start_span("GET", kind=SpanKind.CLIENT)
    span.set_attribute("url.full", URL)
    span.set_attributes({"url.query": "s3cret", "http.status_code": 200})
    span.record_exception(ValueError(URL))
    span.add_event("retry", {"n": 1})
    span.add_link(span.get_span_context())
    span.update_name("POST")
    span.set_status(StatusCode.OK)
    assert span.is_recording()
    assert span.name == "POST"
    span.end()
    recorded = nemo_lens_recorder.span("POST")
    assert recorded.attributes["url.full"] == "http://host:80/path"
    assert recorded.attributes["http.status_code"] == 200
    assert "s3cret" not in repr([recorded.attributes, recorded.events])
    assert [event.name for event in recorded.events] == ["exception", "retry"]
    assert recorded.links[0].context == recorded.context


def test_a_servers_span_is_the_one_of_the_provider(tracer, nemo_lens_recorder):
    """Applications may look for the type of the SDK; the hook cleans what is set later."""
    span = tracer.start_span("GET /", kind=SpanKind.SERVER)
    span.set_attributes({"http.target": "/path?token=s3cret", "url.query": "s3cret", "a": "b?c"})
    hide_url_secrets(span, {})
    assert span.attributes["http.target"] == "/path"
    assert span.attributes["url.query"] == ""
    assert span.attributes["a"] == "b?c"
    span.end()
    assert span is nemo_lens_recorder.span("GET /")


def test_the_hook_ignores_spans_that_record_nothing():
    """Before set-up there is no other."""
    hide_url_secrets(trace.INVALID_SPAN, {})


@given(st.text(), st.text(alphabet="abcdefgh=&%1", min_size=1))
def test_no_query_survives_in_a_text(before, query):
    """Wherever the URL stands."""
    secret = f"Z{query}Z"
    assert secret not in without_query(f"{before}http://host/path?{secret} {before}")
    assert secret not in repr(without_url_secrets({"http.url": f"http://host/?{secret}"}))
