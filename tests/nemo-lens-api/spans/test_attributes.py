# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Attribute values: converted, repaired, redacted, or dropped and counted; never raised about."""

import contextlib
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import itertools
import json
import pathlib
import types
import uuid
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.trace import StatusCode

from nemo.lens.distributed import create_linked_span
from nemo.lens.helpers import (
    SpanOptions,
    attached_context,
    managed_span,
    mark,
    open_span,
    redact_value,
    safe_set_span_attributes,
    span_attributes,
    span_cm,
)
from nemo.lens.propagation import extract_context, inject_context
from nemo.lens.span_utilities import emit_span
from nemo.lens.spans.attributes import cleaned, is_plain
from nemo.lens.spans.conversion import MAX_ITEMS
from nemo.lens.spans.discards import discarded


class Color(enum.Enum):
    """An enumeration of texts."""

    RED = "red"
    DEEP = 1


class Level(enum.IntEnum):
    """An enumeration of numbers."""

    HIGH = 5


class Tensor:
    """Stands in for a torch tensor: the api slice has no torch; the real one is an integration test."""

    requires_grad = False

    def __init__(self, value, device="cpu", ndim=0):
        self.value = value
        self.device = types.SimpleNamespace(type=device)
        self.ndim = ndim

    def item(self):
        """Fail where torch would wait for the device."""
        assert self.device.type == "cpu", "item() called on a tensor of an accelerator"
        return self.value


class DTensor(Tensor):
    """Stands in for a distributed tensor, whose `item()` communicates."""

    def item(self):
        """Fail: this would be a collective."""
        raise AssertionError("item() called on a distributed tensor")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (1, 1),
        (0.5, 0.5),
        ("a", "a"),
        (np.float32(0.5), 0.5),
        (np.float64(0.25), 0.25),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array(3), 3),
        (np.longdouble("1.5"), 1.5),
        (np.ma.array(3, mask=False), 3),
        (Tensor(2.5), 2.5),
        (Color.RED, "red"),
        (Color.DEEP, "DEEP"),
        (Level.HIGH, 5),
        (pathlib.PurePosixPath("/x/y"), "/x/y"),
        (decimal.Decimal("1.5"), 1.5),
        (fractions.Fraction(1, 4), 0.25),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc), "2026-01-02T00:00:00+00:00"),
        (dt.timedelta(minutes=1), 60.0),
        (b"text", "text"),
        (2**63, str(2**63)),
        (-(2**63), -(2**63)),
        (-(2**70), str(-(2**70))),
        ("caf\udce9", "caf\\udce9"),
        ([], []),
        ((1, 2), [1, 2]),
        (range(3), [0, 1, 2]),
        (["a", "b\udcff"], ["a", "b\\udcff"]),
        ([True, False], [True, False]),
        ([1, 2.5], [1.0, 2.5]),
        ([np.float32(0.5), np.float32(1.5)], [0.5, 1.5]),
        ([Color.RED, "x"], ["red", "x"]),
        ([1, "a"], ["1", "a"]),
        ([True, 1], ["True", "1"]),
        ([1, None], ["1", "None"]),
        ([1, 2**65], ["1", str(2**65)]),
        ([2**65, 2**66], [str(2**65), str(2**66)]),
    ],
)
def test_values_become_what_exporters_take(value, expected):
    """With the very type, not a subclass of it."""
    recorded = cleaned({"x": value})["x"]
    assert recorded == expected
    assert type(recorded) is type(expected)
    if isinstance(expected, list):
        assert [type(item) for item in recorded] == [type(item) for item in expected]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"k": 1}, "mapping"),
        ({1}, "unsupported type"),
        (object(), "unsupported type"),
        (1 + 2j, "unsupported type"),
        (np.complex64(1), "unsupported type"),
        (np.clongdouble(1), "unsupported type"),
        (np.ma.masked, "masked value"),
        (np.ma.array(3, mask=True), "masked value"),
        (np.zeros(3), "array"),
        (np.zeros((1000, 1000)), "array"),
        (Tensor(1, ndim=2), "array"),
        (Tensor(1, device="cuda"), "device tensor"),
        (Tensor(1, device="meta"), "device tensor"),
        (DTensor(1), "device tensor"),
        ([[1], [2]], "nested sequence"),
        (b"\xff", "unreadable value"),
    ],
)
def test_what_cannot_be_recorded_is_counted_and_its_siblings_survive(value, kind, caplog):
    """The first of each kind is logged, with the key and the type."""
    for _ in range(3):
        assert cleaned({"bad": value, "ok": 1}) == {"ok": 1}
    assert discarded() == {kind: 3}
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("nemo.lens.helpers", "WARNING")
    assert "'bad'" in record.getMessage()
    assert kind in record.getMessage()


