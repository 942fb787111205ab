# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which ranks of the job would export."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.doctor.findings import Finding, Verdict
from nemo.lens.config import ensure_run_id
from nemo.lens.runs.rank_names import ranks_in_words
from nemo.lens.sdk.strategies import (
    every_nth,
    first_rank_per_node,
    registered_strategies,
    resolve_strategy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.cli.doctor.situation import Situation
    from nemo.lens.config import NemoLensConfig
    from nemo.lens.sdk.strategies import ExportStrategy

_MOST_RANKS: Final = 1_000_000


def export_ranks(situation: Situation) -> Iterator[Finding]:
    """Does this rank export, and which others do?"""
    if not situation.is_meant_to_record:
        return
    name = str(situation.config.export_strategy)
    variable = f"{situation.question.prefix}_EXPORT_STRATEGY"
    try:
        strategy = resolve_strategy(name)
    except ValueError:
        yield Finding(
            "ranks",
            Verdict.WARNING,
            f"{variable}={name} names no built-in strategy; set-up raises a ValueError unless the "
            "job registers it before",
            f"Built in are {', '.join(registered_strategies())}.",
        )
        return
    rank, size = situation.rank, situation.world_size
    if size is None and rank is None:
        yield Finding(
            "ranks",
            Verdict.NOTE,
            f"Which ranks export is not known here: the strategy is {name}, and no launcher says "
            "how many ranks there are",
            "Ask for a job: nemo-lens doctor --world-size 8 --rank 0",
        )
    elif strategy is first_rank_per_node:
        yield _first_of_node(situation)
    elif size is None or not (rank or 0) < size <= _MOST_RANKS:
        yield Finding(
            "ranks",
            Verdict.NOTE,
            f"Rank {rank} and a world size of {size} do not say which ranks export",
            f"Give a world size from {(rank or 0) + 1} to {_MOST_RANKS:,}: --world-size N",
        )
    else:
        yield from _of_job(situation, name, strategy, size)


def _of_job(
    situation: Situation, name: str, strategy: ExportStrategy, size: int
) -> Iterator[Finding]:
    config = _with_run_id(situation)
    exporting = [rank for rank in range(size) if strategy(config, rank, size)]
    prefix = situation.question.prefix
    everything = f"Every rank exports with {prefix}_EXPORT_STRATEGY=all_ranks."
    if not exporting:
        yield Finding(
            "ranks", Verdict.LOSS, f"No rank of {size:,} exports under {name}", everything
        )
        return
    told = f"{ranks_in_words(exporting)} of {size:,}"
    if strategy is every_nth and config.provenance()["run_id"] == "random":
        told = f"{len(exporting):,} of {size:,} ranks, the run id decides which"
    elif situation.rank is not None and situation.rank not in exporting:
        yield Finding(
            "ranks",
            Verdict.NOTE,
            f"Rank {situation.rank} does not export: the strategy {name} exports {told}",
            everything,
        )
        return
    yield Finding("ranks", Verdict.FINE, f"The strategy {name} exports {told}")


def _first_of_node(situation: Situation) -> Finding:
    told = "The strategy first_rank_per_node exports the first rank of each node"
    # The strategy reads the local rank of this very process, which need not be the rank asked for.
    if situation.question.rank is None and not first_rank_per_node(situation.config, 0, 1):
        return Finding("ranks", Verdict.NOTE, f"{told}; this process is not one")
    return Finding("ranks", Verdict.FINE, told)


def _with_run_id(situation: Situation) -> NemoLensConfig:
    config = copy.copy(situation.config)
    ensure_run_id(config, situation.environ)
    return config
