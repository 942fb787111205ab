# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Composition and conversion of attributes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.semconv.encoding import compose_attributes, convert_attribute

ATTRIBUTES = st.dictionaries(st.sampled_from("abcd"), st.sampled_from([None, "", "x", 0, 1]))


@given(current=ATTRIBUTES, defaults=ATTRIBUTES, overrides=ATTRIBUTES)
def test_overrides_win_over_what_is_there_and_that_over_defaults(current, defaults, overrides):
    """Each name has the value of the strongest source that has it, None and empty included."""
    composed = compose_attributes(current, defaults=defaults, overrides=overrides)
    assert composed.keys() == current.keys() | defaults.keys() | overrides.keys()
    for name, value in composed.items():
        source = next(source for source in (overrides, current, defaults) if name in source)
        assert value == source[name]


def test_composition_leaves_its_arguments_alone():
    """The result is a new dict."""
    current = {"a": 1}
    composed = compose_attributes(current, overrides={"a": 2})
    composed["b"] = 3
    assert current == {"a": 1}


def test_an_attribute_with_a_converter_is_converted():
    """The converter of the name makes the value."""
    assert convert_attribute("n", "7", {"n": int}) == 7


def test_an_attribute_without_a_converter_keeps_its_value():
    """Unknown names pass through."""
    value = object()
    assert convert_attribute("other", value, {"n": int}) is value


def test_the_refusal_of_a_converter_reaches_the_caller():
    """Who converts decides what a wrong value means."""
    with pytest.raises(ValueError, match="invalid literal"):
        convert_attribute("n", "seven", {"n": int})
