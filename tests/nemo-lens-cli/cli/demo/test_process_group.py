# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Collectives over real pipes; each rank is a thread here, a process in the integration tests."""

from __future__ import annotations

from array import array
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemo.lens.cli.demo import process_group
from nemo.lens.cli.demo.process_group import PeerLostError, ProcessGroup, connect


def on_every_rank(world_size, work):
    """Run ``work(group, rank)`` on each rank at once and return the results in order."""
    links = connect(world_size)
    try:
        groups = [ProcessGroup(rank, links[rank]) for rank in range(world_size)]
        with ThreadPoolExecutor(world_size) as pool:
            return list(pool.map(work, groups, range(world_size)))
    finally:
        for link in (link for rank in links for link in rank):
            link.close()


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 6), st.lists(st.integers(-1000, 1000), min_size=1, max_size=50))
def test_all_reduce_gives_every_rank_the_same_sums(world_size, values):
    """The result is the element-wise sum, bit for bit alike everywhere."""

    def work(group, rank):
        return group.all_reduce_sum(array("d", [value * (rank + 1) for value in values]))

    results = on_every_rank(world_size, work)

    factor = world_size * (world_size + 1) // 2
    assert results == [array("d", [value * factor for value in values])] * world_size


@pytest.mark.parametrize("world_size", [1, 2, 5])
def test_broadcast_gives_every_rank_the_values_of_rank_0(world_size):
    """What the other ranks pass in does not matter."""
    results = on_every_rank(
        world_size, lambda group, rank: group.broadcast(array("d", [rank, rank + 0.5]))
    )

    assert results == [array("d", [0.0, 0.5])] * world_size


@pytest.mark.parametrize(("lost", "noticing"), [(1, 0), (0, 1)])
def test_a_rank_that_ended_is_named(lost, noticing):
    """The others fail at once with its number, they do not wait."""
    links = connect(2)
    links[lost][0].close()
    group = ProcessGroup(noticing, links[noticing])

    with pytest.raises(PeerLostError, match=f"rank {lost} has ended"):
        group.all_reduce_sum(array("d", [1.0]))
    links[noticing][0].close()


def test_a_rank_that_never_arrives_is_named(monkeypatch):
    """Waiting has an end even when the other rank is alive but stuck."""
    monkeypatch.setattr(process_group, "PEER_TIMEOUT_S", 0.05)
    links = connect(2)
    group = ProcessGroup(0, links[0])

    with pytest.raises(PeerLostError, match="rank 1 did not arrive within"):
        group.all_reduce_sum(array("d", [1.0]))
    for (link,) in links:
        link.close()
