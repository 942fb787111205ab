# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Answers as the analyses give them, for the tests of how they look."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from nemo.lens.cli.page import Page
from nemo.lens.runs.answers import (
    EventRow,
    LogRow,
    MetricRow,
    Middle,
    PhaseRow,
    ProcessRow,
    RankRow,
    RunSummary,
    Spread,
    Straggler,
    TruncatedRow,
)


def spread(middle=0.066, count=240):
    return Spread(count, middle / 2, middle, middle * 1.4, middle * 2, middle * 3, middle * count)


def rank_row(rank, own=0.033, wait=0.031, **changes):
    values = {
        "host": "node-0123.example",
        "clock_offset_s": 0.0,
        "role": "trainer",
        "steps": 60,
        "clock_drift_ppm": 0.0,
        "restart": 0,
        "phases_s": {"forward_backward": own},
        "compared_by": "own_work",
    }
    values.update(changes)
    return RankRow(
        rank=rank, own_s=Middle(own, own * 1.2), wait_s=Middle(wait, wait * 1.2), **values
    )


def straggler(rank=2, kind="chronic", steps=()):
    return Straggler(
        rank=rank,
        host="node-0123.example",
        phase="forward_backward",
        kind=kind,
        excess_s_per_step=0.031,
        role="trainer",
        excess_ratio=0.94,
        steps=steps,
        compared_by="own_work",
        others_wait_s=0.031,
    )


def process_row(rank, **changes):
    values = {
        "role": "trainer",
        "host": "node-0123.example",
        "pid": 4000 + rank,
        "restart": 0,
        "end": "shutdown",
        "ending": "shut down in order",
        "orderly": True,
        "started_unix_nano": 1_767_322_800_000_000_000,
        "ended_unix_nano": 1_767_322_806_000_000_000,
        "spans": 310,
        "last_span": "demo.job",
        "last_span_unix_nano": 1_767_322_806_000_000_000,
        "last_step": 60,
        "steps": 60,
        "lost": {},
        "folder": f"0/trainer-{rank}",
    }
    values.update(changes)
    return ProcessRow(rank=rank, **values)


def phase(name, share, *, waiting=False, failed=0, rest=False):
    return PhaseRow(name, (f"demo.{name}",), waiting, share, spread(0.066 * share), failed, rest)


def summary(**changes):
    """A whole run of four ranks without a straggler."""
    values = {
        "run": "demo-20260102-030405-abcd",
        "verdict": "No rank stands out: all 4 ranks do about the same work in each step.",
        "problems": (),
        "path": "nemo-lens-runs/demo-20260102-030405-abcd",
        "started_unix_nano": 1_767_322_800_000_000_000,
        "duration_s": 6.2,
        "ranks_expected": 4,
        "ranks_present": (0, 1, 2, 3),
        "ranks_missing": (),
        "spans": 1240,
        "steps_done": 60,
        "last_step": 60,
        "step_s": spread(),
        "phases": (
            phase("forward_backward", 0.52),
            phase("communication", 0.46, waiting=True),
            phase("optimizer", 0.018),
            phase("demo.train_step", 0.002, rest=True),
        ),
        "processes": tuple(process_row(rank) for rank in range(4)),
        "metrics": (
            MetricRow("demo.loss", "", "gauge", 12, 1.31, 0.0512, 0.0498, 1.31, 1, {}),
            MetricRow(
                "demo.step.duration", "s", "histogram", 48, 0.071, 0.066, 0.04, 0.2, 4, {"k": "v"}
            ),
        ),
        "events": (
            EventRow("checkpoint", ("demo.checkpoint",), 12, (0, 1, 2, 3), spread(0.004), 1, 0),
        ),
        "failed_jobs": 0,
        "logs": (LogRow("WARNING", 3, "learning rate is high"),),
        "truncated": (),
        "lost": {},
        "stragglers": (),
        "ranks": tuple(rank_row(rank) for rank in range(4)),
        "versions": {"nemo-lens-api": "0.3.0"},
        "command": ("nemo-lens", "demo"),
    }
    values.update(changes)
    return RunSummary(**values)


def killed_summary():
    """A run whose rank 2 was killed, with lost telemetry and a damaged file."""
    killed = process_row(
        2,
        end=None,
        ending="no end recorded: killed or still running",
        orderly=False,
        ended_unix_nano=None,
        last_step=17,
        last_span="demo.train_step.all_reduce",
    )
    processes = tuple(killed if rank == 2 else process_row(rank) for rank in range(4))
    return summary(
        processes=processes,
        truncated=(TruncatedRow("demo.job", "job", 3, (0, 1, 3), 2.5),),
        lost={"queue full": 12, "disk full": 0},
        problems=("0/trainer-2/traces-00000.jsonl: the last line is torn",),
    )


def large_summary(ranks=1024):
    """A run of many ranks, one of them slow."""
    return summary(
        verdict="Rank 700 is slow.",
        ranks_expected=ranks,
        ranks_present=tuple(range(ranks)),
        stragglers=(straggler(700),),
        ranks=tuple(rank_row(rank, own=0.064 if rank == 700 else 0.033) for rank in range(ranks)),
        processes=tuple(process_row(rank) for rank in range(ranks)),
    )


@pytest.fixture
def answers():
    """Builders of answers: whole ones, and rows to put into them."""
    return SimpleNamespace(
        summary=summary,
        killed_summary=killed_summary,
        large_summary=large_summary,
        straggler=straggler,
        rank_row=rank_row,
        process_row=process_row,
        phase=phase,
    )


@pytest.fixture
def page():
    """An empty page of the usual width."""
    return Page(80, blocks=True)
