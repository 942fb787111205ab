# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Recording keeps what it can, says each problem once, and never raises."""

import decimal
import enum
import fractions
import gc
import math
import signal
import threading
import weakref

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemo.lens.instruments import (
    MetricSpec,
    bind_metrics,
    create_metric_instruments,
    record_metrics,
    register_metric_group,
)

from .conftest import RecordingMeter


@pytest.fixture
def group():
    """Declare one metric of each synchronous kind and an observable one."""
    register_metric_group(
        "app",
        [
            MetricSpec("loss", "app.loss", "gauge", "1", "Loss."),
            MetricSpec("time", "app.time", "histogram", "s", "Time.", buckets=(0.1, 1.0)),
            MetricSpec("steps", "app.steps", "counter", "{step}", "Steps."),
            MetricSpec("level", "app.level", "up_down_counter", "1", "Level."),
            MetricSpec(
                "seen", "app.seen", "observable_gauge", "1", "Seen.", callback=lambda _options: []
            ),
        ],
    )
    return "app"


def test_each_kind_reaches_its_instrument(meter, group):
    """Values and attributes arrive under the declared names; keywords win over the mapping."""
    record_metrics(
        meter,
        group,
        {"loss": 9, "time": 0.5},
        loss=1.5,
        steps=2,
        level=-1,
        attributes={"phase": "train"},
    )
    attributes = {"phase": "train"}
    assert meter.points("app.loss") == [(1.5, attributes)]
    assert meter.points("app.time") == [(0.5, attributes)]
    assert meter.points("app.steps") == [(2, attributes)]
    assert meter.points("app.level") == [(-1, attributes)]


def test_units_descriptions_and_buckets_reach_the_instrument(meter, group):
    """What was declared once is what the exporter sees."""
    create_metric_instruments(meter, group)
    options = meter.instruments["app.time"].options
    assert options["unit"] == "s"
    assert options["description"] == "Time."
    assert options["explicit_bucket_boundaries_advisory"] == [0.1, 1.0]


def test_instruments_are_made_once_per_meter(meter, group):
    """Later recordings reuse them, and a new declaration makes new ones."""
    for _ in range(3):
        record_metrics(meter, group, loss=1)
        create_metric_instruments(meter, group)
    first = meter.made
    assert {
        "app.loss",
        "app.time",
        "app.steps",
        "app.level",
        "app.seen",
    } <= meter.instruments.keys()
    register_metric_group(group, [MetricSpec("loss", "app.loss")], allow_override=True)
    record_metrics(meter, group, loss=1)
    assert meter.made == first + 1


def test_zero_false_and_negative_numbers_are_numbers(meter, group):
    """Only None means "nothing to record"."""
    record_metrics(meter, group, loss=0)
    record_metrics(meter, group, loss=False)
    record_metrics(meter, group, loss=-0.5)
    record_metrics(meter, group, loss=None)
    assert [value for value, _ in meter.points("app.loss")] == [0, 0, -0.5]


@pytest.mark.parametrize(
    ("value", "recorded"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.array(2.5), 2.5),
        (np.bool_(True), 1),
        (decimal.Decimal("1.25"), 1.25),
        (fractions.Fraction(1, 4), 0.25),
        (2**70, float(2**70)),
        (np.uint64(2**64 - 1), float(2**64)),
        (np.array(-(2**70), dtype=object), -float(2**70)),
        (np.longdouble("1.5"), 1.5),
        (np.array(2.5, dtype=np.longdouble), 2.5),
        (np.ma.array(3.0, mask=False), 3.0),
    ],
)
def test_scalars_of_libraries_become_plain_numbers(meter, group, value, recorded):
    """The exporter gets int or float, nothing else."""
    record_metrics(meter, group, loss=value)
    ((number, _),) = meter.points("app.loss")
    assert number == recorded
    assert type(number) in (int, float)


