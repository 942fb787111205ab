# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans of HTTP requests hold no query strings and no credentials, on whatever way they come in."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode

from nemo.lens.contrib.http_spans import (
    HttpTracer,
    HttpTracerProvider,
    without_query,
    without_url_secrets,
)
from nemo.lens.spans.redaction import set_added_redact_keys
from nemo.lens.testing import RecordedSpan, RecordingTracerProvider

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


def test_a_span_passes_for_the_one_of_the_provider(tracer, nemo_lens_recorder):
    """Applications may look for its type, and for what it has beyond the API."""
    with tracer.start_as_current_span("GET /", kind=SpanKind.SERVER):
        span = trace.get_current_span()
        span.set_attributes({"http.target": "/path?token=s3cret", "url.query": "s3", "a": "b?c"})
        assert isinstance(span, RecordedSpan)
        assert span.kind is SpanKind.SERVER
    assert nemo_lens_recorder.span("GET /").attributes == {
        "http.target": "/path",
        "a": "b?c",
        "service.name": "math",
    }


def test_captured_headers_hold_no_secrets(tracer, nemo_lens_recorder):
    """`OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_...` puts them on the span."""
    attributes = {
        "http.request.header.authorization": ["Bearer s3cret"],
        "http.request.header.x-api-key": ("s3cret", "s3cret"),
        "http.response.header.set_cookie": "id=s3cret",
        "http.request.header.referer": ["http://host/path?q=s3cret"],
        "http.request.header.accept": ["text/html", "*/*"],
    }
    tracer.start_span("GET", kind=SpanKind.CLIENT, attributes=attributes).end()
    recorded = nemo_lens_recorder.span("GET").attributes
    assert "s3cret" not in repr(recorded)
    assert [*recorded["http.request.header.referer"]] == ["http://host/path?[REDACTED]"]
    assert [*recorded["http.request.header.accept"]] == ["text/html", "*/*"]
    assert len(recorded["http.request.header.x-api-key"]) == 2


# What people write into URLs although it should be quoted; white space ends a URL in a text.
ODD = st.text(alphabet="aB1%3D=&'\"<>()[]{}?#/@:;,+$!*~|", min_size=1, max_size=20)
PASSWORD = ODD.map(lambda odd: f"Z{odd}Z").filter(lambda password: "//" not in password)
SENTENCE = st.sampled_from(["", "cannot connect to ", "url='", 'for url: URL("', "(see <", "\n"])


@given(SENTENCE, PASSWORD, ODD, st.sampled_from(["", "'", '")', ">)", "\nnext line", " (again)"]))
@pytest.mark.parametrize("kind", [SpanKind.CLIENT, SpanKind.SERVER, SpanKind.INTERNAL])
def test_no_secret_of_a_url_survives_an_exception(kind, before, password, query, after):
    """Whatever signs are in it, in status, message and stack trace, by every way to record it."""
    recorder = RecordingTracerProvider()
    wrapped = HttpTracer(recorder.get_tracer("t"), {})
    secrets = [password, f"Q{query}Q", f"F{query}F"]
    url = f"http://user:{password}@host:80/p?q=Q{query}Q&x#F{query}F"
    error = ConnectionError(f"{before}{url}{after}")

    def request(*, by_sdk):
        if by_sdk:  # as the instrumentations do for server spans
            with trace.use_span(wrapped.start_span("s", kind=kind), end_on_exit=True):
                raise error
        with wrapped.start_as_current_span("s", kind=kind):
            raise error

    for by_sdk in (True, False):
        with pytest.raises(ConnectionError):
            request(by_sdk=by_sdk)
    for span in recorder.spans:
        (event,) = span.events
        texts = [span.status.description, *map(str, event.attributes.values())]
        assert span.status.status_code is StatusCode.ERROR
        assert not [(secret, text) for secret in secrets for text in texts if secret in text]


def test_what_goes_wrong_is_still_told(tracer, nemo_lens_recorder):
    """Host, path and reason are no secrets."""
    span = tracer.start_span("GET", kind=SpanKind.SERVER)
    message = f"Max retries exceeded with url: {URL} (Caused by TimeoutError('timed out'))"
    span.set_status(Status(StatusCode.ERROR, message))
    span.end()
    assert nemo_lens_recorder.span("GET").status.description == (
        "Max retries exceeded with url: http://host:80/path?[REDACTED] "
        "(Caused by TimeoutError('timed out'))"
    )


def test_a_hidden_message_is_hidden_in_the_status_too(tracer, nemo_lens_recorder):
    """`<PREFIX>_REDACT_KEYS=exception.message` means every text of it."""
    set_added_redact_keys(["exception.message"])
    span = tracer.start_span("GET", kind=SpanKind.SERVER)
    span.set_status(Status(StatusCode.ERROR, "ValueError: private"))
    span.end()
    assert nemo_lens_recorder.span("GET").status.description == "[REDACTED]"


def test_an_exception_without_a_text_is_recorded(tracer, nemo_lens_recorder):
    """The caller sees it, not the one that its text raises."""

    class SilentError(Exception):
        def __str__(self):
            raise RuntimeError

    with pytest.raises(SilentError), tracer.start_span("GET", kind=SpanKind.CLIENT):
        raise SilentError
    (event,) = nemo_lens_recorder.span("GET").events
    assert event.attributes["exception.type"].endswith("SilentError")


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("'http://h/?q=hello world&sig=s3cret'", "'http://h/?[REDACTED]"),
        ("http://h/?q=a b c&x=1 2&sig=s3cret failed", "http://h/?[REDACTED] failed"),
        ("http://h/?q=1 failed & gone\na&b=c", "http://h/?[REDACTED] failed & gone\na&b=c"),
    ],
)
def test_a_raw_query_goes_on_behind_white_space(text, cleaned):
    """As far as a further parameter follows on the line."""
    assert without_query(text) == cleaned


@given(st.text(), st.text(alphabet="abcdefgh=&%1'\"<>", min_size=1))
def test_no_query_survives_in_a_text(before, query):
    """Wherever the URL stands."""
    secret = f"Z{query}Z"
    assert secret not in without_query(f"{before}http://host/path?{secret} {before}")
    assert secret not in repr(without_url_secrets({"http.url": f"http://host/?{secret}"}))
