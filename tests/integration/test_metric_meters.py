# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Meters that lead to the same instruments work as one, whenever each was asked for."""

import contextlib
import gc
import math
import os
import threading
import weakref

import numpy as np
import pytest
from opentelemetry.metrics import Observation as Observed
from opentelemetry.metrics import get_meter, set_meter_provider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from nemo import lens
from nemo.lens.config import NemoLensConfig
from nemo.lens.instruments import (
    MetricSpec,
    attribute_sets,
    bind_metrics,
    create_metric_instruments,
    record_metrics,
    register_metric_group,
    unregister_metric_group,
)
from nemo.lens.instruments.meters import instrument_set

GROUP = "meters"


@pytest.fixture(autouse=True)
def _group():
    register_metric_group(
        GROUP,
        (
            MetricSpec("loss", "mt.loss", "gauge", "1", "Loss."),
            MetricSpec("steps", "mt.steps", "counter", "{step}", "Steps."),
            MetricSpec("time", "mt.time", "histogram", "s", "Time.", buckets=(1.0, 2.0)),
        ),
        allow_override=True,
    )


def install_provider():
    """Install a provider as an application's set-up does; return its reader."""
    reader = InMemoryMetricReader()
    set_meter_provider(MeterProvider([reader], shutdown_on_exit=False))
    return reader


def exported(reader):
    """Return the values of all points by metric, those with attributes by these too."""
    data = reader.get_metrics_data()
    values = {}
    for resource in data.resource_metrics if data else ():
        for metric in (each for scope in resource.scope_metrics for each in scope.metrics):
            for point in metric.data.data_points:
                labels = ",".join(str(value) for value in (point.attributes or {}).values())
                value = point.count if hasattr(point, "count") else point.value
                values[f"{metric.name}[{labels}]" if labels else metric.name] = value
    return values


@pytest.fixture
def provided():
    """Give a meter and its reader."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    return provider.get_meter("scope"), reader


def waits(meter):
    """Say whether the last values recorded with `meter` wait for a collection."""
    return bool(instrument_set(meter, GROUP, "test")._pending)


@pytest.mark.parametrize("recorded_before", [False, True])
def test_meters_of_one_scope_from_before_set_up_all_wait_and_count(recorded_before):
    """OpenTelemetry keeps one callback for all of them."""
    early = [get_meter("scope") for _ in range(3)]
    if recorded_before:
        for meter in early:
            record_metrics(meter, GROUP, steps=1000)
    reader = install_provider()
    late = get_meter("scope")
    for meter in (*early, late):
        record_metrics(meter, GROUP, steps=1, loss=math.nan)
    exported(reader)
    for meter in (*early, late):
        record_metrics(meter, GROUP, steps=1, loss=math.nan, time="x")
        assert waits(meter)
    values = exported(reader)
    assert values["mt.steps"] == 8
    assert values["nemo.lens.metrics.not_finite[mt.loss]"] == 8
    assert values["nemo.lens.metrics.dropped[mt.time]"] == 4
    assert not any(map(waits, (*early, late)))


def test_handles_bound_before_set_up_wait_as_well(monkeypatch):
    """They find what their meter leads to once there is something."""
    monkeypatch.setattr(attribute_sets, "MAX_ATTRIBUTE_SETS", 1)
    handles = [bind_metrics(get_meter("scope"), GROUP) for _ in range(2)]
    other = get_meter("scope")
    for handle in handles:
        handle.record(steps=1000)
    reader = install_provider()
    for _ in range(2):
        for handle in handles:
            handle.record(steps=1)
        for request in range(3):
            record_metrics(other, GROUP, steps=1, attributes={"request": request})
        values = exported(reader)
    assert values["mt.steps"] == 4
    assert values["nemo.lens.metrics.overflow"] == 4
    assert handles[1]._instruments is handles[0]._instruments


def test_observables_made_before_set_up_report_after_it():
    """The stand-in passes their callback on."""
    register_metric_group("seen", [observable(5)])
    for _ in range(2):
        create_metric_instruments(get_meter("scope"), "seen")
    reader = install_provider()
    assert exported(reader)["mt.seen"] == 5


def test_meters_of_two_providers_stay_apart():
    """Equal scopes of different providers neither share what waits nor what is counted."""
    readers = [InMemoryMetricReader(), InMemoryMetricReader()]
    meters = [
        MeterProvider([reader], shutdown_on_exit=False).get_meter("scope") for reader in readers
    ]
    for meter in meters:
        record_metrics(meter, GROUP, steps=1)
    exported(readers[0])
    record_metrics(meters[0], GROUP, steps=1, loss=math.inf)
    record_metrics(meters[1], GROUP, steps=1)
    assert waits(meters[0])
    assert not waits(meters[1])
    assert "nemo.lens.metrics.not_finite[mt.loss]" not in exported(readers[1])
    assert exported(readers[0])["nemo.lens.metrics.not_finite[mt.loss]"] == 1


class Wrapper:
    """A meter of an application's, around a real one."""

    def __init__(self, meter):
        self._meter = meter

    def __getattr__(self, name):
        return getattr(self._meter, name)


