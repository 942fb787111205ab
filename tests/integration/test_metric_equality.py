# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What waits for the collection is exported as if each call had gone to the instrument at once."""

import contextlib
import logging
import math
import os
import random
import signal
import sys
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry import context as context_api
from opentelemetry import trace
from opentelemetry.metrics import get_meter_provider, set_meter_provider
from opentelemetry.sdk.metrics import (
    Counter,
    Histogram,
    MeterProvider,
    ObservableCounter,
    UpDownCounter,
    _Gauge,
)
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    InMemoryMetricReader,
)
from opentelemetry.sdk.metrics.view import View
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens.config import NemoLensConfig
from nemo.lens.handle import setup_telemetry
from nemo.lens.instruments import MetricSpec, bind_metrics, record_metrics, register_metric_group
from nemo.lens.instruments.instrument_set import MOST_PENDING
from nemo.lens.instruments.rl import record_rl_metrics

GROUP = "equality"
SPECS = (
    MetricSpec("loss", "eq.loss", "gauge", "1", "Loss."),
    MetricSpec("norm", "eq.norm", "gauge", "1", "Norm."),
    MetricSpec("time", "eq.time", "histogram", "s", "Time.", buckets=(0.1, 1.0, 10.0)),
    MetricSpec("steps", "eq.steps", "counter", "{step}", "Steps."),
    MetricSpec("level", "eq.level", "up_down_counter", "1", "Level."),
)
REPORTS_ON_METRICS = "nemo.lens.metrics."
DELTA = dict.fromkeys(
    (Counter, UpDownCounter, Histogram, ObservableCounter, _Gauge), AggregationTemporality.DELTA
)
METHODS = {"gauge": "set", "histogram": "record", "counter": "add", "up_down_counter": "add"}


@pytest.fixture(autouse=True)
def _group():
    register_metric_group(GROUP, SPECS, allow_override=True)


class World:
    """A meter provider with a cumulative and a delta reader."""

    def __init__(self, views=()):
        self.readers = [InMemoryMetricReader(), InMemoryMetricReader(preferred_temporality=DELTA)]
        self.provider = MeterProvider(self.readers, views=views, shutdown_on_exit=False)
        self.meter = self.provider.get_meter("equality")
        self.instruments = {}

    def begin(self):
        """Collect once with each reader, as exporters do at their first interval."""
        self.collect(0)
        self.collect(1)

    def record_plainly(self, values, attributes):
        """Record with the instruments themselves; older gauges would take NaN, which ours do not."""
        for spec in SPECS:
            if spec.key not in values or not math.isfinite(values[spec.key]):
                continue
            if spec.key not in self.instruments:
                options = {"unit": spec.unit, "description": spec.description}
                if spec.buckets:
                    options["explicit_bucket_boundaries_advisory"] = list(spec.buckets)
                create = getattr(self.meter, f"create_{spec.kind}")
                self.instruments[spec.key] = create(spec.name, **options)
            getattr(self.instruments[spec.key], METHODS[spec.kind])(values[spec.key], attributes)

    def record(self, values, attributes):
        """Record through the registry."""
        ordered = {spec.key: values[spec.key] for spec in SPECS if spec.key in values}
        record_metrics(self.meter, GROUP, ordered, attributes=attributes)

    def collect(self, reader):
        """Return what one reader exports, without times."""
        return normalised(self.readers[reader].get_metrics_data())


def normalised(data):
    """Return metrics data as comparable values: everything but times and gauges' exemplars."""
    points = []
    for resource in data.resource_metrics if data else ():
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                if metric.name.startswith(REPORTS_ON_METRICS):
                    continue
                kind = type(metric.data).__name__
                temporality = getattr(metric.data, "aggregation_temporality", None)
                head = (metric.name, metric.unit, metric.description, kind, temporality)
                points += [(*head, *_point(point, kind)) for point in metric.data.data_points]
    return sorted(points, key=repr)


