# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The seam: who builds the spans that the helpers decide on."""

from contextlib import nullcontext
from unittest import mock

import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind

from nemo.lens.helpers import SpanOptions, managed_span, span_attributes, span_cm, trace_fn
from nemo.lens.spans.span_factory import install_span_factory
from nemo.lens.testing import RecordingTracerProvider


@pytest.fixture
def spans(nemo_lens_recorder, nemo_lens_groups):
    """Record spans of the group `step`."""
    nemo_lens_groups("step")
    return nemo_lens_recorder


@pytest.fixture
def factory(spans):
    """Install a factory that builds a marker object in the place of each span."""
    factory = mock.Mock(side_effect=lambda *_: nullcontext("fast"))
    install_span_factory(factory)
    return factory


def test_every_helper_asks_the_installed_factory(spans, factory):
    """With a settled name, attributes that may be kept, the tracer and the options."""
    tracer = spans.get_tracer("mine")
    with managed_span("step", b"m", tracer, x=1) as span, span_cm("c") as other:
        trace_fn("step", "t")(lambda: None)()
    assert (span, other) == ("fast", "fast")
    assert factory.call_args_list == [
        mock.call("m", {"x": 1}, tracer, None),
        mock.call("c", {}, None, None),
        mock.call("t", {}, None, None),
    ]
    assert spans.started == []


def test_scope_attributes_and_options_are_settled_before(factory):
    """The factory sees the merged attributes and the options object."""
    options = SpanOptions(kind=SpanKind.CLIENT, attributes={"lazy": 1, "prompt": "p"})
    with span_attributes({"scope": 1}), managed_span("step", "m", _span=options, x=2):
        pass
    (_, attributes, _, given), _ = factory.call_args
    assert attributes == {"scope": 1, "lazy": 1, "prompt": "[REDACTED]", "x": 2}
    assert given.kind is SpanKind.CLIENT


def test_the_attributes_of_one_call_are_not_shared_with_the_next(factory):
    """A factory may keep and change the dictionary."""
    decorated = trace_fn("step", "t")(lambda: None)
    manager = span_cm("c", x=1)
    for _ in range(2):
        decorated()
        with manager:
            pass
    given = [call.args[1] for call in factory.call_args_list]
    assert len({id(attributes) for attributes in given}) == len(given)


def test_what_the_factory_declines_is_built_by_the_plain_one(spans):
    """None means "not mine"."""
    install_span_factory(lambda *_: None)
    with managed_span("step", "a"):
        pass
    assert spans.names() == ["a"]


def test_a_patched_get_tracer_beats_the_factory(factory):
    """A test that patches it wants to see its spans."""
    with mock.patch("nemo.lens.helpers.trace.get_tracer") as get_tracer, managed_span("step", "a"):
        pass
    get_tracer.return_value.start_span.assert_called_once_with("a")
    factory.assert_not_called()
    with managed_span("step", "b") as span:
        assert span == "fast"


def test_the_factory_is_asked_only_for_its_own_provider(factory):
    """Another global provider is served by the plain factory."""
    other = RecordingTracerProvider()
    with mock.patch.object(trace, "_TRACER_PROVIDER", other), managed_span("step", "a"):
        pass
    assert other.names() == ["a"]
    factory.assert_not_called()


def test_a_factory_may_be_installed_before_its_provider_is_the_global_one(spans):
    """It is asked from then on."""
    coming = RecordingTracerProvider()
    install_span_factory(lambda *_: nullcontext("fast"), coming)
    with managed_span("step", "a") as span:
        assert span != "fast"
    with mock.patch.object(trace, "_TRACER_PROVIDER", coming), managed_span("step", "b") as span:
        assert span == "fast"


def test_none_brings_the_plain_factory_back(spans, factory):
    """As set-up does at shutdown."""
    install_span_factory(None)
    with managed_span("step", "a"):
        pass
    assert spans.names() == ["a"]


def test_a_factory_that_raises_is_replaced_for_that_span(spans):
    """The plain factory serves the span, and the failure is counted."""
    from nemo.lens.spans.discards import discarded

    install_span_factory(mock.Mock(side_effect=OSError))
    with managed_span("step", "a"):
        pass
    assert spans.names() == ["a"]
    assert discarded() == {"tracer failure": 1}