def test_none_means_no_attribute():
    """It is neither recorded nor counted as lost."""
    assert cleaned({"a": None, "b": 1}) == {"b": 1}
    assert discarded() == {}


@pytest.mark.parametrize("key", [5, None, b"x", ("a",), ""])
def test_keys_that_are_no_text_are_dropped(key):
    """Their siblings survive."""
    assert cleaned({key: 1, "ok": 2}) == {"ok": 2}
    assert sum(discarded().values()) == 1


def test_keys_are_repaired():
    """A lone surrogate costs at most its own attribute."""
    assert cleaned({"k\udcff": 1, Color.RED: 2}) == {"k\\udcff": 1}


def test_keys_of_a_text_subclass_become_plain_text(nemo_lens_recorder, nemo_lens_groups):
    """Also when a plain key of the same value was seen before."""

    class Key(str, enum.Enum):
        LOSS = "loss"

    nemo_lens_groups("step")
    for _ in range(2):
        with managed_span("step", "a", loss=1):
            pass
        with managed_span("step", "b", **{Key.LOSS: 2}) as span:
            safe_set_span_attributes(span, {Key.LOSS: 3})
    assert {type(key) for span in nemo_lens_recorder.spans for key in span.attributes} == {str}
    assert nemo_lens_recorder.spans[-1].attributes == {"loss": 3}


def test_ordinary_keywords_pass_without_a_copy(nemo_lens_recorder, nemo_lens_groups):
    """From the second time on the mapping of the call itself is recorded."""
    assert not is_plain({"first.seen": 1})
    cleaned({"first.seen": 1})
    assert is_plain({"first.seen": "x"})
    assert not is_plain({"first.seen": "x\udcff"})
    assert not is_plain({"first.seen": 2**63})
    assert not is_plain({"first.seen": None})


def test_a_later_list_does_not_change_what_was_recorded():
    """Sequences are copied."""
    sizes = [1, 2]
    recorded = cleaned({"sizes": sizes})
    sizes.append(3)
    assert recorded == {"sizes": [1, 2]}


class Hostile:
    """An object whose every special method raises."""

    def _refuse(self, *args, **kwargs):
        raise RuntimeError("hostile")

    __str__ = __repr__ = __eq__ = __bool__ = __iter__ = __len__ = __float__ = __int__ = _refuse
    __getattr__ = __fspath__ = __index__ = item = isoformat = _refuse

    def __hash__(self):
        return 1

    @property
    def __class__(self):
        raise RuntimeError("hostile")


class HostileError(Exception):
    """An exception that lies about itself."""

    def _refuse(self, *args, **kwargs):
        raise RuntimeError("hostile")

    __str__ = __repr__ = _refuse

    @property
    def __class__(self):
        raise RuntimeError("hostile")


class HostileInt(int):
    """A number that lies about itself."""

    def _refuse(self, *args, **kwargs):
        raise RuntimeError("hostile")

    __str__ = __repr__ = __eq__ = __lt__ = __le__ = __ge__ = __gt__ = __int__ = __index__ = _refuse
    __hash__ = int.__hash__


class HostileStr(str):
    """A text that lies about itself."""

    def _refuse(self, *args, **kwargs):
        raise RuntimeError("hostile")

    __str__ = __repr__ = isascii = encode = lower = _refuse
    __slots__ = ()


class HostileDict(dict):
    """A mapping that cannot be read."""

    def items(self):
        """Refuse."""
        raise RuntimeError("hostile")


class HostileList(list):
    """A sequence that cannot be read."""

    def __iter__(self):
        raise RuntimeError("hostile")


class HostileMeta(type):
    """A class of classes that cannot be read."""

    def __getattribute__(cls, name):
        raise RuntimeError("hostile")


class HostileTyped(metaclass=HostileMeta):
    """An object whose type cannot be read."""