@pytest.mark.parametrize(
    "value",
    [
        *("0.5", [1, 2], object(), b"1", 1 + 2j, {"a": 1}, np.zeros(3), 10**400),
        *(np.ma.masked, np.ma.array(3.0, mask=True), np.array("12"), np.str_("12")),
        *(np.clongdouble(1), decimal.Decimal("1e999"), np.longdouble("1e4000")),
    ],
)
def test_what_is_no_number_is_dropped_counted_and_told_once(meter, group, value, caplog):
    """The other values of the call are recorded, and the log stays quiet afterwards."""
    for _ in range(3):
        record_metrics(meter, group, loss=value, time=1.0)
    assert meter.points("app.loss") == []
    assert len(meter.points("app.time")) == 3
    assert len(caplog.records) == 1
    assert "'loss'" in caplog.text
    assert meter.collect()["nemo.lens.metrics.dropped"] == [(3, {"nemo.metric.name": "app.loss"})]


def test_a_value_on_an_accelerator_is_never_read(meter, group):
    """Reading it would wait for the device, so it is dropped."""

    class DeviceTensor:
        ndim = 0
        device = "cuda:0"

        def item(self):
            raise AssertionError("synchronised")

    record_metrics(meter, group, loss=DeviceTensor(), time=1)
    assert meter.points("app.loss") == []
    assert len(meter.points("app.time")) == 1


def test_no_metric_is_spoiled_by_nan(meter, group):
    """Whatever its kind, and whatever the instrument would make of it."""
    record_metrics(meter, group, loss=math.nan, time=math.nan, steps=math.inf, level=-math.inf)
    assert meter.recorded() == {}


@pytest.mark.parametrize("live", [False, True])
def test_nan_and_infinities_are_counted_by_metric(meter, group, live):
    """A backend that shows the gauge's last number still learns about them."""
    record_metrics(meter, group, loss=1.0)
    assert meter.collect()["nemo.lens.metrics.not_finite"] == [] if live else True
    record_metrics(meter, group, loss=np.float32("nan"), time=math.inf)
    record_metrics(meter, group, loss=math.nan)
    record_metrics(meter, group, loss=2.0, nothing=math.nan)
    reported = meter.collect()["nemo.lens.metrics.not_finite"]
    counts = {attributes["nemo.metric.name"]: count for count, attributes in reported}
    assert counts == {"app.loss": 2, "app.time": 1}


def test_counters_only_grow(meter, group, caplog):
    """A negative increment is dropped and told."""
    record_metrics(meter, group, steps=-1)
    assert meter.points("app.steps") == []
    assert "negative number" in caplog.text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda meter: record_metrics(meter, "nobody", x=1), "unregistered group"),
        (lambda meter: record_metrics(meter, ["app"], x=1), "unregistered group"),
        (lambda meter: record_metrics(meter, "app", x=1), "Unknown metric key"),
        (lambda meter: record_metrics(meter, "app", seen=1), "reports through its callback"),
        (lambda meter: record_metrics(meter, "app", 5), "`values` argument of type int"),
        (
            lambda meter: record_metrics(meter, "app", loss=1, attributes=5),
            "`attributes` argument of type int",
        ),
        (lambda _meter: record_metrics(None, "app", loss=1), "Failed to resolve instruments"),
        (lambda meter: create_metric_instruments(meter, "nobody"), "unregistered group"),
    ],
)
@pytest.mark.usefixtures("group")
def test_each_mistake_is_told_once_and_never_raised(meter, caplog, call, text):
    """Twice the same mistake makes as many lines as once."""
    call(meter)
    lines = len(caplog.records)
    call(meter)
    assert text in caplog.text
    assert len(caplog.records) == lines


class HostileHash:
    """Neither a hash nor a comparison, and no text."""

    def __hash__(self):
        raise RuntimeError("hash")

    def __eq__(self, other):
        raise RuntimeError("eq")

    def __repr__(self):
        raise RuntimeError("repr")


class HostileGroup(str):
    """A name that cannot be looked up."""

    __slots__ = ()
    __hash__ = HostileHash.__hash__
    __eq__ = HostileHash.__eq__
    __repr__ = __str__ = __format__ = HostileHash.__repr__


class HostileMeter(HostileHash, RecordingMeter):
    """A meter that cannot be a key."""


class HostileType(type):
    """The type of types that cannot be compared."""

    __hash__ = HostileHash.__hash__
    __eq__ = HostileHash.__eq__

    def __getattribute__(cls, name):
        raise RuntimeError(name)


