# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Resource attributes in OTEL_RESOURCE_ATTRIBUTES."""

from __future__ import annotations

import enum
import logging
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nemo.lens.resources import attributes as module
from nemo.lens.resources.attributes import (
    OTEL_RESOURCE_ATTRIBUTES,
    check_resource_attributes,
    duplicate_otel_resource_attribute_keys,
    extend_otel_resource_attributes,
    format_otel_resource_attributes,
    get_otel_resource_attributes,
    parse_otel_resource_attributes,
    publish_otel_resource_attributes,
    set_otel_resource_attributes,
)


def _encodable(text):
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _is_name(text):
    return text == text.strip() and not set(text) & set(",=\0") and _encodable(text)


NAMES = st.text(min_size=1, max_size=8).filter(_is_name)
SCALARS = st.text(max_size=8).filter(_encodable) | st.booleans() | st.integers()


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        (None, {}),
        ("", {}),
        ("a=1,b=2", {"a": "1", "b": "2"}),
        (" a = 1 ,b=", {"a": "1", "b": ""}),
        ("team=a%2Cb", {"team": "a,b"}),
        ("k=x=y", {"k": "x=y"}),
        ("=,,x, =1,a==b,k=%ZZ,ok=1", {"a": "=b", "k": "%ZZ", "ok": "1"}),
        ("a=1,a=2", {"a": "2"}),
    ],
)
def test_text_is_parsed_as_the_specification_says(text, attributes):
    """Broken items are left out, the rest counts."""
    assert parse_otel_resource_attributes(text) == attributes


@given(st.dictionaries(NAMES, SCALARS))
@example({"nv.dl.rank": 3, "text": "a,b=c% ü"})
def test_what_is_formatted_is_parsed_back(attributes):
    """Every name and scalar survives the environment, as text."""
    text = format_otel_resource_attributes(attributes)
    assert parse_otel_resource_attributes(text) == {
        name: str(value) for name, value in attributes.items()
    }


@given(st.dictionaries(st.text() | st.integers(), st.text() | st.floats() | st.binary()))
def test_formatting_never_raises(attributes):
    """What cannot be carried is left out."""
    format_otel_resource_attributes(attributes).encode()


def test_none_is_left_out_and_the_empty_string_is_kept(caplog):
    """None means that nothing was given; empty is a value."""
    assert format_otel_resource_attributes({"a": None, "b": "", "c": True}) == "b=,c=True"
    assert not caplog.records


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({3: "x"}, "is not a string"),
        ({"": "x"}, "cannot be carried"),
        ({"a,b": "x"}, "cannot be carried"),
        ({"a=b": "x"}, "cannot be carried"),
        ({"a\0": "x"}, "cannot be carried"),
        ({"a": ["x"]}, "cannot be carried"),
        ({"a": "\udc80"}, "not valid UTF-8"),
        ({"\udc80": "x"}, "not valid UTF-8"),
        ({"a": 10**5000}, "too long a number"),
    ],
    ids=range(9),
)
def test_what_cannot_be_carried_is_left_out_with_a_warning(attributes, message, caplog):
    """One warning each, and the other attributes are carried."""
    assert format_otel_resource_attributes({**attributes, "ok": 1}) == "ok=1"
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("nemo.lens.resources.attributes", logging.WARNING)
    assert message in record.getMessage()


class Partition(str, enum.Enum):
    """How launchers keep names."""

    BATCH = "batch"


class Level(enum.IntEnum):
    """How they keep numbers."""

    HIGH = 3


class _Text(str):
    """Says something else of itself than it holds."""

    __slots__ = ()

    def __str__(self):
        return "another"

    strip = __str__


class _HostileType(type):
    """The type of objects that cannot even be named."""

    @property
    def __name__(cls):
        raise RuntimeError("no name")


class _Hostile(metaclass=_HostileType):
    @property
    def __class__(self):
        raise RuntimeError("no class")

    def __repr__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Partition.BATCH, "batch"),
        (Level.HIGH, "3"),
        (_Text("mine"), "mine"),
        (np.float64(0.5), "0.5"),
        (True, "True"),
    ],
)
def test_subclasses_of_scalars_are_carried_as_what_they_hold(value, text):
    """Not as the names of enum members, nor as what their own methods say."""
    assert format_otel_resource_attributes({"a": value}) == f"a={text}"


