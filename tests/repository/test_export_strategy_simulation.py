# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The simulation of export strategies, and the page that shows it."""

from __future__ import annotations

import os

import pytest
import simulate_export_strategies as simulation
from simulate_export_strategies import Choice, Job


@pytest.mark.parametrize("rate", [0.1, 0.01, 0.001])
def test_every_nth_is_more_even_than_sampled_over_10_240_ranks(rate):
    """No longer stretch without a rank, no fuller node, and about the share that was asked for."""
    job = Job()
    gaps = {}
    for strategy in ("every_nth", "sampled"):
        ranks = simulation.exporting_ranks(job, Choice(strategy, rate))
        nodes = sorted({rank // job.ranks_per_node for rank in ranks})
        gaps[strategy] = simulation.longest_gap(nodes, job.nodes)
        if strategy == "every_nth":
            assert len(nodes) == len(ranks)
            assert abs(len(ranks) - rate * job.ranks) <= 1
    assert gaps["every_nth"] * 2 < gaps["sampled"]


def test_each_node_has_one_rank_under_first_rank_per_node_and_the_environment_is_put_back():
    """The simulated ranks have the variables of a launcher, this process does not keep them."""
    before = dict(os.environ)
    ranks = simulation.exporting_ranks(Job(ranks=40), Choice("first_rank_per_node"))
    assert ranks == [0, 8, 16, 24, 32]
    assert dict(os.environ) == before


def test_the_load_follows_from_ranks_spans_and_the_time_of_a_step(capsys):
    """40 ranks of 10 spans in 2 seconds are 200 spans in one."""
    arguments = ["--ranks", "40", "--spans-per-step", "10", "--step-seconds", "2"]
    assert simulation.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "40 ranks on 5 nodes of 8" in printed
    assert "| `all_ranks` |  | 40 | 5 | 8 | 0 | 200 |" in printed


def test_a_job_of_nothing_is_refused(capsys):
    """With what is accepted."""
    with pytest.raises(SystemExit):
        simulation.main(["--ranks", "0"])
    assert "must be positive" in capsys.readouterr().err


def test_the_page_is_what_the_simulation_says_and_a_drifted_one_is_repaired(tmp_path, capsys):
    """`--check` names the page and the cure, `--write` restores it."""
    assert simulation.main(["--check"]) == 0
    original = simulation.PAGE.read_text(encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(original.replace("40,960", "40,961"), encoding="utf-8")
    assert simulation.main(["--check", "--page", str(page)]) == 1
    assert "simulate_export_strategies.py --write" in capsys.readouterr().err
    assert simulation.main(["--write", "--page", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == original