def hostile_value():
    """Make a value whose type raises from whatever is asked of it."""
    return type.__call__(HostileType("Odd", (), {}))


@pytest.mark.parametrize("odd", [HostileHash(), ["app"], None, 5, b"app", hostile_value()])
@pytest.mark.usefixtures("group")
def test_groups_that_are_no_names_are_unregistered_ones(meter, odd, caplog):
    """They are told once, with their type."""
    for _ in range(2):
        record_metrics(meter, odd, loss=1)
        create_metric_instruments(meter, odd)
        bind_metrics(meter, odd).record(loss=1)
    assert caplog.text.count("unregistered group") == 1
    assert meter.recorded() == {}


@pytest.mark.usefixtures("group")
def test_a_name_that_cannot_be_compared_is_read_as_its_text(meter):
    """What a subclass of str says about itself does not matter."""
    record_metrics(meter, HostileGroup("app"), loss=1)
    bind_metrics(meter, HostileGroup("app")).record(loss=2)
    assert meter.recorded() == {"app.loss": [(1, {}), (2, {})]}


def test_meters_are_told_apart_by_what_they_are(group):
    """Not by their hash, nor by what they claim to equal."""

    class Equal(RecordingMeter):
        def __eq__(self, other):
            return True

        __hash__ = None

    meters = [Equal(), Equal(), HostileMeter()]
    for number, meter in enumerate(meters):
        record_metrics(meter, group, loss=number)
        bind_metrics(meter, group).record(steps=number)
    assert [meter.recorded()["app.loss"] for meter in meters] == [[(n, {})] for n in range(3)]


@pytest.mark.parametrize("odd", [None, 5, "meter", object(), hostile_value()])
def test_what_is_no_meter_is_told_once(group, odd, caplog):
    """And costs the values only."""
    for _ in range(2):
        record_metrics(odd, group, loss=1)
        bind_metrics(odd, group).record(loss=1)
        create_metric_instruments(odd, group)
    assert caplog.text.count("Failed to resolve instruments") >= 1
    lines = len(caplog.records)
    record_metrics(odd, group, loss=1)
    assert len(caplog.records) == lines


@pytest.mark.parametrize("live", [False, True])
def test_values_and_attributes_whose_type_is_hostile_are_dropped(meter, group, live):
    """The other values of the call are recorded."""
    record_metrics(meter, group, steps=1)
    if live:
        meter.collect()
    odd = hostile_value()
    record_metrics(meter, group, {"loss": odd, "time": 1.0}, attributes={"a": odd, "b": 1})
    record_metrics(meter, group, odd, attributes=odd, steps=1)
    meter.collect()
    assert meter.recorded()["app.time"] == [(1.0, {"b": 1})]
    assert "app.loss" not in meter.recorded()


def test_one_refused_instrument_does_not_disable_its_group(meter, group, caplog):
    """The rest of the group records."""
    meter.refused.add("app.time")
    record_metrics(meter, group, loss=1, time=1)
    assert meter.points("app.loss") == [(1, {})]
    assert caplog.text.count("Failed to resolve instruments") == 1


@pytest.mark.parametrize("live", [False, True])
def test_a_refused_instrument_is_made_once_the_cause_is_gone(meter, group, live):
    """Its values before that are dropped and counted."""
    meter.refused |= {"app.time", "app.seen"}
    record_metrics(meter, group, loss=1, time=1)
    if live:
        meter.collect()
    record_metrics(meter, group, time=2)
    meter.collect()
    meter.refused.clear()
    record_metrics(meter, group, time=3)
    reported = meter.collect()
    assert meter.points("app.time") == [(3, {})]
    assert reported["nemo.lens.metrics.dropped"] == [(2, {"nemo.metric.name": "app.time"})]
    assert "app.seen" in reported


def test_observables_that_were_refused_are_made_by_asking_again(meter, group):
    """Nothing else is made twice."""
    meter.refused.add("app.seen")
    create_metric_instruments(meter, group)
    made = meter.made
    meter.refused.clear()
    create_metric_instruments(meter, group)
    create_metric_instruments(meter, group)
    assert meter.made == made + 1
    assert meter.collect()["app.seen"] == []


