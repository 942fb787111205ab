# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a collector says in its answers, whatever it really sends."""

from __future__ import annotations

import json
import time
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.sdk.exporters.answers import (
    PartialSuccess,
    partial_success_of_body,
    wait_of_header,
    wait_of_trailers,
)

SIGNALS = {
    "traces": "rejectedSpans",
    "metrics": "rejectedDataPoints",
    "logs": "rejectedLogRecords",
}


@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("as_number", [int, str])
def test_partial_success_is_read_from_json(signal, as_number):
    """Collectors write 64-bit integers as text, as the mapping of protobuf has it, or as numbers."""
    told = {"partialSuccess": {SIGNALS[signal]: as_number(4), "errorMessage": "full"}}
    body = json.dumps(told).encode()
    found = partial_success_of_body(signal, body, "application/json; charset=utf-8")
    assert found == PartialSuccess(4, "full")


@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize(
    "body", [b"", b"{}", b'{"partialSuccess": {}}', b'{"partialSuccess": null}']
)
def test_an_answer_that_rejects_nothing_is_a_plain_success(signal, body):
    """Most are empty."""
    assert partial_success_of_body(signal, body, "application/json") == PartialSuccess()


@given(
    st.binary(), st.sampled_from(sorted(SIGNALS)), st.sampled_from(["application/json", "", "x"])
)
def test_any_body_is_read_without_an_error(body, signal, kind):
    """A proxy may answer with a page of its own."""
    assert partial_success_of_body(signal, body, kind).rejected >= 0


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        (None, 0, 0),
        ("0", 0, 0),
        ("2", 2, 2),
        (" 1.5 ", 1.5, 1.5),
        ("-3", 0, 0),
        ("nan", 0, 0),
        ("inf", 0, 0),
        ("86400", 300, 300),
        ("soon", 0, 0),
    ],
)
def test_a_collector_may_ask_for_seconds(value, least, most):
    """Never for longer than five minutes."""
    assert least <= wait_of_header(value) <= most


@pytest.mark.parametrize(("ahead_s", "least", "most"), [(200, 100, 200), (-200, 0, 0)])
def test_a_collector_may_ask_for_a_date(ahead_s, least, most):
    """One that is past asks for no wait."""
    date = formatdate(time.time() + ahead_s, usegmt=True)
    assert least <= wait_of_header(date) <= most


@given(st.text())
def test_any_retry_after_is_a_bounded_wait(value):
    """Garbage asks for none."""
    assert 0 <= wait_of_header(value) <= 300


@pytest.mark.parametrize("error", [ValueError("no trailers"), None])
def test_errors_without_trailers_ask_for_no_wait(error):
    """Neither do statuses without `RetryInfo`."""
    assert wait_of_trailers(error) == 0
