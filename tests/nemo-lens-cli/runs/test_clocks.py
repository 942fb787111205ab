# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Clock offsets from moments that all ranks share."""

from __future__ import annotations

import random

import pytest

from nemo.lens.runs.clocks import ClockOffset, clock_offsets

EPOCH = 1_760_000_000_000_000_000
MS = 1_000_000


def moments(offset_ms, drift_ppm, rng, *, steps=60, step_ms=250, heavy=False):
    """What the ranks of two hosts see of each release."""

    def noise():
        mean_ms = rng.choice([0.1, 0.3, 0.5, 0.2, 20.0]) if heavy else 0.3
        return rng.expovariate(1 / mean_ms)

    shared = []
    for step in range(steps):
        true_ms = step * step_ms
        away_ms = true_ms * (1 + drift_ppm * 1e-6) + offset_ms
        shared.append(
            {
                host: [EPOCH + round((base + noise()) * MS) for _rank in range(4)]
                for host, base in (("a", true_ms), ("b", away_ms))
            }
        )
    return shared


@pytest.mark.parametrize("offset_ms", [-86_400_000.0, -3.0, 0.0, 2.0, 5_000.0])
def test_offsets_are_recovered_within_a_millisecond(offset_ms):
    """200 seeds of heavy-tailed delays, a fifth of them tens of milliseconds."""
    for seed in range(200):
        shared = moments(offset_ms, 0, random.Random(seed), heavy=True)
        found = clock_offsets(shared, "a")["b"].offset_nano / MS
        assert found == pytest.approx(offset_ms, abs=1.0)


@pytest.mark.parametrize("drift_ppm", [-200.0, 50.0])
def test_drift_is_recovered_and_taken_out(drift_ppm):
    """The offset holds at both ends of the run, not only in its middle."""
    shared = moments(10.0, drift_ppm, random.Random(1), steps=1000)
    offset = clock_offsets(shared, "a")["b"]
    assert offset.drift * 1e6 == pytest.approx(drift_ppm, abs=2)
    for step in (0, 999):
        expected = 10.0 + step * 250 * drift_ppm * 1e-6
        assert offset.at(shared[step]["a"][0]) / MS == pytest.approx(expected, abs=1.0)


def test_noise_is_no_drift():
    """Without drift none is reported, in 50 seeds."""
    for seed in range(50):
        assert clock_offsets(moments(1.0, 0, random.Random(seed)), "a")["b"].drift == 0.0


def test_the_reference_has_no_offset():
    """By definition."""
    assert clock_offsets(moments(7.0, 0, random.Random(2)), "a")["a"] == ClockOffset()


def test_a_host_that_shares_no_step_has_no_offset():
    """There is nothing to estimate it from."""
    shared = [{"a": [EPOCH]}, {"b": [EPOCH]}, {"b": [EPOCH + 5], "c": [EPOCH]}]
    found = clock_offsets(shared, "a")
    assert set(found) == {"a", "b", "c"}
    assert found["b"] == ClockOffset()
