# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A specification that no instrument could be made from is refused when it is written."""

import enum
import json
import math

import numpy as np
import pytest

from nemo.lens.instruments import METRIC_KINDS, OBSERVABLE_METRIC_KINDS, MetricSpec


def report(_options):
    """Report nothing."""
    return []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"key": "", "name": "n"}, "key must be"),
        ({"key": "k", "name": ""}, "name must be"),
        ({"key": "k", "name": "n", "kind": "dial"}, "not one of"),
        ({"key": "k", "name": "n", "kind": "observable_gauge"}, "requires a callback"),
        ({"key": "k", "name": "n", "callback": report}, "only used by"),
        ({"key": "k", "name": "n", "buckets": (1.0,)}, "belong to histograms"),
        ({"key": "k", "name": "n", "kind": "histogram", "buckets": (2, 1)}, "ascending"),
        ({"key": "k", "name": "n", "kind": "histogram", "buckets": ()}, "not empty"),
        ({"key": 5, "name": "n"}, "key must be a non-empty string, got 5"),
        ({"key": None, "name": "n"}, "key must be"),
        ({"key": "k", "name": ["n"]}, "name must be a non-empty string, got"),
        ({"key": "k", "name": "n", "kind": []}, "not one of"),
        ({"key": "k", "name": "n", "kind": None}, "not one of"),
        ({"key": "k", "name": "n", "unit": 1}, "unit must be a string, got 1"),
        ({"key": "k", "name": "n", "description": None}, "description must be a string"),
        ({"key": "k", "name": "n", "owner": 5}, "owner must be a string"),
        ({"key": "k", "name": "n", "seconds_name": 5}, "seconds_name must be a string"),
        ({"key": "k", "name": "n", "kind": "observable_gauge", "callback": 5}, "requires a callb"),
        ({"key": "k", "name": "n", "attributes": "ab"}, "tuple of attribute names"),
        ({"key": "k", "name": "n", "attributes": (1,)}, "tuple of attribute names"),
        ({"key": "k", "name": "n", "attributes": None}, "tuple of attribute names"),
        *(
            ({"key": "k", "name": "n", "kind": "histogram", "buckets": buckets}, "finite numbers")
            for buckets in [
                *((1, "a"), ("a",), 5, "12", (math.nan,), (1.0, math.nan), (1, math.inf)),
                *((-math.inf, 1), (None,), object(), (1, 1), ((1, 2),)),
            ]
        ),
    ],
)
def test_refuses_what_cannot_work(arguments, complaint):
    """The message says what is wrong with which metric."""
    with pytest.raises(ValueError, match=complaint):
        MetricSpec(**arguments)


class Kind(str, enum.Enum):
    """Kinds as some libraries keep them."""

    HISTOGRAM = "histogram"


def test_members_of_text_enumerations_are_their_text():
    """So a kind finds its instrument."""
    spec = MetricSpec("k", "lib.k", Kind.HISTOGRAM)
    assert type(spec.kind) is str
    assert spec.kind == "histogram"


def test_bounds_of_any_sequence_of_numbers_become_a_tuple_of_plain_ones():
    """They are shared between threads, and written as JSON."""
    spec = MetricSpec("k", "lib.k", "histogram", buckets=np.arange(3))
    assert spec.buckets == (0, 1, 2)
    assert json.dumps(spec.buckets) == "[0, 1, 2]"
    assert MetricSpec("k", "lib.k", "histogram", buckets=[0.5, 1]).buckets == (0.5, 1)


@pytest.mark.parametrize("kind", sorted(METRIC_KINDS))
def test_takes_every_documented_kind(kind):
    """Each kind can be declared, observable ones with their callback."""
    callback = report if kind in OBSERVABLE_METRIC_KINDS else None
    assert MetricSpec("k", "n", kind, callback=callback).is_observable is (callback is not None)


def test_cannot_be_changed_afterwards():
    """Specifications are shared between threads, so they are frozen."""
    with pytest.raises(AttributeError):
        MetricSpec("k", "n").unit = "s"
