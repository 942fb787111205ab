# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The data of the demo."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.cli.demo import penguins


def test_every_record_is_a_penguin_of_a_known_species():
    """All 342 lines decode, and each species occurs as often as in the published table."""
    examples = [penguins.decode(record) for record in penguins.read_records()]

    labels = [example.label for example in examples]
    assert [labels.count(label) for label in range(3)] == [151, 68, 123]
    assert all(len(example.features) == penguins.FEATURES for example in examples)


def test_measurements_are_standardised():
    """Each column has a mean about 0 and a deviation about 1, whatever its unit was."""
    columns = zip(*(penguins.decode(r).features for r in penguins.read_records()), strict=True)

    for column in columns:
        assert math.isclose(statistics.mean(column), 0.0, abs_tol=0.01)
        assert math.isclose(statistics.stdev(column), 1.0, abs_tol=0.01)


def test_training_never_sees_held_out_penguins():
    """The two parts are disjoint by position and together hold every record."""
    records = [f"{number}" for number in range(342)]

    training = penguins.training_records(records)
    held_out = penguins.held_out_records(records)

    assert not set(training) & set(held_out)
    assert sorted(training + held_out) == sorted(records)
    assert len(held_out) == 69


@given(st.lists(st.integers()), st.integers(1, 64))
def test_shards_cover_everything_once(items, world_size):
    """Whatever the number of ranks, no item is lost and none is given twice."""
    shards = [penguins.shard(items, rank, world_size) for rank in range(world_size)]

    assert sorted(item for part in shards for item in part) == sorted(items)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


@pytest.mark.parametrize("batch_size", [1, 7, 96])
def test_a_pass_over_the_shard_shows_each_record_once(batch_size):
    """Batches may cross the end of a pass, and no record is favoured."""
    records = penguins.read_records()[:14]
    batches = penguins.batches(records, batch_size, seed=1)
    drawn = []
    while len(drawn) < 14 * batch_size:
        drawn += next(batches)

    expected = [penguins.decode(record) for record in records]
    assert all(drawn.count(example) == batch_size for example in expected)


def test_the_order_depends_on_the_seed_alone():
    """Two ranks with one seed would draw alike; different seeds differ."""
    records = penguins.read_records()

    first, again, other = (next(penguins.batches(records, 32, seed)) for seed in (1, 1, 2))

    assert first == again
    assert first != other