def test_an_instrument_that_raises_costs_its_own_value_only(meter, group, caplog):
    """A foreign meter's failure stays out of the training loop."""
    create_metric_instruments(meter, group)
    meter.instruments["app.loss"].points = None
    record_metrics(meter, group, loss=1, time=1)
    assert len(meter.points("app.time")) == 1
    assert "was dropped" in caplog.text


@pytest.mark.parametrize("live", [False, True])
def test_a_signal_handler_records_while_an_instrument_is_recording(meter, group, live):
    """It does not wait for the lock of the instrument, which the interrupted call would release."""
    create_metric_instruments(meter, group)
    lock = threading.Lock()

    class Locking(list):
        def append(self, point):
            assert lock.acquire(timeout=5), "the signal handler waits for the interrupted call"
            super().append(point)
            if len(self) == 1:
                signal.raise_signal(signal.SIGUSR1)
            lock.release()

    meter.instruments["app.steps"].points = points = Locking()
    if live:
        meter.collect()
    before = signal.signal(signal.SIGUSR1, lambda *_: record_metrics(meter, group, steps=2))
    try:
        record_metrics(meter, group, steps=1)
        meter.collect()
    finally:
        signal.signal(signal.SIGUSR1, before)
    meter.collect()
    assert [value for value, _ in points] == [1, 2]


def test_keys_named_like_parameters_are_ordinary_keys(meter):
    """meter, group and values are positional only; attributes goes into the mapping."""
    register_metric_group(
        "odd", [MetricSpec(key, f"odd.{key}") for key in ("meter", "group", "values", "attributes")]
    )
    record_metrics(meter, "odd", {"attributes": 4}, meter=1, group=2, values=3)
    assert [
        meter.points(f"odd.{key}")[0][0] for key in ("meter", "group", "values", "attributes")
    ] == [1, 2, 3, 4]


class Metric(str, enum.Enum):
    """Keys as some libraries keep them."""

    LOSS = "loss"


class OnceHashable:
    """A key that works when the mapping is made, and never again."""

    def __init__(self):
        self.hashed = 0

    def __hash__(self):
        self.hashed += 1
        if self.hashed > 2:
            raise RuntimeError("hash")
        return 1


def test_keys_may_be_text_enumerations_and_nothing_else(meter, group, caplog):
    """What is no text is told once; the other values of the call are recorded."""
    for _ in range(2):
        record_metrics(meter, group, {Metric.LOSS: 1.0, OnceHashable(): 2, 3: 4, "steps": 5})
    assert meter.recorded() == {"app.loss": [(1.0, {})] * 2, "app.steps": [(5, {})] * 2}
    assert caplog.text.count("is no metric key") == 1


def test_a_meter_is_not_kept_alive(group):
    """The instruments go when their meter goes."""
    meter = RecordingMeter()
    record_metrics(meter, group, loss=1)
    reference = weakref.ref(meter)
    del meter
    gc.collect()
    assert reference() is None


class Hostile:
    """Raises from whatever is asked of it."""

    @property
    def __class__(self):
        raise RuntimeError("class")

    def __bool__(self):
        raise RuntimeError("bool")

    def __eq__(self, other):
        raise RuntimeError("eq")

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __float__(self):
        raise RuntimeError("float")

    def __str__(self):
        raise RuntimeError("str")

    __repr__ = __str__
    __hash__ = None


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.binary(),
    st.builds(Hostile),
    st.lists(st.integers()),
    st.dictionaries(st.text(), st.integers()),
)


@given(
    values=st.one_of(anything, st.dictionaries(st.one_of(st.text(), st.integers()), anything)),
    attributes=st.one_of(anything, st.dictionaries(st.one_of(st.text(), st.integers()), anything)),
    value=anything,
)
@settings(
    max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_nothing_ever_raises(group, values, attributes, value):
    """Whatever is handed in, recording returns and gives the instrument plain numbers only."""
    meter = RecordingMeter()
    record_metrics(meter, group, values, attributes=attributes, loss=value, time=value)
    points = meter.instruments["app.loss"].points if meter.instruments else []
    for number, recorded in points:
        assert type(number) in (int, float)
        assert all(type(key) is str for key in recorded)
        hash(frozenset(recorded.items()))