def _point(point, kind):
    attributes = sorted((key, repr(value)) for key, value in (point.attributes or {}).items())
    if kind != "Histogram":
        return attributes, repr(point.value)
    exemplars = [
        (exemplar.value, exemplar.span_id, exemplar.trace_id, exemplar.filtered_attributes or {})
        for exemplar in point.exemplars
    ]
    counts = tuple(point.bucket_counts)
    return (attributes, point.count, repr(point.sum), counts, point.min, point.max, exemplars)


def sdk_tells_types_apart():
    """Say whether 1 and True are two series; older versions show either under both names."""
    reader = InMemoryMetricReader()
    gauge = MeterProvider([reader], shutdown_on_exit=False).get_meter("probe").create_gauge("g")
    gauge.set(1, {"a": 1})
    gauge.set(2, {"a": True})
    return len(normalised(reader.get_metrics_data())) == 2


OF_SEVERAL_TYPES = sdk_tells_types_apart()
numbers = st.one_of(st.floats(0, 50), st.integers(0, 50))
gauge_numbers = st.one_of(numbers, st.floats(-5, 5), st.just(math.nan), st.just(math.inf))
records = st.tuples(
    st.fixed_dictionaries(
        {},
        optional={
            "loss": gauge_numbers,
            "norm": gauge_numbers,
            "time": numbers,
            "steps": numbers,
            "level": st.integers(-5, 5),
        },
    ),
    st.one_of(
        st.none(),
        st.fixed_dictionaries(
            {"a": st.sampled_from(["x", "y", 1, *([True, 1.0] if OF_SEVERAL_TYPES else [])])},
            optional={
                "b": st.sampled_from([1, 2, (1, 2), *([(1.0, 2.0)] if OF_SEVERAL_TYPES else [])])
            },
        ),
    ),
    st.booleans(),
)
programs = st.lists(st.one_of(records, st.integers(0, 1)), max_size=25)


@pytest.mark.parametrize("views", [(), (View(instrument_name="eq.*", attribute_keys={"a"}),)])
@given(program=programs)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_two_readers_export_what_plain_instruments_export(caplog, views, program):
    """Cumulative and delta, with attributes, inside spans and outside, whenever each collects."""
    caplog.set_level(logging.CRITICAL, logger="opentelemetry.sdk.metrics")
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("equality")
    plain, ours = World(views), World(views)
    ours.record({"loss": 0.0}, None)
    plain.record_plainly({"loss": 0.0}, None)
    plain.begin()
    ours.begin()
    for step in [*program, 0, 1]:
        if isinstance(step, int):
            assert ours.collect(step) == plain.collect(step)
            continue
        values, attributes, in_span = step
        span = tracer.start_as_current_span("step") if in_span else contextlib.nullcontext()
        with span:
            ours.record(values, attributes)
            plain.record_plainly(values, attributes)


def test_after_the_first_collection_values_wait_and_before_it_they_do_not():
    """Without a reader nothing would ever take them out."""
    world = World()
    world.record({"loss": 1.0}, None)
    assert waiting(world) == 0
    world.begin()
    world.record({"loss": 2.0}, None)
    assert waiting(world) == 1
    assert [point[-1] for point in world.collect(0)] == ["2.0"]
    assert waiting(world) == 0


def waiting(world):
    """Return how many calls wait in the group of this module."""
    from nemo.lens.instruments.meters import instrument_set

    return len(instrument_set(world.meter, GROUP, "test")._pending)


def test_what_waits_is_bounded():
    """Without further collections the calls themselves hand on what waits, and lose nothing."""
    world = World()
    world.record({"steps": 1}, None)
    world.begin()
    for _ in range(3 * MOST_PENDING + 5):
        world.record({"steps": 1, "loss": 1.0}, None)
    assert waiting(world) < MOST_PENDING
    points = {point[0]: point[-1] for point in world.collect(0)}
    assert points["eq.steps"] == str(3 * MOST_PENDING + 6)


