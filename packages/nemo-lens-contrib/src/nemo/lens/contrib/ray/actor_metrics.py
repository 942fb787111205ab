# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metrics of all actors as one, recorded by their driver."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nemo.lens.contrib.collapsed_metrics import by_metric, keyed_by_rank, numbers_named
from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import type_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nemo.lens.contrib.collapsed_metrics import CollapsedMetrics

_NO_ANSWER = object()


def record_over_actors(
    metrics: CollapsedMetrics,
    references: Sequence[Any] | Mapping[int, Any],
    *,
    timeout_s: float = 5.0,
) -> int:
    """Record the statistics of what the actors have measured; called by their driver.

    Actors that have died or raised, or that have not answered in time, are left out, counted and
    logged; never raises. It does not wait for references that the driver has got already. An async
    actor awaits its references itself and gives the values to `CollapsedMetrics.record`.

    Args:
        metrics: What to record.
        references: For each actor the `ObjectRef` of a mapping of metric names to values, by rank
            or in the order of ranks.
        timeout_s: How long to wait for all of them together, in seconds.

    Returns:
        How many actors have answered.
    """
    try:
        answers = _answers(references, time.monotonic() + timeout_s)
    except Exception as error:  # no references, or no cluster
        _discard_answer(error)
        return 0
    by_rank = {rank: numbers_named(metrics.names, answer) for rank, answer in answers.items()}
    metrics.record(by_metric(metrics.names, by_rank))
    return len(answers)


def _answers(references: Any, deadline: float) -> dict[Any, Any]:
    """Return what the actors have answered before `deadline`, by rank."""
    ray: Any = import_module("ray")
    by_rank = keyed_by_rank(references)
    if not by_rank:
        return {}
    remaining = max(0.0, deadline - time.monotonic())
    ray.wait([*by_rank.values()], num_returns=len(by_rank), timeout=remaining)
    found = {rank: _answer(ray, reference) for rank, reference in by_rank.items()}
    return {rank: answer for rank, answer in found.items() if answer is not _NO_ANSWER}


def _answer(ray: Any, reference: Any) -> Any:
    """Return what is there now; an answer that was lost with its node is not waited for."""
    try:
        return ray.get(reference, timeout=0)
    except Exception as error:  # of the actor, or it is late
        _discard_answer(error)
        return _NO_ANSWER


def _discard_answer(error: Exception) -> None:
    discard(
        "metrics of an actor",
        "Metrics of an actor are missing in those of all actors (%s).",
        type_name(type(error)),
    )
