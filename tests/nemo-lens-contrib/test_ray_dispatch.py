# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the fakes have the methods of what they stand for
"""The caller's side of a remote call, with a stand-in for Ray's remote functions."""

import pytest
from opentelemetry import context, trace

from nemo.lens.contrib.ray import (
    extract_ray_context,
    inject_ray_context,
    ray_dispatch_with_context,
)


class RemoteFunction:
    """Answers with what it was called with."""

    def remote(self, *args, **kwargs):
        return args, kwargs


def test_the_current_context_travels_as_one_keyword(nemo_lens_recorder):
    """Arguments are passed on as they are, and the reference is returned."""
    with trace.get_tracer("t").start_as_current_span("caller") as span:
        args, kwargs = ray_dispatch_with_context(RemoteFunction(), 1, x=2)
    carrier = kwargs.pop("_otel_carrier")
    assert (args, kwargs) == ((1,), {"x": 2})
    parent = trace.get_current_span(extract_ray_context(carrier)).get_span_context()
    assert parent.span_id == span.get_span_context().span_id


def test_a_given_carrier_wins(nemo_lens_recorder):
    """Also an empty one, which keeps the call out of the trace."""
    with trace.get_tracer("t").start_as_current_span("caller"):
        for carrier in ({}, {"traceparent": "x"}):
            _, kwargs = ray_dispatch_with_context(RemoteFunction(), _carrier=carrier)
            assert kwargs["_otel_carrier"] is carrier


def test_without_a_span_the_carrier_is_empty():
    """Nothing to send, nothing sent."""
    assert inject_ray_context() == {}


@pytest.mark.parametrize("carrier", [None, {}, {"traceparent": None}, {"traceparent": 5}, [], "x"])
def test_what_holds_no_context_gives_the_current_one(carrier):
    """Never raises."""
    assert extract_ray_context(carrier) == context.get_current()
