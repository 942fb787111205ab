# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The types of resource attributes."""

from __future__ import annotations

import logging

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nemo.lens import semconv
from nemo.lens.semconv.resources import (
    DL_RESOURCE_TYPES,
    GPU_RESOURCE_TYPES,
    RESOURCE_TYPES,
    SLURM_RESOURCE_ATTRIBUTE_KEYS,
    SLURM_RESOURCE_ATTRIBUTE_NORMALIZERS,
    SLURM_RESOURCE_TYPES,
    SLURM_RETIRED_RESOURCE_ATTRIBUTE_KEYS,
    convert_integer,
    normalize_resource_attributes,
)


@pytest.mark.parametrize(
    ("value", "integer"), [(7, 7), (-7, -7), ("7", 7), (" +007 ", 7), ("-1", -1), ("0", 0)]
)
def test_integers_and_their_digits_are_integers(value, integer):
    """A sign, leading zeros and blanks around are fine."""
    assert convert_integer(value) == integer


@pytest.mark.parametrize(
    "value",
    [
        *("", " ", "1_0", "1.0", "0x10", "٣", "+", "1 2", str(2**63), "9" * 5000),
        *(True, 1.0, None, b"1", 2**63, -(2**63) - 1, 10**5000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_refused(value):
    """Neither booleans nor floats nor other spellings count as integers."""
    with pytest.raises(ValueError, match="expected a base-10 integer"):
        convert_integer(value)


@given(st.integers(min_value=-(2**63), max_value=2**63 - 1))
def test_every_integer_survives_being_written_as_text(integer):
    """What travels through the environment comes back."""
    assert convert_integer(str(integer)) == integer


def test_the_tables_cover_the_attributes_of_the_contract():
    """SLURM has its live attributes and the UUIDs, DL the identity, GPU its numbers."""
    assert len(SLURM_RESOURCE_TYPES) == 23
    assert len(DL_RESOURCE_TYPES) == 20
    assert set(GPU_RESOURCE_TYPES) == {semconv.NV_GPU_INDEX, semconv.NV_GPU_MEMORY_TOTAL}
    assert len(RESOURCE_TYPES) == 45
    assert {semconv.NV_DL_JOB_UUID, semconv.NV_DL_RUN_UUID} < SLURM_RESOURCE_TYPES.keys()
    assert set(SLURM_RETIRED_RESOURCE_ATTRIBUTE_KEYS).isdisjoint(SLURM_RESOURCE_TYPES)
    assert SLURM_RESOURCE_ATTRIBUTE_NORMALIZERS is SLURM_RESOURCE_TYPES
    assert frozenset(SLURM_RESOURCE_TYPES) == SLURM_RESOURCE_ATTRIBUTE_KEYS


@pytest.mark.parametrize(
    ("name", "value", "typed"),
    [
        (semconv.NV_DL_RANK, "3", 3),
        (semconv.NV_DL_TRAINING_TARGET_TRAIN_TOKENS, "15000000000000", 15_000_000_000_000),
        (semconv.NV_DL_ROLE, "trainer", "trainer"),
        (semconv.NV_DL_SOFTWARE_CUDA, 12, "12"),
        (semconv.NV_GPU_MEMORY_TOTAL, "85520809984", 85_520_809_984),
        (semconv.NV_GPU_MODEL, 5, 5),
        (semconv.SLURM_NNODES, "four", "four"),
        ("team", "a", "a"),
    ],
)
def test_known_attributes_get_their_types(name, value, typed, caplog):
    """Text from the environment becomes what the model says; SLURM's and foreign ones stay."""
    assert normalize_resource_attributes({name: value}) == {name: typed}
    assert not caplog.records


class _Hostile:
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.mark.parametrize("value", ["abc", None, True, 3.5, _Hostile()])
def test_an_inconvertible_value_stays_and_one_warning_names_it(value, caplog):
    """Nothing is lost and nothing raises."""
    result = normalize_resource_attributes({semconv.NV_DL_RANK: value, "a": 1})
    assert result[semconv.NV_DL_RANK] is value
    assert result["a"] == 1
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("nemo.lens.semconv.resources", logging.WARNING)
    assert "'nv.dl.rank' requires a base-10 integer" in record.getMessage()


def test_a_text_attribute_that_has_no_text_stays_too():
    """A foreign object may refuse to be text."""
    value = _Hostile()
    assert normalize_resource_attributes({semconv.NV_DL_ROLE: value}) == {"nv.dl.role": value}


@given(st.dictionaries(st.sampled_from(sorted(RESOURCE_TYPES)), st.text() | st.integers()))
@example({"nv.dl.rank": "\udc80"})
def test_normalisation_never_raises_and_keeps_all_names(attributes):
    """Whatever the values are."""
    assert normalize_resource_attributes(attributes).keys() == attributes.keys()