class HostileKey(str):
    """A text that cannot be compared, except by Python itself when it matches keywords."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        if other in {"group", "name", "tracer", "record_exception"}:
            return str.__eq__(self, other)
        raise RuntimeError("hostile")


class EndlessList(list):
    """A sequence that never ends when it is iterated."""

    def __iter__(self):
        return itertools.count()

    def __len__(self):
        return 2**60


HOSTILE_FACTORIES = {
    "typed": HostileTyped,
    "type": lambda: HostileTyped,
    "key": lambda: HostileKey("kind"),
    "endless": lambda: EndlessList([1]),
    "object": Hostile,
    "number": lambda: HostileInt(3),
    "text": lambda: HostileStr("s"),
    "mapping": lambda: HostileDict(a=1),
    "sequence": lambda: HostileList([1]),
    "class": lambda: Hostile,
    "pretended array": lambda: types.SimpleNamespace(item=1, ndim=0),
}


@dataclasses.dataclass(frozen=True)
class Placeholder:
    """Stands for a hostile object, which hypothesis itself could not handle."""

    kind: str


def armed(value):
    """Return `value` with every placeholder replaced by its hostile object."""
    if isinstance(value, Placeholder):
        return HOSTILE_FACTORIES[value.kind]()
    if isinstance(value, (list, tuple)):
        return type(value)(armed(item) for item in value)
    if isinstance(value, dict):
        return {armed(key): armed(item) for key, item in value.items()}
    return value


hostile = st.sampled_from([Placeholder(kind) for kind in HOSTILE_FACTORIES])
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(codec=None)),
    st.binary(),
    st.decimals(),
    st.datetimes(),
    st.complex_numbers(),
    hostile,
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=2), inner, max_size=2),
    ),
    max_leaves=6,
)
keys = st.text(st.characters(codec=None), max_size=8)
odd_keys = st.one_of(keys, st.none(), st.integers(), st.binary(), hostile)


def assert_recordable(attributes):
    """Check that every exporter could take `attributes`."""
    for key, value in attributes.items():
        assert type(key) is str
        key.encode("utf-8")
        items = value if type(value) is list else [value]
        assert len({type(item) for item in items}) <= 1
        for item in items:
            assert type(item) in (str, bool, int, float)
            assert type(item) is not int or -(2**63) <= item < 2**63
        json.dumps(value).encode("utf-8")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.one_of(keys, values), attributes=st.dictionaries(keys, values, max_size=4))
def test_nothing_that_callers_pass_raises(nemo_lens_recorder, nemo_lens_groups, name, attributes):
    """Arbitrary names, keys and values: every recorded span is one that exporters take."""
    nemo_lens_groups("step")
    nemo_lens_recorder.spans.clear()
    attributes = armed(attributes)
    keywords = {k: v for k, v in attributes.items() if k not in ("group", "name", "tracer")}
    with span_attributes(attributes), managed_span("step", armed(name), **keywords) as span:
        safe_set_span_attributes(span, attributes)
    emit_span(None, armed(name), 1, 2, attributes=attributes)
    create_linked_span(None, "linked", remote_context=armed(name)).end()
    with managed_span("step", "options", _span=SpanOptions(attributes=attributes)):
        pass
    assert len(nemo_lens_recorder.spans) == 4
    for recorded in nemo_lens_recorder.spans:
        assert type(recorded.name) is str
        recorded.name.encode("utf-8")
        assert_recordable(recorded.attributes)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.dictionaries(odd_keys, values, max_size=4), values))
def test_any_object_may_be_handed_in_as_the_mapping(nemo_lens_recorder, attributes):
    """Keys of any kind, mappings that fail, and things that are no mapping."""
    span = nemo_lens_recorder.get_tracer("t").start_span("a")
    safe_set_span_attributes(span, armed_mapping(attributes))
    assert_recordable(span.attributes)


def armed_mapping(value):
    """Arm `value`, leaving out of its keys what cannot be hashed."""
    if not isinstance(value, dict):
        return armed(value)
    unhashable = ("mapping", "sequence", "pretended array", "endless")
    return {
        armed(key): armed(item)
        for key, item in value.items()
        if not (isinstance(key, Placeholder) and key.kind in unhashable)
    }


@pytest.mark.parametrize("kind", HOSTILE_FACTORIES)
def test_hostile_objects_get_documented_errors_only(nemo_lens_recorder, nemo_lens_groups, kind):
    """Handed in wherever a helper takes an object."""
    nemo_lens_groups("step")
    thing = HOSTILE_FACTORIES[kind]()
    with contextlib.suppress(TypeError), span_attributes(thing):
        pass
    with attached_context(thing), managed_span("step", thing, _span=thing, kind=thing):
        safe_set_span_attributes(thing, {"a": 1})
        inject_context(thing)
        extract_context(thing)
        create_linked_span(None, "linked", remote_carrier=thing).end()
        create_linked_span(None, "linked", remote_context=thing).end()
        create_linked_span(thing, thing, a=thing).end()
        redact_value(thing, thing, redact_keys=thing)
        safe_set_span_attributes(trace.get_current_span(), {"a": thing}, redact_keys=thing)
    for tracer in (None, TracerOfFailingSpans()):
        with open_span("step", thing, tracer, a=thing) as handle:
            handle.set_attributes(thing)
            handle.set_attributes({"a": thing})
    with span_cm("cm", record_exception=False, _span=thing):
        pass
    with contextlib.suppress(ValueError):
        emit_span(None, thing, thing, 1, attributes=thing, context=thing)
    emit_span(None, thing, 1, 2, attributes={"a": thing}, context=thing)
    with managed_span("step", "lazy", _span=SpanOptions(attributes=lambda: thing)):
        mark("step", "m", context=thing, links=thing)
    with pytest.raises(HostileError), managed_span("step", "raising"):
        raise HostileError
    assert nemo_lens_recorder.span("raising").status.status_code is StatusCode.ERROR


class TracerOfFailingSpans(trace.NoOpTracer):
    """A tracer whose spans raise whatever is done with them."""

    def start_span(self, *args, **kwargs):
        """Return such a span."""
        refuse = mock.Mock(side_effect=RuntimeError("hostile"))
        names = ("set_attribute", "set_attributes", "add_event", "is_recording", "end")
        return mock.Mock(spec=trace.NonRecordingSpan, **dict.fromkeys(names, refuse))


@pytest.mark.parametrize("name", ["a", "kind", "links", "context", "_span"])
@pytest.mark.parametrize("noted", [False, True])
def test_keys_that_cannot_be_compared_are_recorded_as_plain_text(
    nemo_lens_recorder, nemo_lens_groups, name, noted
):
    """Even if they collide with the names of options, or with a key that was seen before."""
    nemo_lens_groups("step")
    if noted:
        with managed_span("step", "before", **{name: None if name == "_span" else 1}):
            pass
    value = "text"
    with managed_span("step", "s", **{HostileKey(name): value}):
        pass
    with span_cm("c", record_exception=False, **{HostileKey(name): value}):
        pass
    expected = {} if name == "_span" else {name: value}
    assert nemo_lens_recorder.span("s").attributes == expected
    assert nemo_lens_recorder.span("c").attributes == expected


@pytest.mark.parametrize(
    "sequence", [range(20_000_000), list(range(5000)), tuple(range(5000)), EndlessList([0] * 5000)]
)
def test_long_sequences_are_cut_and_counted(sequence):
    """A span is no place for a data set."""
    recorded = cleaned({"a": sequence})["a"]
    assert len(recorded) == MAX_ITEMS
    assert discarded() == {"long sequence": 1}


def test_the_items_of_a_sequence_are_read_past_its_own_methods():
    """A subclass may iterate over anything, for ever."""
    assert cleaned({"a": EndlessList([1, 2])}) == {"a": [1, 2]}


@pytest.mark.parametrize(
    "redact_keys",
    [
        lambda: (key for key in ["city", "street"]),
        lambda: {1, "City", "street", HostileTyped},
        lambda: [HostileKey("city"), "street"],
    ],
)
def test_redact_keys_may_be_any_iterable(nemo_lens_recorder, redact_keys):
    """They are read once for a whole mapping; what is no text in them is left out."""
    span = nemo_lens_recorder.get_tracer("t").start_span("a")
    given = {"city": "Oslo", "street": "Main", "home.street": "Side", "n": "x"}
    safe_set_span_attributes(span, given, redact_keys())
    hidden = dict.fromkeys(("city", "street", "home.street"), "[REDACTED]")
    assert span.attributes == {**hidden, "n": "x"}
    assert redact_value("street", "Main", redact_keys()) == "[REDACTED]"


def test_redact_keys_that_cannot_be_read_leave_the_default_in_force():
    """Rather too much hidden than a secret told."""
    assert redact_value("password", "p", redact_keys=5) == "[REDACTED]"
    assert redact_value("password", "p", redact_keys=HostileList()) == "[REDACTED]"
    assert discarded() == {"redact keys": 2}


def test_one_text_as_redact_keys_is_one_key():
    """It is not read letter by letter."""
    assert redact_value("city", "Oslo", redact_keys="city") == "[REDACTED]"
    assert redact_value("c", "x", redact_keys="city") == "x"
