# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A consumer of many producers' items links to each of them."""

import itertools

import pytest
from opentelemetry import trace

from nemo.lens.contrib.fan_in import MAX_LINKS, fan_in_span, links_to
from nemo.lens.helpers import SpanOptions
from nemo.lens.propagation import extract_context, inject_context
from nemo.lens.spans.discards import discarded


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


def test_one_origin_by_itself_is_linked(nemo_lens_recorder, nemo_lens_groups):
    """It need not be put into a list."""
    nemo_lens_groups("step")
    carrier = produced("p")
    context = extract_context(carrier)
    for origin in (carrier, context):
        with fan_in_span("step", "train.batch", origin):
            pass
    links = [span.links for span in nemo_lens_recorder.spans if span.name == "train.batch"]
    assert [len(each) for each in links] == [1, 1]


def failing(carrier):
    """Yield one carrier, then raise."""
    yield carrier
    raise RuntimeError


@pytest.mark.parametrize("origins", [None, 5, object(), "text", b"x", {}, [None, 5], {"a": None}])
def test_what_names_no_producer_gives_no_link(nemo_lens_recorder, nemo_lens_groups, origins):
    """And the work goes on."""
    nemo_lens_groups("step")
    with fan_in_span("step", "train.batch", origins) as span:
        pass
    assert span.links == []


def test_links_found_before_the_origins_fail_are_kept(nemo_lens_recorder):
    """What is missing is counted."""
    assert len(links_to(failing(produced("p")))) == 1
    assert discarded()["origins of a span"] == 1


def test_producers_of_equal_span_ids_are_told_apart(nemo_lens_recorder):
    """Span ids are unique within a trace only."""
    carriers = [{"traceparent": f"00-{trace_id:032x}-{7:016x}-01"} for trace_id in (1, 2)]
    assert [link.context.trace_id for link in links_to(carriers)] == [1, 2]


def test_an_endless_queue_without_producers_ends(nemo_lens_recorder):
    """Only so many items are looked at."""
    assert links_to({} for _ in itertools.count()) == []


def test_span_options_are_kept(nemo_lens_recorder, nemo_lens_groups):
    """Links of the options come first."""
    nemo_lens_groups("step")
    first, second = produced("p"), produced("q")
    options = SpanOptions(links=links_to(first), attributes={"name": "b"})
    with fan_in_span("step", "train.batch", [second], _span=options):
        pass
    batch = nemo_lens_recorder.span("train.batch")
    assert batch.attributes == {"name": "b"}
    producers = [nemo_lens_recorder.span(name).context for name in ("p", "q")]
    assert [link.context.span_id for link in batch.links] == [each.span_id for each in producers]


def test_the_number_of_links_is_bounded(nemo_lens_recorder):
    """A span with more links than OpenTelemetry keeps would lose the first ones."""
    assert len(links_to(produced(f"p{i}") for i in range(MAX_LINKS + 9))) == MAX_LINKS