def test_wrappers_of_one_meter_work_as_one_and_may_go(provided):
    """Also those that are made for each call."""
    meter, reader = provided
    register_metric_group("other", [MetricSpec("loss", "mt.other", "counter", "1", "Loss.")])
    for _ in range(2):
        record_metrics(Wrapper(meter), GROUP, steps=1, loss=math.nan)
        record_metrics(Wrapper(meter), "other", loss=1)
        record_metrics(meter, GROUP, steps=1)
        values = exported(reader)
    record_metrics(Wrapper(meter), GROUP, steps=1)
    assert waits(meter)
    assert values["mt.steps"] == 4
    assert values["mt.other"] == 2
    assert values["nemo.lens.metrics.not_finite[mt.loss]"] == 2


def test_nothing_of_a_provider_that_is_gone_is_kept():
    """A process may make and drop any number of them."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    meter = provider.get_meter("scope")
    record_metrics(meter, GROUP, loss=1.0, steps=1, time=1.0)
    exported(reader)
    record_metrics(meter, GROUP, loss=1.0, steps=1, time=1.0)
    provider.shutdown()
    alive = weakref.ref(reader), weakref.ref(provider)
    del reader, provider, meter
    gc.collect()
    assert [reference() for reference in alive] == [None, None]


def test_a_forked_child_leaves_what_a_wrapper_recorded_to_its_parent(provided):
    """Also when the wrapper is gone."""
    meter, reader = provided
    record_metrics(Wrapper(meter), GROUP, steps=1)
    exported(reader)
    record_metrics(Wrapper(meter), GROUP, steps=10)
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os._exit(exported(reader)["mt.steps"])
        os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert exported(reader)["mt.steps"] == 11


def test_counts_go_on_when_a_group_is_declared_anew(provided):
    """A counter that falls would look like a restart."""
    meter, reader = provided
    record_metrics(meter, GROUP, loss=math.nan)
    register_metric_group(
        GROUP, [MetricSpec("loss", "mt.loss", "gauge", "1", "Loss.")], allow_override=True
    )
    record_metrics(meter, GROUP, loss=math.nan)
    assert exported(reader)["nemo.lens.metrics.not_finite[mt.loss]"] == 2


def test_the_front_and_the_handle_share_their_scope():
    """`lens.get_meter()` at import, `handle.meter` after the set-up."""
    early = lens.get_meter()
    record_metrics(early, GROUP, steps=1000)
    reader = InMemoryMetricReader()
    config = NemoLensConfig(enabled=True, traces_enabled=False, run_id="test", sigterm_flush=False)
    handle = lens.setup_telemetry(config, rank=0, metric_reader=reader)
    for _ in range(2):
        record_metrics(handle.meter, GROUP, steps=1)
        record_metrics(early, GROUP, steps=1)
        values = exported(reader)
    record_metrics(early, GROUP, steps=1)
    assert waits(early)
    handle.shutdown()
    assert values["mt.steps"] == 4


def observable(value, **changes):
    """Declare a gauge that reports `value`."""
    fields = {
        "key": "seen",
        "name": "mt.seen",
        "kind": "observable_gauge",
        "unit": "1",
        "description": "Seen.",
        "callback": lambda _options: [Observed(value)],
    }
    return MetricSpec(**{**fields, **changes})


def test_a_new_declaration_changes_the_callback(provided):
    """Though OpenTelemetry keeps the one it was given."""
    meter, reader = provided
    register_metric_group("seen", [observable(1)])
    create_metric_instruments(meter, "seen")
    assert exported(reader)["mt.seen"] == 1
    register_metric_group("seen", [observable(2)], allow_override=True)
    assert exported(reader)["mt.seen"] == 2
    unregister_metric_group("seen")
    assert exported(reader)["mt.seen"] == 2
    register_metric_group("seen", [observable(3)])
    create_metric_instruments(meter, "seen")
    assert exported(reader)["mt.seen"] == 3
    register_metric_group("seen", [observable(4, key="k", name="mt.other")], allow_override=True)
    create_metric_instruments(meter, "seen")
    assert {key: value for key, value in exported(reader).items() if key.startswith("mt")} == {
        "mt.other": 4
    }


def test_another_group_may_take_an_observable_over(provided):
    """The declaration that was made last reports."""
    meter, reader = provided
    register_metric_group("first", [observable(1)])
    create_metric_instruments(meter, "first")
    unregister_metric_group("first")
    register_metric_group("second", [observable(2)])
    create_metric_instruments(meter, "second")
    assert exported(reader)["mt.seen"] == 2


def test_generators_report_as_opentelemetry_has_them(provided):
    """They are advanced once and get the options of each collection."""
    meter, reader = provided

    def counting():
        options = yield
        for number in range(2):
            assert options is not None
            options = yield [Observed(number)]

    register_metric_group("seen", [observable(0, callback=counting())])
    create_metric_instruments(meter, "seen")
    assert [exported(reader).get("mt.seen") for _ in range(3)] == [0, 1, None]


def test_garbage_in_a_callback_costs_itself_only(provided, caplog):
    """The rest is exported, as plain numbers, and each problem is told once."""
    meter, reader = provided

    def report(_options):
        for value in (np.float32(0.5), "x", None, math.nan, np.ma.masked, 2**70):
            yield Observed(value, {"value": str(value), "bad": object()})
            yield 5
        raise SystemExit

    specs = [observable(0, callback=report), observable(7, key="k", name="mt.k")]
    register_metric_group("seen", specs)
    create_metric_instruments(meter, "seen")
    exported(reader)
    values = exported(reader)
    seen = {key: value for key, value in values.items() if key.startswith("mt.seen")}
    assert seen == {"mt.seen[0.5]": 0.5, f"mt.seen[{2**70}]": float(2**70)}
    assert {type(value) for value in seen.values()} == {float}
    assert values["mt.k"] == 7
    told = [record.message for record in caplog.records if "callback" in record.message]
    assert len(told) == 2
    assert "an object of type int, no Observation" in told[0]
    assert "SystemExit" in told[1]


def test_bucket_bounds_that_cannot_change_are_told_once(provided, caplog):
    """OpenTelemetry keeps those of the first maker."""
    meter, reader = provided
    record_metrics(meter, GROUP, time=1.5)
    register_metric_group(
        GROUP,
        [MetricSpec("time", "mt.time", "histogram", "s", "Time.", buckets=(5.0, 6.0))],
        allow_override=True,
    )
    for _ in range(3):
        record_metrics(meter, GROUP, time=1.5)
    told = [record for record in caplog.records if record.name == "nemo.lens.instruments.registry"]
    assert len(told) == 1
    assert "keeps the bucket bounds (1.0, 2.0)" in told[0].message
    assert "(5.0, 6.0)" in told[0].message
    assert exported(reader)["mt.time"] == 4


@pytest.mark.parametrize("is_foreign", [False, True])
def test_recording_in_a_callback_never_hangs(provided, caplog, is_foreign):
    """A reader that collects holds a lock that making instruments would wait for."""
    meter, reader = provided

    def report(_options):
        record_metrics(meter, GROUP, steps=1)
        record_metrics(meter, "unused", late=1)
        return [Observed(1)]

    register_metric_group("unused", [MetricSpec("late", "mt.late", "counter", "1", "Late.")])
    if is_foreign:
        meter.create_observable_gauge("foreign", [report])
    else:
        register_metric_group("seen", [observable(0, callback=report)])
        create_metric_instruments(meter, "seen")
        record_metrics(meter, GROUP, steps=0)
    thread = threading.Thread(target=exported, args=(reader,), daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert "Call create_metric_instruments before" in caplog.text
    create_metric_instruments(meter, GROUP)
    exported(reader)
    assert exported(reader)["mt.steps"] >= 1


def test_fifty_threads_count_what_is_wrong_exactly(provided):
    """No increment is lost between them."""
    meter, reader = provided
    record_metrics(meter, GROUP, steps=0)
    exported(reader)

    def record():
        for _ in range(100):
            record_metrics(meter, GROUP, loss=math.nan, steps=1, time="x")

    threads = [threading.Thread(target=record) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    values = exported(reader)
    assert values["mt.steps"] == 5000
    assert values["nemo.lens.metrics.not_finite[mt.loss]"] == 5000
    assert values["nemo.lens.metrics.dropped[mt.time]"] == 5000
