# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The straggler report on jobs of many shapes: what was injected is named, and nothing else."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest
from synthetic_runs import TROUBLES, draw, make_run

from nemo.lens.runs import Run, analyse_ranks

if TYPE_CHECKING:
    from pathlib import Path

FEW = range(20)
ALL = range(200)
MOST_WRONG = 0.01
MOST_OFF_S = 1e-3


class Answered(NamedTuple):
    """How one job was judged: in which seed, whether rightly, and how far the clocks are off."""

    seed: int
    right: bool
    clocks_off_s: float


def judge(directory: Path, trouble: str, seed: int) -> Answered:
    """Rank, host, phase, kind and steps have to be those that were injected."""
    path, truth = make_run(directory, draw(seed, trouble))
    answer = analyse_ranks(Run(path))
    shutil.rmtree(path)
    found = [(one.rank, one.host, one.phase, one.kind, one.steps) for one in answer.stragglers]
    assert ("No rank stands out" in answer.verdict) == (not found)
    off = (abs(row.clock_offset_s - truth.clock_offset_s[row.host]) for row in answer.ranks)
    return Answered(seed, tuple(sorted(found)) == truth.stragglers, max(off))


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize(
    "seeds", [FEW, pytest.param(ALL, marks=pytest.mark.integration)], ids=["few", "all"]
)
def test_what_was_injected_is_named_and_nothing_else(tmp_path, trouble, seeds):
    """In at least 99 of 100 jobs, and clocks within a millisecond in all of them."""
    answers = [judge(tmp_path, trouble, seed) for seed in seeds]
    wrong = [answer.seed for answer in answers if not answer.right]
    assert len(wrong) <= MOST_WRONG * len(seeds), wrong
    assert max(answer.clocks_off_s for answer in answers) <= MOST_OFF_S
