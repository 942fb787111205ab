# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How text becomes a value of each type, and which values set in code are accepted."""

from __future__ import annotations

import enum
import signal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.configuration.value_types import (
    Boolean,
    GroupSpec,
    Integer,
    Names,
    Real,
    Signals,
    Text,
    Words,
)

TYPES = {
    "boolean": Boolean(),
    "optional boolean": Boolean(optional=True),
    "integer": Integer(-3, 7),
    "real": Real(0, 1),
    "text": Text(),
    "verbatim text": Text(keeps_blanks=True),
    "group specification": GroupSpec(),
    "word": Words("grpc", "http/json"),
    "words": Words("otlp", "console", "file", several=True),
    "names": Names(),
    "signals": Signals(),
}

texts = st.binary(max_size=40).map(lambda raw: raw.decode("utf-8", "surrogateescape")) | st.text()


class Hostile:
    """A value from user code that raises whatever it is asked."""

    def __eq__(self, other):
        raise RuntimeError

    def __index__(self):
        raise RuntimeError

    __float__ = __index__
    __hash__ = None


class Exporter(str, enum.Enum):
    """A member of a text enumeration, as applications pass for text."""

    CONSOLE = "console"


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
@given(text=texts)
def test_any_text_parses_or_is_a_value_error(kind, text):
    """No text does anything else, and what it parses to is accepted and survives rendering."""
    try:
        value = kind.parse(text)
    except ValueError:
        return
    assert kind.accepts(value)
    assert kind.canonical(value) == value
    if kind.render(value):
        assert kind.parse(kind.render(value)) == value


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("value", [Hostile(), object(), 3j, b"x", {}, np.array([1, 2])], ids=repr)
def test_values_of_foreign_types_are_refused_without_an_error(kind, value):
    """`accepts` answers whatever it is asked about."""
    assert kind.accepts(value) is False


@pytest.mark.parametrize(
    ("text", "value"),
    [(text, True) for text in ("1", "TRUE", " yes ", "On")]
    + [(text, False) for text in ("0", "false", "NO", "off")],
)
def test_booleans_have_four_spellings_in_any_case(text, value):
    """The spellings of shells, YAML and people."""
    assert Boolean().parse(text) is value


@pytest.mark.parametrize("text", ["2", "maybe", "t", "truefalse", "1.0", "None"])
def test_other_words_are_no_booleans(text):
    """Nothing is guessed."""
    with pytest.raises(ValueError):
        Boolean().parse(text)


@pytest.mark.parametrize("value", [True, False, 0, 1, np.bool_(True)])
def test_booleans_of_other_libraries_become_plain_ones(value):
    """The booleans of numpy and 0 and 1 are what they equal."""
    assert Boolean().accepts(value)
    assert Boolean().canonical(value) is bool(value)


@pytest.mark.parametrize("value", ["false", "1", 2, None])
def test_text_in_place_of_a_boolean_is_refused(value):
    """`"false"` is true in Python, so it is never taken for a boolean."""
    assert not Boolean().accepts(value)


def test_none_is_a_value_of_an_optional_boolean_only():
    """`None` says: decide for me."""
    assert Boolean(optional=True).accepts(None)
    assert Boolean(optional=True).canonical(None) is None
    assert Boolean(optional=True).render(None) == ""


@pytest.mark.parametrize(("text", "value"), [("7", 7), (" -3 ", -3), ("+1", 1), ("007", 7)])
def test_integers_are_read_in_base_10(text, value):
    """Digits, a sign and blanks around them."""
    assert Integer(-3, 7).parse(text) == value


@pytest.mark.parametrize("text", ["8", "-4", "1_0", "0x1", "1.0", "1e0", "٣", "9" * 6000, "abc"])
def test_other_spellings_and_numbers_out_of_bounds_are_no_integers(text):
    """What only Python would read as a number is refused too."""
    with pytest.raises(ValueError):
        Integer(-3, 7).parse(text)


