# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What set-up accepts as its arguments; without the sdk."""

from __future__ import annotations

import numpy as np
import pytest

from nemo.lens import NemoLensConfig, setup_telemetry
from nemo.lens.setup_arguments import (
    NOT_GIVEN,
    SetupArguments,
    checked_count,
    refuse_unusable_parts,
)


class _Hostile:
    def __int__(self):
        raise RuntimeError("no number")

    __index__ = __str__ = __repr__ = __int__


NO_RANKS = [
    *(float("inf"), float("nan"), 2.7, True, -1, 2**63, "1_0", "1.0", "\u0663", "", [0]),
    pytest.param(_Hostile(), id="hostile"),
]


@pytest.mark.parametrize("value", NO_RANKS)
def test_a_bad_rank_argument_is_a_value_error_that_names_it(value):
    """By the same rule as in the resource, whatever the value does when it is looked at."""
    with pytest.raises(ValueError, match=r"rank=.* is not usable"):
        checked_count("rank", value, least=0)


@pytest.mark.parametrize("value", [7, "7", np.int32(7)])
def test_a_good_rank_argument_is_a_plain_int(value):
    """Nothing else goes on from here."""
    count = checked_count("rank", value, least=0)
    assert (count, type(count)) == (7, int)


@pytest.mark.parametrize("value", [None, NOT_GIVEN])
def test_an_argument_that_was_not_given_is_none(value):
    """None counts as not given."""
    assert checked_count("rank", value, least=0) is None


class _Part:
    """Looks like an exporter and a reader at once."""

    def export(self, spans):
        """Export nothing."""

    collect = force_flush = shutdown = export


class _Evil:
    """Raises whatever it is asked."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        raise RuntimeError("eq")

    def __repr__(self):
        raise RuntimeError("repr")

    __hash__ = None


def _arguments(**given):
    nothing = dict.fromkeys(
        (
            "rank",
            "world_size",
            "resource_attributes",
            "span_exporter",
            "metric_reader",
            "export_strategy",
        )
    )
    return SetupArguments.checked(**{**nothing, **given})


def test_parts_are_accepted_for_what_they_can_do():
    """A process that does not export knows no class of the OpenTelemetry SDK."""
    refuse_unusable_parts(None, None)
    refuse_unusable_parts(_Part(), _Part())


@pytest.mark.parametrize("name", ["span_exporter", "metric_reader", "export_strategy"])
@pytest.mark.parametrize(
    "value", [0, b"x", [], object(), pytest.param(_Evil(), id="evil")], ids=repr
)
def test_what_cannot_work_is_a_type_error_that_names_the_argument(name, value):
    """Whatever the value does when it is looked at."""
    with pytest.raises(TypeError, match=f"setup_telemetry: {name}=.* not usable; expected "):
        _arguments(**{name: value})


@pytest.mark.parametrize(
    "strategy",
    [
        "all_ranks",
        lambda config, rank, world_size: True,
        lambda *arguments: True,
        lambda config, rank, world_size, more=1: True,
        max,  # a builtin without a signature
    ],
)
def test_a_strategy_is_a_name_or_takes_three(strategy):
    """What has no signature is found out about when it is called."""
    assert _arguments(export_strategy=strategy).export_strategy is strategy


@pytest.mark.parametrize(
    "strategy", [lambda: True, lambda config, rank: True, lambda a, b, c, d: True]
)
def test_a_strategy_that_takes_another_number_is_refused(strategy):
    """Before it is called."""
    with pytest.raises(TypeError, match=r"callable \(config, rank, world_size\)"):
        _arguments(export_strategy=strategy)


def test_a_set_up_names_what_it_was_given_and_another_one_was_not():
    """An equal value is no difference; what cannot be compared is one."""
    part = _Part()
    first = _arguments(rank=0, span_exporter=part, resource_attributes={"a": 1})
    assert _arguments().differing_from(first) == []
    same = _arguments(rank="0", span_exporter=part, resource_attributes={"a": 1})
    assert same.differing_from(first) == []
    other = _arguments(rank=1, resource_attributes={"a": _Evil()}, metric_reader=part)
    assert other.differing_from(first) == ["rank", "resource_attributes", "metric_reader"]
    assert other.differing_from(None) == ["rank", "resource_attributes", "metric_reader"]


@pytest.mark.parametrize("config", [None, {}, "on", pytest.param(_Evil(), id="evil")])
def test_what_is_no_configuration_is_a_type_error(config):
    """Disabled or not cannot be told from it."""
    with pytest.raises(TypeError, match=r"config=.*expected a NemoLensConfig"):
        setup_telemetry(config)


def test_a_process_that_does_not_export_refuses_the_same_arguments():
    """A mistake shows on every rank, not on the last one alone."""
    for arguments in ({"span_exporter": 1}, {"metric_reader": 1}, {"export_strategy": 1}):
        with pytest.raises(TypeError, match=next(iter(arguments))):
            setup_telemetry(NemoLensConfig(enabled=True), rank=0, world_size=2, **arguments)
