# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The heat map finds who was slow when, at any size."""

from __future__ import annotations

from statistics import mean

import pytest
from synthetic_runs import Scenario, make_run, quiet, restarted, write_run

from nemo.lens.cli.html.heat_map import MOST_COLUMNS, MOST_ROWS, heat_maps
from nemo.lens.runs import Run, collect


def maps(path):
    return heat_maps(collect(Run(path)))


def test_a_slow_rank_is_hot_throughout_and_the_others_are_not(tmp_path):
    """By the factor that was put in."""
    scenario = Scenario(ranks=4, steps=20, noise=quiet, slow={(2, "forward_backward"): 1.5})
    (heat,) = maps(write_run(tmp_path, scenario))
    assert heat.columns == tuple((step, step) for step in range(2, 21))
    assert [band.ranks for band in heat.bands] == [(0,), (1,), (2,), (3,)]
    expected = 0.5 * 0.040 / (0.002 + 0.040 + 0.003)
    assert heat.bands[2].excess == pytest.approx([expected] * 19, rel=0.05)
    assert all(abs(value) < 0.05 for value in heat.bands[0].excess)
    assert heat.bands[0].host == "host0"


def test_a_stall_is_hot_in_its_step_alone(tmp_path):
    """One step of one rank."""
    scenario = Scenario(ranks=3, steps=20, noise=quiet, stalls={(1, 10): 0.2})
    (heat,) = maps(write_run(tmp_path, scenario))
    hot = [
        (band.ranks, column)
        for band in heat.bands
        for column, value in zip(heat.columns, band.excess, strict=True)
        if value > 0.1
    ]
    assert hot == [((1,), (10, 10))]


def test_many_ranks_and_steps_share_rows_and_columns_and_the_slow_one_stays(tmp_path):
    """A row shows its slowest rank, a column the mean of its steps."""
    scenario = Scenario(ranks=140, steps=100, noise=quiet, slow={(71, "forward_backward"): 1.5})
    (heat,) = maps(write_run(tmp_path, scenario))
    assert len(heat.bands) <= MOST_ROWS
    assert len(heat.columns) <= MOST_COLUMNS
    assert [rank for band in heat.bands for rank in band.ranks] == list(range(140))
    hot = [band.ranks for band in heat.bands if mean(band.excess) > 0.2]
    assert len(hot) == 1
    assert 71 in hot[0]


def test_a_restart_goes_on_in_the_same_map(tmp_path):
    """Its steps stand behind those of the attempt before."""
    first = Scenario(ranks=2, steps=10)
    path, _truth = make_run(tmp_path, first, restarted(first, 6, 10.0, steps=5))
    (heat,) = maps(path)
    assert [column[0] for column in heat.columns] == [*range(2, 11), *range(7, 11)]


def test_what_a_rank_did_not_record_is_blank(tmp_path):
    """A rank that joins in the second attempt has nothing in the first, which is no zero."""
    first = Scenario(ranks=2, steps=10)
    path, _truth = make_run(tmp_path, first, restarted(first, 11, 10.0, steps=5, ranks=3))
    (heat,) = maps(path)
    assert [value is None for value in heat.bands[2].excess] == [True] * 9 + [False] * 4


@pytest.mark.parametrize("scenario", [Scenario(ranks=1), Scenario(ranks=2, steps=0)])
def test_without_two_ranks_in_a_step_there_is_no_map(tmp_path, scenario):
    """Nothing to compare."""
    assert maps(write_run(tmp_path, scenario)) == ()