@pytest.mark.parametrize(("value", "accepted"), [(np.int64(5), True), (True, False), (5.0, False)])
def test_integers_in_code_may_come_from_numpy_but_not_from_other_types(value, accepted):
    """An integer is what says that it is one."""
    assert Integer(-3, 7).accepts(value) is accepted


@pytest.mark.parametrize("text", ["nan", "inf", "-0.1", "1.01", "1e400", "0_1", "half", "1,0"])
def test_reals_lie_between_their_bounds(text):
    """NaN is refused, as it compares with nothing."""
    with pytest.raises(ValueError):
        Real(0, 1).parse(text)


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.25)])
def test_reals_in_code_become_floats(value):
    """Any real number in bounds is accepted."""
    assert Real(0, 1).accepts(value)
    assert type(Real(0, 1).canonical(value)) is float


@pytest.mark.parametrize("value", [True, "0.5", float("nan"), 1.5])
def test_what_is_no_number_in_bounds_is_refused(value):
    """Neither booleans nor text count as numbers."""
    assert not Real(0, 1).accepts(value)


def test_text_is_made_fit_for_export():
    """Bytes that are not UTF-8 and unpaired surrogates are written out; NUL becomes U+FFFD."""
    undecodable = b"a\xff\xfeb".decode("utf-8", "surrogateescape")
    assert Text().parse(undecodable) == r"a\udcff\udcfeb"
    assert Text().parse("a\ud800b\0") == "a\\ud800b\ufffd"
    assert Text().parse(" ä 🚀 ") == "ä 🚀"


def test_text_enumerations_become_plain_text():
    """A member of a text enumeration is its value, not its name."""
    assert type(Text().canonical(Exporter.CONSOLE)) is str
    assert Text().canonical(Exporter.CONSOLE) == "console"
    assert Text().canonical(None) == ""


@pytest.mark.parametrize("text", [",", " , ,", ""])
def test_commas_alone_are_the_empty_group_specification(text):
    """An empty variable means unset, so the empty specification has a spelling of its own."""
    assert GroupSpec().parse(text) == ""
    assert GroupSpec().render("") == ","


def test_words_are_read_in_any_case_and_order_without_repetitions():
    """Lists are tolerant in form, strict in content."""
    assert TYPES["words"].parse(" File,OTLP,,file") == "file,otlp"
    assert TYPES["word"].parse(" HTTP/JSON ") == "http/json"


@pytest.mark.parametrize("text", ["pigeon", "otlp,pigeon", ",", "otlp;file"])
def test_unknown_words_are_refused(text):
    """One unknown word spoils the list: a typo never loses a signal in silence."""
    with pytest.raises(ValueError):
        TYPES["words"].parse(text)


def test_names_become_a_tuple_without_blanks_and_repetitions():
    """A variable and code give the same tuple."""
    assert Names().parse(" a , b,,a ") == ("a", "b")
    assert Names().canonical(["a", " b", "a"]) == ("a", "b")
    assert Names().canonical({"b", "a"}) == ("a", "b")


@pytest.mark.parametrize("value", ["api_key", ["a,b"], [1], None])
def test_a_single_text_is_not_a_collection_of_names(value):
    """A text would be taken apart letter by letter."""
    assert not Names().accepts(value)


def test_signals_are_named_with_or_without_sig():
    """The names of kill(1) and of Python's `signal` module."""
    assert Signals().parse("usr1, SIGHUP") == ("SIGUSR1", "SIGHUP")
    assert all(name in signal.Signals.__members__ for name in Signals().parse("usr1, SIGHUP"))


@pytest.mark.parametrize("text", ["SIGKILL", "stop", "SIGNONSENSE", "10", "_DFL"])
def test_signals_that_nobody_can_catch_are_refused(text):
    """A handler that cannot exist is an error at set-up, not a surprise at the end."""
    with pytest.raises(ValueError):
        Signals().parse(text)