def test_what_waits_is_bounded_under_many_threads():
    """They cannot add values faster than one of them hands them on."""
    world = World()
    world.record({"time": 1.0}, None)
    world.begin()
    peaks = []

    def record():
        peak = 0
        for _ in range(3000):
            world.record({"time": 1.0, "steps": 1}, None)
            peak = max(peak, waiting(world))
        peaks.append(peak)

    threads = [threading.Thread(target=record) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(peaks) <= 2 * MOST_PENDING
    points = {point[0]: point[-1] for point in world.collect(0)}
    assert points["eq.steps"] == "24000"


def test_values_recorded_by_many_threads_under_collection_are_all_counted():
    """Nothing is lost or counted twice between recording threads and two collecting ones."""
    world = World()
    world.record({"steps": 0}, None)
    world.begin()
    done = threading.Event()

    def record():
        bound = bind_metrics(world.meter, GROUP, attributes={"a": "x"}).recorder("steps")
        for _ in range(3000):
            bound(1)

    def collect(reader):
        while not done.is_set():
            world.collect(reader)

    recorders = [threading.Thread(target=record) for _ in range(4)]
    collectors = [threading.Thread(target=collect, args=(reader,)) for reader in (0, 1)]
    for thread in recorders + collectors:
        thread.start()
    for thread in recorders:
        thread.join()
    done.set()
    for thread in collectors:
        thread.join()
    totals = {point[-1] for point in world.collect(0) if point[-2]}
    assert totals == {"12000"}


def test_the_last_call_wins_whoever_collects():
    """Also when other threads collect in between."""
    world = World()
    world.record({"loss": 0.0}, None)
    world.begin()
    for number in range(200):
        world.record({"loss": float(number)}, {"a": "x"})
        if number % 7 == 0:
            thread = threading.Thread(target=world.collect, args=(number % 2,))
            thread.start()
            thread.join()
    assert {point[-1] for point in world.collect(0) if point[-2]} == {"199.0"}


def test_a_forked_child_leaves_what_waits_to_its_parent():
    """Otherwise both would export it."""
    world = World()
    world.record({"steps": 1}, None)
    world.begin()
    world.record({"steps": 10}, None)
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            world.record({"steps": 100}, None)
            points = {point[0]: point[-1] for point in world.collect(0)}
            status = 0 if points["eq.steps"] == "101" else 2
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert {point[-1] for point in world.collect(0)} == {"11"}


@pytest.mark.parametrize("live", [False, True])
def test_a_histogram_point_leads_to_the_span_of_its_step(live):
    """Its exemplar names the span that was current at the call, not at the collection."""
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("exemplars")
    world = World()
    if live:
        world.record({"loss": 0.0}, None)
        world.begin()
    with tracer.start_as_current_span("step") as span:
        world.record({"time": 0.5, "loss": 1.0}, None)
    world.record({"time": 5.0}, None)
    with tracer.start_as_current_span("collecting"):
        data = world.readers[0].get_metrics_data()
    metrics = {
        metric.name: metric.data.data_points[0]
        for scope in data.resource_metrics[0].scope_metrics
        for metric in scope.metrics
    }
    expected = [(0.5, span.get_span_context().span_id, span.get_span_context().trace_id)]
    for name, value in (("eq.time", 0.5), ("eq.loss", 1.0)):
        found = [(each.value, each.span_id, each.trace_id) for each in metrics[name].exemplars]
        assert found == [(value, *expected[0][1:])]
    assert trace.get_current_span(context_api.get_current()) is trace.INVALID_SPAN


def test_recording_in_spans_leaves_the_random_stream_alone():
    """Exemplar reservoirs draw from a generator of their own in a process that lens set up."""
    reader = InMemoryMetricReader()
    config = NemoLensConfig(enabled=True, span_groups="all", run_id="test", sigterm_flush=False)
    handle = setup_telemetry(
        config, rank=0, span_exporter=InMemorySpanExporter(), metric_reader=reader
    )
    random.seed(7)
    before = random.getstate()
    for _ in range(50):
        with handle.tracer.start_as_current_span("step"):
            record_rl_metrics(handle.meter, *[0.5] * 11, attributes={"a": "x"})
    data = reader.get_metrics_data()
    for _ in range(50):
        with handle.tracer.start_as_current_span("step"):
            record_rl_metrics(handle.meter, *[0.5] * 11, attributes={"a": "x"})
    handle.shutdown()
    assert random.getstate() == before
    assert data.resource_metrics[0].scope_metrics[0].metrics[0].data.data_points[0].exemplars


def test_metrics_recorded_before_set_up_are_not_kept():
    """A proxy meter drops them, as it does with plain instruments; later ones arrive."""
    meter = get_meter_provider().get_meter("early")
    record_metrics(meter, GROUP, steps=5)
    reader = InMemoryMetricReader()
    set_meter_provider(MeterProvider([reader], shutdown_on_exit=False))
    record_metrics(meter, GROUP, steps=1)
    assert [point[-1] for point in normalised(reader.get_metrics_data())] == ["1"]


def set_up(reader):
    """Set telemetry up with a reader of the test's own."""
    config = NemoLensConfig(enabled=True, traces_enabled=False, run_id="test", sigterm_flush=False)
    return setup_telemetry(config, rank=0, metric_reader=reader)


def test_metrics_arrive_again_after_a_second_set_up():
    """Meters that libraries kept from the first one lead into the second one."""
    readers = [InMemoryMetricReader(), InMemoryMetricReader()]
    first = set_up(readers[0])
    kept = bind_metrics(first.meter, GROUP)
    kept.record(steps=1)
    readers[0].get_metrics_data()
    kept.record(steps=1)
    first.shutdown()
    second = set_up(readers[1])
    kept.record(steps=10)
    record_metrics(second.meter, GROUP, loss=0.5)
    points = {point[0]: point[-1] for point in normalised(readers[1].get_metrics_data())}
    kept.record(steps=10)
    record_metrics(second.meter, GROUP, loss=0.25)
    later = {point[0]: point[-1] for point in normalised(readers[1].get_metrics_data())}
    second.shutdown()
    assert points["eq.loss"] == "0.5"
    assert later["eq.loss"] == "0.25"
    assert int(later["eq.steps"]) - int(points["eq.steps"]) == 10


def test_children_forked_under_busy_threads_record_and_collect():
    """No lock of the parent's threads is in the way."""
    reader = InMemoryMetricReader()
    handle = set_up(reader)
    record_metrics(handle.meter, GROUP, steps=1)
    reader.get_metrics_data()
    done = threading.Event()

    def record():
        while not done.is_set():
            record_metrics(handle.meter, GROUP, steps=1, time=0.5, attributes={"a": "x"})

    threads = [threading.Thread(target=record) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        statuses = [_status_of_a_child(handle, reader) for _ in range(15)]
    finally:
        done.set()
        for thread in threads:
            thread.join()
        handle.shutdown()
    assert statuses == [0] * 15


def _status_of_a_child(handle, reader):
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            record_metrics(handle.meter, GROUP, level=7)
            points = {point[0]: point[-1] for point in normalised(reader.get_metrics_data())}
            status = 0 if points == {"eq.level": "7"} else 2
        os._exit(status)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


def test_a_disabled_process_keeps_nothing():
    """What goes into a meter that discards is not even looked at."""
    handle = setup_telemetry(NemoLensConfig(enabled=False))
    odd = object()
    references = sys.getrefcount(odd)
    record_metrics(handle.meter, GROUP, loss=odd)
    bind_metrics(handle.meter, GROUP).record(loss=odd)
    assert sys.getrefcount(odd) == references
