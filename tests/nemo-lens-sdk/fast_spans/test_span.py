# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Fast spans under threads, forks, garbage collection and shutdown."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import threading
import time
import weakref
from unittest import mock

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from nemo.lens.helpers import managed_span
from nemo.lens.sdk.fast_spans import factory, opening
from nemo.lens.sdk.fast_spans import span as span_module
from nemo.lens.sdk.fast_spans.span import NOTHING, FastSpan
from nemo.lens.state import set_enabled_span_groups


class _Count(SpanProcessor):
    def __init__(self) -> None:
        self.ended: list[object] = []

    def on_end(self, span) -> None:
        self.ended.append(span)


@pytest.fixture
def ended(nemo_lens_isolated):
    """The spans that end, on a provider with fast spans."""
    provider, count = TracerProvider(shutdown_on_exit=False), _Count()
    provider.add_span_processor(count)
    trace.set_tracer_provider(provider)
    set_enabled_span_groups({"g"})
    assert factory.install(provider)
    return count.ended


def test_a_span_ended_by_many_threads_at_once_ends_once(ended):
    """Whoever comes first ends it; no processor is told twice."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(200):
            with managed_span("g", "x") as span:
                threads = [threading.Thread(target=span.end) for _ in range(4)]
                for thread in threads:
                    thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(ended) == len(set(map(id, ended))) == 200


def test_attributes_set_by_many_threads_all_arrive(ended):
    """A change of the representation loses nothing that another thread sets."""

    def set_some(span, worker):
        for number in range(25):
            span.set_attribute(f"{worker}.{number}", number)
        span.set_attributes({f"{worker}.list": [1, 2]})

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with managed_span("g", "x", own=1) as span:
            threads = [threading.Thread(target=set_some, args=(span, n)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(ended[0].attributes) == 1 + 4 * 26


def test_every_span_of_every_thread_is_told_once(ended):
    """Nothing is lost or doubled between threads."""

    def work():
        for _ in range(500):
            with managed_span("g", "outer"), managed_span("g", "inner"):
                pass

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = {span.get_span_context().span_id for span in ended}
    assert len(ended) == len(ids) == 8 * 500 * 2


def test_an_ended_span_keeps_neither_parent_nor_context_alive(ended):
    """A chain of spans, each the parent of the next, does not grow in memory."""
    with managed_span("g", "parent") as parent, managed_span("g", "child") as child:
        pass
    gone = weakref.ref(parent)
    ended.clear()
    del parent
    gc.collect()
    assert gone() is None
    assert child.parent is not None


def test_an_exception_is_not_kept_alive(ended):
    """A span whose block failed holds no frame, and so no tensor of the program."""

    class Tensor:
        pass

    def fail(tensor):
        with managed_span("g", "x"):
            raise ValueError(id(tensor))

    tensor = Tensor()
    gone = weakref.ref(tensor)
    with contextlib.suppress(ValueError):
        fail(tensor)
    del tensor
    gc.collect()
    assert gone() is None
    assert "fail" in ended[0].events[0].attributes["exception.stacktrace"]


def test_the_attributes_that_all_share_cannot_be_changed():
    """Spans without attributes share one empty dictionary."""
    with pytest.raises(TypeError):
        NOTHING["x"] = 1
    assert dict(NOTHING) == {}


def test_an_open_span_is_marked_truncated_at_shutdown(nemo_lens_telemetry):
    """Shutdown ends what is open, and its owner may go on without a warning."""
    handle, exporter, _ = nemo_lens_telemetry
    manager = managed_span("step", "open", x=1)
    span = manager.__enter__()
    assert isinstance(span, FastSpan)
    handle.shutdown()
    (exported,) = exporter.get_finished_spans()
    assert exported.attributes == {"x": 1, "nemo.span.truncated": True}
    span.set_attribute("late", 1)
    manager.__exit__(None, None, None)
    assert len(exporter.get_finished_spans()) == 1


def test_a_clock_that_steps_back_gives_no_negative_duration(ended):
    """The end is as long after the start as the monotonic clock says."""
    manager = managed_span("g", "x")
    manager.__enter__()
    an_hour_ago = time.time_ns() - 3600 * 10**9
    with mock.patch.object(opening, "time_ns", return_value=an_hour_ago):
        manager.__exit__(None, None, None)
    assert 0 <= ended[0].end_time - ended[0].start_time < 60 * 10**9


def test_a_forked_child_has_ids_locks_and_spans_of_its_own(nemo_lens_telemetry):
    """The child does not export the parent's open span, and draws other ids."""
    handle, exporter, _ = nemo_lens_telemetry
    reader, writer = os.pipe()
    manager = managed_span("step", "open in the parent")
    manager.__enter__()
    span_module._locks[0].acquire()
    child = os.fork()
    if not child:
        with managed_span("step", "in the child") as span:
            locker = threading.Thread(target=span_module._locks[0].acquire)
            locker.start()
            locker.join(5)
        manager.__exit__(None, None, None)
        handle.flush()
        told = {
            "span_id": span.get_span_context().span_id,
            "blocked": locker.is_alive(),
            "own_resource": span.resource.attributes["process.pid"] == os.getpid(),
            "exported": [span.name for span in exporter.get_finished_spans()],
        }
        os.write(writer, json.dumps(told).encode())
        os._exit(0)
    span_module._locks[0].release()
    os.waitpid(child, 0)
    told = json.loads(os.read(reader, 1000))
    with managed_span("step", "in the parent") as span:
        assert span.get_span_context().span_id != told.pop("span_id")
    manager.__exit__(None, None, None)
    assert told == {"blocked": False, "own_resource": True, "exported": ["in the child"]}
    handle.flush()
    names = [span.name for span in exporter.get_finished_spans()]
    assert names == ["in the parent", "open in the parent"]
