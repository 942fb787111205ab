# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which endpoints and headers of OTLP exporters are good."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.configuration.otlp_value_types import Endpoint, Headers, headers_for_grpc
from nemo.lens.configuration.problems import bad_value

TEXTS = st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape"))
PAIRS = st.lists(
    st.one_of(
        st.from_regex(r"[a-z]{1,4}=[a-z0-9 ]{0,4}", fullmatch=True),
        st.text("ab=%0A1,;\u20ac\\", max_size=8),
    )
).map(",".join)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://collector:4318",
        "HTTPS://api.example.test/otlp?team=a",
        "http://user:password@[::1]:4317/",
        "collector:4317",
        "collector",
        "::1",
        "unix:/run/otel.sock",
        "unix:///run/otel.sock",
        "dns:///collector:4317",
        "ipv4:10.0.0.1:4317,10.0.0.2:4317",
    ],
)
def test_urls_and_targets_of_grpc_are_endpoints(endpoint):
    """Blanks around them do not matter."""
    assert Endpoint().parse(f" {endpoint} ") == endpoint


@pytest.mark.parametrize(
    "text",
    [
        "http://",
        "https:///path",
        "http://h:port",
        "http://h:99999",
        "http://h:0",
        "http://[::1",
        "not a url",
        "http://a b",
        "h\n:1",
        "http://\udcff",
        "//[",
    ],
)
def test_what_nobody_can_connect_to_is_no_endpoint(text):
    """OpenTelemetry would raise at set-up, or fail at every export."""
    with pytest.raises(ValueError, match=r".*"):
        Endpoint().parse(text)


@given(TEXTS)
def test_any_text_is_an_endpoint_or_a_value_error(text):
    """Whatever a shell left there; what is accepted stays as it is."""
    try:
        endpoint = Endpoint().parse(text)
    except ValueError:
        return
    assert Endpoint().parse(endpoint) == endpoint


@pytest.mark.parametrize(
    ("text", "remains"),
    [
        ("a=b", "a=b"),
        ("a=b,c=d e, f = g==,", "a=b,c=d e, f = g==,"),
        ("Authorization=Bearer%20x", "Authorization=Bearer%20x"),
        ("a=caf%C3%A9", "a=caf%C3%A9"),
        ("a=", "a="),
        ("a", ""),
        ("a=b,c,d=e", "a=b,d=e"),
        ("=b,a b=c,x=y", "x=y"),
        ("a=b;c=d", ""),
        ("a=b%0Ac", ""),
        ("a%20b=c", ""),
        ("a=\u20ac", ""),
        ("a=%E2%82%AC", ""),
    ],
)
def test_good_headers_stay_and_bad_ones_go(text, remains):
    """As OpenTelemetry takes them apart, but for those that no transport can send."""
    assert Headers().remains(text) == remains


@pytest.mark.parametrize(
    ("text", "remains"),
    [
        ("a=b,C-d_e.f=g", "a=b,C-d_e.f=g"),
        ("a=caf%C3%A9,b=c", "b=c"),
        ("trace-bin=a,b=c", "b=c"),
        ("a!=b,b=c", "b=c"),
    ],
)
def test_grpc_sends_fewer_headers_than_http(text, remains):
    """Names in lower case, which they become, and values in ASCII."""
    assert headers_for_grpc(text) == remains


@given(TEXTS | PAIRS)
def test_what_remains_of_headers_is_good(text):
    """Taking the bad pairs out once is enough."""
    remains = Headers().remains(text)
    assert Headers().parse(remains) == remains
    assert headers_for_grpc(headers_for_grpc(text)) == headers_for_grpc(text)


def test_messages_do_not_show_headers_and_passwords():
    """Both are secrets."""
    assert "s3cret" not in bad_value(Headers(), "OTEL_EXPORTER_OTLP_HEADERS", "s3cret")
    told = bad_value(Endpoint(), "OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:s3cret@h:port")
    assert "s3cret" not in told
    assert "h:port" in told
