# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metrics of all ranks as one: minimum, median, maximum, and which rank has the maximum.

A series for each of 10,000 ranks is more than most backends take, and more than a person reads.
Here one process records four series for each metric, whatever the number of ranks is:
`<name>.min`, `<name>.median`, `<name>.max` and `<name>.max_rank`.

With `torch.distributed`, all ranks call `record_over_ranks`. A driver of Ray gathers the values of
its actors itself and hands them to `CollapsedMetrics.record`.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from nemo.lens.distributed import device_kind
from nemo.lens.spans.discards import discard

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from opentelemetry.metrics import Meter


class Collapsed(NamedTuple):
    """What is left of the values of all ranks."""

    min: float
    median: float
    max: float
    max_rank: int
    """The rank that has the maximum; the lowest of several."""


def collapse(values: Mapping[int, float]) -> Collapsed | None:
    """Return the statistics of the values by rank, or None when no rank has a usable one.

    Args:
        values: A value for each rank; those that are no finite number are left out.
    """
    usable = {rank: value for rank, value in sorted(values.items()) if math.isfinite(value)}
    if not usable:
        return None
    max_rank = max(usable, key=usable.__getitem__)
    ordered = usable.values()
    return Collapsed(min(ordered), statistics.median(ordered), usable[max_rank], max_rank)


class CollapsedMetrics:
    """Gauges for the metrics of all ranks, recorded by one process.

    Args:
        units: Name to unit of each metric, for example `{"trainer.step.duration": "s"}`.
        meter: Whose meter makes the gauges; None for the scope `nemo.lens`.
    """

    def __init__(self, units: Mapping[str, str], meter: Meter | None = None) -> None:
        from nemo.lens.global_providers import get_meter

        chosen = get_meter() if meter is None else meter
        self.names = tuple(units)
        self._gauges = {
            name: {
                "min": chosen.create_gauge(f"{name}.min", unit, "The smallest value of any rank."),
                "median": chosen.create_gauge(f"{name}.median", unit, "The median of all ranks."),
                "max": chosen.create_gauge(f"{name}.max", unit, "The largest value of any rank."),
                "max_rank": chosen.create_gauge(
                    f"{name}.max_rank", "{rank}", "The rank that has the largest value."
                ),
            }
            for name, unit in units.items()
        }

    def record(self, values: Mapping[str, Mapping[int, float] | Sequence[float]]) -> None:
        """Record the statistics of the values of all ranks.

        Args:
            values: For each metric the value of each rank, by rank or in the order of ranks.
                Metrics that are not in `units` are ignored; values that are no finite numbers are
                left out.
        """
        for name, given in values.items():
            by_rank = given if isinstance(given, Mapping) else dict(enumerate(given))
            collapsed = collapse(by_rank)
            if collapsed is not None and name in self._gauges:
                for statistic, value in collapsed._asdict().items():
                    self._gauges[name][statistic].set(value)


def record_over_ranks(
    metrics: CollapsedMetrics,
    values: Mapping[str, float],
    rank: int,
    *,
    dst_rank: int = 0,
    group: Any = None,
) -> bool:
    """Gather the values of all ranks on one, which records their statistics.

    A collective: every rank of the group has to call it, at the same point, whether or not its
    telemetry is on. It is one gather of 8 bytes for each metric. Without an initialised process
    group the values of this process alone are recorded.

    Args:
        metrics: The same metrics in the same order on every rank.
        values: The value of each metric on this rank; missing ones are left out.
        rank: The global rank of this process.
        dst_rank: The global rank that records.
        group: A `torch.distributed` process group; None for the default one.

    Returns:
        Whether it worked. A broken process group is counted and logged, not raised.
    """
    torch: Any = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        metrics.record({name: {rank: value} for name, value in values.items()})
        return True
    own = [float(values.get(name, math.nan)) for name in metrics.names]
    try:
        gathered = _gathered(torch, own, is_destination=rank == dst_rank, dst=dst_rank, group=group)
    except Exception as error:  # the job decides what a broken process group means, not telemetry
        discard("gather of metrics", "record_over_ranks failed (%s): no metrics.", error)
        return False
    ranks = distributed.get_process_group_ranks(group or distributed.group.WORLD)
    metrics.record(_by_metric(metrics.names, dict(zip(ranks, gathered, strict=False))))
    return True


def _gathered(
    torch: Any, own: list[float], *, is_destination: bool, dst: int, group: Any
) -> list[list[float]]:
    """Return the values of each rank of the group on the destination, nothing elsewhere."""
    distributed = torch.distributed
    device = device_kind(distributed, group)
    tensor = torch.tensor(own, dtype=torch.float64, device=device)
    size = distributed.get_world_size(group)
    received = [torch.empty_like(tensor) for _ in range(size)] if is_destination else None
    distributed.gather(tensor, received, dst=dst, group=group)
    return [each.tolist() for each in received or ()]


def _by_metric(
    names: Iterable[str], by_rank: Mapping[int, Sequence[float]]
) -> dict[str, dict[int, float]]:
    return {
        name: {rank: values[index] for rank, values in by_rank.items()}
        for index, name in enumerate(names)
    }