def test_names_are_carried_as_what_they_hold():
    """Text of any subclass may be a name."""
    assert format_otel_resource_attributes({_Text(" a "): 1, Partition.BATCH: 2}) == "a=1,batch=2"


@pytest.mark.parametrize("attributes", [{"a": _Hostile()}, {_Hostile(): "x"}], ids=["value", "key"])
def test_hostile_objects_are_left_out_with_a_warning(attributes, caplog):
    """Their types decide, and nothing asks them about themselves."""
    assert format_otel_resource_attributes({**attributes, "ok": 1}) == "ok=1"
    (record,) = caplog.records
    assert "Hostile" in record.getMessage()


def test_names_that_are_equal_without_blanks_give_one_item():
    """The last value stands at the first place."""
    assert format_otel_resource_attributes({"a": 1, "b": 2, " a ": 3}) == "a=3,b=2"


def test_the_variable_of_this_process_is_read_and_written(monkeypatch):
    """Without an environment the one of this process counts."""
    monkeypatch.setenv(OTEL_RESOURCE_ATTRIBUTES, "old=1")
    assert get_otel_resource_attributes() == {"old": "1"}
    assert set_otel_resource_attributes({"new": 2}) == "new=2"
    assert os.environ[OTEL_RESOURCE_ATTRIBUTES] == "new=2"


def test_a_text_is_extended_and_nothing_is_written(monkeypatch):
    """Defaults give way to the text, overrides do not."""
    monkeypatch.delenv(OTEL_RESOURCE_ATTRIBUTES, raising=False)
    text = extend_otel_resource_attributes(
        "a=1,b=2", defaults={"a": 9, "c": 3}, overrides={"b": "x y"}
    )
    assert parse_otel_resource_attributes(text) == {"a": "1", "b": "x y", "c": "3"}
    assert OTEL_RESOURCE_ATTRIBUTES not in os.environ
    assert extend_otel_resource_attributes(None) == ""


@pytest.mark.parametrize("before", [None, "", "a=1,a=2,%"])
def test_publishing_restores_the_exact_previous_state(before):
    """Nested blocks each restore theirs, also that there was no variable."""
    environ = {} if before is None else {OTEL_RESOURCE_ATTRIBUTES: before}
    original = dict(environ)
    with publish_otel_resource_attributes({"b": 1}, environ=environ):
        assert environ == {OTEL_RESOURCE_ATTRIBUTES: "b=1"}
        with publish_otel_resource_attributes({"c": 2}, environ=environ) as text:
            assert environ[OTEL_RESOURCE_ATTRIBUTES] == text == "c=2"
        assert environ == {OTEL_RESOURCE_ATTRIBUTES: "b=1"}
    assert environ == original


def test_publishing_restores_after_an_error():
    """The error passes through."""
    environ = {OTEL_RESOURCE_ATTRIBUTES: "a=1"}
    with pytest.raises(KeyError), publish_otel_resource_attributes({"b": 1}, environ=environ):
        raise KeyError
    assert environ == {OTEL_RESOURCE_ATTRIBUTES: "a=1"}


def test_a_child_process_inherits_what_is_published():
    """The variable is the channel that survives exec."""
    code = "from nemo.lens.resources.attributes import *; print(get_otel_resource_attributes())"
    with publish_otel_resource_attributes({"nv.dl.rank": 3, "nv.dl.role": "ckpt_worker"}):
        output = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True
        ).stdout
    assert output.decode().strip() == "{'nv.dl.rank': '3', 'nv.dl.role': 'ckpt_worker'}"


def test_a_check_finds_what_is_missing_empty_forbidden_and_doubled():
    """A launcher looks before it starts a thousand processes."""
    check = check_resource_attributes(
        {"a": "1", "b": "", "c": None, "d": 0, "host.name": "x"},
        required=("a", "b", "c", "d", "e"),
        forbidden=("host.name", "z"),
        env_value="a=1,b=,a=2",
    )
    assert check == module.ResourceAttributeCheck(
        missing=("e",), empty=("b", "c"), forbidden=("host.name",), duplicates=("a",)
    )
    assert not check.ok
    assert check_resource_attributes({"a": 1}, required=("a",), env_value="a=1").ok


def test_duplicates_are_listed_once_in_their_first_order():
    """Broken items do not count."""
    assert duplicate_otel_resource_attribute_keys("b=1,a=1, b =2,a=3,a=4,c,c") == ("b", "a")
    assert duplicate_otel_resource_attribute_keys(None) == ()
