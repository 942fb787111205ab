# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A specification that no instrument could be made from is refused when it is written."""

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
    ],
)
def test_refuses_what_cannot_work(arguments, complaint):
    """The message says what is wrong with which metric."""
    with pytest.raises(ValueError, match=complaint):
        MetricSpec(**arguments)


@pytest.mark.parametrize("kind", sorted(METRIC_KINDS))
def test_takes_every_documented_kind(kind):
    """Each kind can be declared, observable ones with their callback."""
    callback = report if kind in OBSERVABLE_METRIC_KINDS else None
    assert MetricSpec("k", "n", kind, callback=callback).is_observable is (callback is not None)


def test_cannot_be_changed_afterwards():
    """Specifications are shared between threads, so they are frozen."""
    with pytest.raises(AttributeError):
        MetricSpec("k", "n").unit = "s"
