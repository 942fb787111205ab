# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The rule against noise: no rank is named without a reason, a slow one always is."""

from __future__ import annotations

import math
import random

import pytest

from nemo.lens.runs.spreads import medians_of_others
from nemo.lens.runs.stragglers import Excess, chronic, once

SEEDS = 200
RANKS = 4
STEPS = 59


def normal(rng):
    """Scheduling noise of a quarter of the work."""
    return max(-0.9, rng.gauss(0, 0.25))


def quiet(rng):
    """A dedicated machine."""
    return rng.gauss(0, 0.002)


def lognormal(rng):
    """Skewed noise."""
    return math.exp(rng.gauss(0, 0.3)) - 1


def student(rng):
    """Heavy tails on both sides (three degrees of freedom)."""
    chi = sum(rng.gauss(0, 1) ** 2 for _ in range(3)) / 3
    return max(-0.9, 0.15 * rng.gauss(0, 1) / math.sqrt(chi))


def pareto(rng):
    """A tail so heavy that the variance is infinite."""
    return 0.2 * rng.paretovariate(2)


def stalls(rng):
    """Long pauses that every rank has a few of: in this run they are nothing special."""
    return rng.gauss(0, 0.02) + (rng.expovariate(1 / 3) if rng.random() < 0.08 else 0)


MODELS = [normal, quiet, lognormal, student, pareto, stalls]


def own_work(model, rng, *, ranks=RANKS, steps=STEPS):
    """Own work by rank and step; the length of a step is anything from 20 ms to 2 s."""
    base = rng.choice([0.02, 0.5, 2.0])
    return [[base * (1 + model(rng)) for _step in range(steps)] for _rank in range(ranks)]


def lasting_noise(rng, correlation):
    """Noise that lasts: a rank starved in one step is likely starved in the next."""
    found = []
    for _rank in range(RANKS):
        state, row = rng.gauss(0, 1), []
        for _step in range(STEPS):
            state = correlation * state + math.sqrt(1 - correlation**2) * rng.gauss(0, 1)
            row.append(0.05 * (1 + max(-0.9, 0.25 * state)))
        found.append(row)
    return found


def judge(own):
    """The chronic ranks and those that stand out once."""
    members = [Excess() for _rank in own]
    for step in range(len(own[0])):
        values = [row[step] for row in own]
        for member, value, others in zip(members, values, medians_of_others(values), strict=True):
            member.all_s.append(value - others)
            member.shared_s.append(value - others)
            member.others_s.append(others)
            member.steps.append(step)
    slow = chronic(members)
    return set(slow), once(members, frozenset(slow))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_noise_alone_names_nobody(model):
    """False alarms in at most 1 % of 200 seeds, heavy tails included."""
    alarms = 0
    for seed in range(SEEDS):
        slow, held_up = judge(own_work(model, random.Random(f"{model.__name__}{seed}")))
        alarms += bool(slow or held_up)
    assert alarms <= SEEDS // 100


@pytest.mark.parametrize("correlation", [0.3, 0.6])
def test_noise_that_lasts_names_nobody(correlation):
    """Steps that are alike count as fewer steps."""
    alarms = 0
    for seed in range(SEEDS):
        slow, held_up = judge(lasting_noise(random.Random(f"lasting{seed}"), correlation))
        alarms += bool(slow or held_up)
    assert alarms <= SEEDS // 100


@pytest.mark.parametrize("model", [normal, quiet, student, pareto], ids=lambda m: m.__name__)
def test_a_rank_that_works_60_percent_longer_is_named(model):
    """In every one of 200 seeds it is chronic, and no other rank is."""
    for seed in range(SEEDS):
        rng = random.Random(f"slow{model.__name__}{seed}")
        own = own_work(model, rng)
        slow_rank = rng.randrange(RANKS)
        own[slow_rank] = [length * 1.6 for length in own[slow_rank]]
        assert judge(own)[0] == {slow_rank}, seed


def test_many_ranks_raise_the_bar_by_themselves():
    """Of a thousand ranks with noise none is named, and the slow one is."""
    rng = random.Random(7)
    own = own_work(normal, rng, ranks=1000)
    assert judge(own) == (set(), {})
    own[123] = [length * 1.6 for length in own[123]]
    assert judge(own)[0] == {123}


def test_a_single_long_stall_stands_out_once():
    """The step is named, the rank is not chronic."""
    for seed in range(50):
        rng = random.Random(f"once{seed}")
        own = own_work(quiet, rng)
        own[2][30] += 10 * own[2][30] + 1.5
        assert judge(own) == (set(), {2: [30]}), seed


def test_several_stalls_of_one_rank_do_not_hide_each_other():
    """All of its steps are named."""
    own = own_work(quiet, random.Random(3))
    for step in (10, 30, 50):
        own[1][step] += 5.0
    assert judge(own) == (set(), {1: [10, 30, 50]})


def test_a_short_stall_is_the_scheduler():
    """Below a second nobody is named, however quiet the run is."""
    own = [[0.01] * STEPS for _rank in range(RANKS)]
    own[2][30] += 0.9
    assert judge(own) == (set(), {})
    own[2][30] += 0.2
    assert judge(own) == (set(), {2: [30]})


def test_small_lasting_differences_name_nobody():
    """Less than a tenth of the work is nothing to act on."""
    rng = random.Random(1)
    own = [
        [length * factor for length in row]
        for row, factor in zip(own_work(quiet, rng), (1, 1.05, 0.97, 1.08), strict=True)
    ]
    assert judge(own) == (set(), {})


def test_half_of_the_ranks_can_be_slow():
    """A slow host with half of the ranks is found whole."""
    own = own_work(quiet, random.Random(5), ranks=8)
    for rank in (4, 5, 6, 7):
        own[rank] = [length * 1.5 for length in own[rank]]
    assert judge(own)[0] == {4, 5, 6, 7}


def test_a_rank_that_is_starved_for_a_while_is_not_chronic():
    """A third of the run is not all of it."""
    own = own_work(quiet, random.Random(9))
    own[0][20:40] = [length * 1.5 for length in own[0][20:40]]
    assert judge(own)[0] == set()


def test_few_steps_prove_nothing():
    """Below eight compared steps no rank is chronic."""
    own = [[1.0] * 7, [1.0] * 7, [2.0] * 7]
    assert judge(own) == (set(), {})
    assert judge([row + row[:1] for row in own])[0] == {2}


def test_nobody_is_no_straggler():
    """No ranks, no answer, no error."""
    assert chronic([]) == {}
    assert once([], frozenset()) == {}
