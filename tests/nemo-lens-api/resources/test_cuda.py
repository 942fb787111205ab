# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""CUDA_VISIBLE_DEVICES as the CUDA runtime reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.resources.cuda import visible_devices

GPU = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"
MIG = "MIG-89c850dc-38e3-57df-85c7-690c186b68e9"


@pytest.mark.parametrize(
    ("value", "devices"),
    [
        ("0,1,2", ("0", "1", "2")),
        (" 3 , 1 ", ("3", "1")),
        ("+1,02", ("1", "2")),
        ("1gpu,2ampere", ("1", "2")),
        (f"{GPU},GPU-1", (GPU, "GPU-1")),
        (MIG, (MIG,)),
        ("MIG-GPU-8932f937/1/2", ("MIG-GPU-8932f937/1/2",)),
    ],
)
def test_ordinals_uuids_and_mig_devices_count(value, devices):
    """Entries of each kind are devices."""
    assert visible_devices(value) == devices


@pytest.mark.parametrize(
    "value", ["", " ", ",", "-1", "-1,0", "NoDevFiles", "none", "GPU-", "MIG-"]
)
def test_a_list_that_begins_invalid_shows_no_device(value):
    """Hiding all GPUs is done in many spellings."""
    assert visible_devices(value) == ()


@pytest.mark.parametrize("tail", ["-1,2", "", "x,2", f"{GPU},2", MIG])
def test_the_list_ends_at_the_first_invalid_entry(tail):
    """What precedes it stays visible."""
    assert visible_devices(f"0,1,{tail}") == ("0", "1")


def test_an_entry_of_another_kind_ends_a_list_of_uuids():
    """The first entry says what the list is made of."""
    assert visible_devices(f"{GPU},0,GPU-2") == (GPU,)


@pytest.mark.parametrize("value", ["0,0", "1,2,1", "0,00", f"{GPU},{GPU}"])
def test_a_device_that_is_named_twice_hides_all(value):
    """The runtime refuses such a list."""
    assert visible_devices(value) == ()


def test_only_the_first_of_several_mig_devices_is_seen():
    """A process can use one MIG device."""
    assert visible_devices(f"{MIG},MIG-2") == (MIG,)


@given(st.lists(st.integers(min_value=0, max_value=99), unique=True, min_size=1))
def test_every_list_of_distinct_ordinals_is_seen_in_its_order(ordinals):
    """The usual case."""
    assert visible_devices(",".join(map(str, ordinals))) == tuple(map(str, ordinals))


@given(st.text())
def test_reading_never_raises(value):
    """The variable may hold anything."""
    visible_devices(value)
