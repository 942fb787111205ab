# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Simulate the export strategies: how many ranks export, how evenly, and what a collector gets.

Every rank of a large job asks the real strategies whether it exports::

    python scripts/simulate_export_strategies.py                  # print the table
    python scripts/simulate_export_strategies.py --step-seconds 2 # of another job
    python scripts/simulate_export_strategies.py --write          # write it to the page
    python scripts/simulate_export_strategies.py --check          # fail when the page differs
"""

from __future__ import annotations

import argparse
import itertools
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from generated_page import between_markers, table, write_or_check

from nemo.lens.config import NemoLensConfig
from nemo.lens.sdk.strategies import should_export

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE = Path(__file__).resolve().parent.parent / "docs" / "user-guide" / "export-strategies.md"
SMALL_JOB_RANKS = 8
RUN_ID = "simulated"
COLUMNS = (
    "strategy",
    "rate",
    "ranks that export",
    "nodes with one",
    "most on one node",
    "most nodes in a row without one",
    "spans/s at the collector",
)


class Job(NamedTuple):
    """The job to simulate.

    Attributes:
        ranks: Number of ranks.
        ranks_per_node: Ranks on each node.
        spans_per_step: Spans that a rank which exports records in one step.
        step_seconds: Duration of a step.
    """

    ranks: int = 10_240
    ranks_per_node: int = 8
    spans_per_step: int = 20
    step_seconds: float = 5.0

    @property
    def nodes(self) -> int:
        """Number of nodes; the last one may be partly used."""
        return -(-self.ranks // self.ranks_per_node)


class Choice(NamedTuple):
    """A strategy, with its rate where it has one."""

    strategy: str
    rate: float | None = None


CHOICES = (
    Choice("single_rank"),
    Choice("all_ranks"),
    Choice("first_rank_per_node"),
    *(Choice(name, rate) for rate in (0.1, 0.01, 0.001) for name in ("sampled", "every_nth")),
)
SMALL_CHOICES = tuple(
    Choice(name, rate) for rate in (0.25, 0.1, 0.01) for name in ("sampled", "every_nth")
)


def main(argv: Sequence[str] | None = None) -> int:
    """Print, write or check the table; gives the exit status."""
    usual = Job()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--ranks", type=int, default=usual.ranks)
    parser.add_argument("--ranks-per-node", type=int, default=usual.ranks_per_node)
    parser.add_argument("--spans-per-step", type=int, default=usual.spans_per_step)
    parser.add_argument("--step-seconds", type=float, default=usual.step_seconds)
    parser.add_argument("--write", action="store_true", help="write the page, of the usual job")
    parser.add_argument("--check", action="store_true", help="fail when the page differs")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: the project's)")
    options = parser.parse_args(argv)
    if options.write or options.check:
        return write_or_check(
            options.page,
            with_tables,
            check=options.check,
            source="the simulation",
            command="python scripts/simulate_export_strategies.py --write",
        )
    job = Job(options.ranks, options.ranks_per_node, options.spans_per_step, options.step_seconds)
    if min(job) <= 0:
        parser.error("ranks, ranks per node, spans and seconds must be positive")
    print(described(job), large_table(job), sep="\n\n")
    return 0


def with_tables(page: str) -> str:
    """Give `page` with the tables in place of what stands between its markers."""
    job = Job()
    page = between_markers(page, "large job", f"{described(job)}\n\n{large_table(job)}")
    return between_markers(page, "small job", small_table())


def described(job: Job) -> str:
    """Say in a sentence what is simulated."""
    return (
        f"{job.ranks:,} ranks on {job.nodes:,} nodes of {job.ranks_per_node}; a rank that exports "
        f"records {job.spans_per_step:,} spans in a step of {job.step_seconds:g} s."
    )


def large_table(job: Job) -> str:
    """Give a row for each strategy and rate."""
    return table(COLUMNS, [cells(job, choice) for choice in CHOICES])


def small_table() -> str:
    """Give the ranks that a job of one node exports from."""
    job = Job(ranks=SMALL_JOB_RANKS)
    rows = [
        (f"`{choice.strategy}`", _percent(choice), _listed(exporting_ranks(job, choice)))
        for choice in SMALL_CHOICES
    ]
    return table(("strategy", "rate", f"ranks of {SMALL_JOB_RANKS} that export"), rows)


def cells(job: Job, choice: Choice) -> tuple[str, ...]:
    """Give the row of one strategy and rate."""
    ranks = exporting_ranks(job, choice)
    on_node = Counter(rank // job.ranks_per_node for rank in ranks)
    return (
        f"`{choice.strategy}`",
        _percent(choice),
        f"{len(ranks):,}",
        f"{len(on_node):,}",
        f"{max(on_node.values(), default=0)}",
        f"{longest_gap(sorted(on_node), job.nodes):,}",
        f"{len(ranks) * job.spans_per_step / job.step_seconds:,.0f}",
    )


def exporting_ranks(job: Job, choice: Choice) -> list[int]:
    """Ask the strategy for every rank, in the environment that torchrun gives to that rank."""
    config = NemoLensConfig(
        run_id=RUN_ID, export_sample_rate=1.0 if choice.rate is None else choice.rate
    )
    return [
        rank
        for rank, _ in enumerate(_launched(job))
        if should_export(choice.strategy, config, rank, job.ranks)
    ]


def longest_gap(nodes: Sequence[int], count: int) -> int:
    """Give the most nodes in a row that are not among `nodes`, of nodes 0 to `count` - 1."""
    fences = (-1, *nodes, count)
    return max(after - before - 1 for before, after in itertools.pairwise(fences))


def _launched(job: Job) -> Iterator[None]:
    """Be each rank in turn."""
    with mock.patch.dict(os.environ, clear=True):
        for rank in range(job.ranks):
            os.environ.update(
                RANK=str(rank),
                WORLD_SIZE=str(job.ranks),
                LOCAL_RANK=str(rank % job.ranks_per_node),
            )
            yield


def _percent(choice: Choice) -> str:
    return "" if choice.rate is None else f"{choice.rate:.1%}"


def _listed(ranks: Sequence[int]) -> str:
    return ", ".join(map(str, ranks)) or "none"


if __name__ == "__main__":
    raise SystemExit(main())
