# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A consumer of many producers' items links to each of them."""

from opentelemetry import trace

from nemo.lens.contrib.fan_in import MAX_LINKS, fan_in_span, links_to
from nemo.lens.propagation import inject_context


def produced(name):
    """Return the carrier of an item that a span of this name produced."""
    carrier = {}
    with trace.get_tracer("t").start_as_current_span(name):
        inject_context(carrier)
    return carrier


def test_a_batch_links_to_its_producers(nemo_lens_recorder, nemo_lens_groups):
    """It stays in its own trace; attributes and options are those of `managed_span`."""
    nemo_lens_groups("step")
    carriers = [produced(f"p{i}") for i in range(3)]
    consumer = {"kind": trace.SpanKind.CONSUMER}
    with fan_in_span("step", "train.batch", carriers, size=3, **consumer):
        pass
    batch = nemo_lens_recorder.span("train.batch")
    linked = [link.context.span_id for link in batch.links]
    assert linked == [nemo_lens_recorder.span(f"p{i}").context.span_id for i in range(3)]
    assert batch.parent is None
    assert batch.attributes == {"size": 3}
    assert batch.kind is trace.SpanKind.CONSUMER


def test_while_the_group_is_off_the_items_are_not_looked_at(nemo_lens_recorder):
    """Not even iterated over."""
    items = iter([produced("p")])
    with fan_in_span("step", "train.batch", items) as span:
        assert span is None
    assert list(items) != []


def test_one_link_for_each_producer(nemo_lens_recorder):
    """However many items it produced, and none for items without a context."""
    carrier = produced("p")
    contexts = [trace.set_span_in_context(trace.get_current_span())]
    assert len(links_to([carrier, dict(carrier), None, {}, {"traceparent": "x"}, *contexts])) == 1


def test_contexts_link_like_carriers(nemo_lens_recorder):
    """Within one process there is no need to serialise."""
    with trace.get_tracer("t").start_as_current_span("p") as span:
        context = trace.set_span_in_context(span)
    (link,) = links_to([context])
    assert link.context == span.get_span_context()


def test_the_number_of_links_is_bounded(nemo_lens_recorder):
    """A span with more links than OpenTelemetry keeps would lose the first ones."""
    assert len(links_to(produced(f"p{i}") for i in range(MAX_LINKS + 9))) == MAX_LINKS
