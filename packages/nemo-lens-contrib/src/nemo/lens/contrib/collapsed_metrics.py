# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metrics of all ranks as one: minimum, median, maximum, and which rank has the maximum.

A series for each of 10,000 ranks is more than most backends take, and more than a person reads.
Here one process records four series for each metric, whatever the number of ranks is:
`<name>.min`, `<name>.median`, `<name>.max` and `<name>.max_rank`.

With `torch.distributed`, all ranks call `record_over_ranks`. A driver of Ray calls
`nemo.lens.contrib.ray.record_over_actors`, and any other gives `CollapsedMetrics.record` the values.
"""

from __future__ import annotations

import math
import operator
import statistics
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from nemo.lens.distributed import device_kind
from nemo.lens.spans.conversion import Unrecordable, converted
from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import is_mapping, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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

    Never raises.

    Args:
        values: A value for each rank. What is no finite number is left out, and so is what stands
            under a key that is no rank.
    """
    usable = dict(sorted(_usable(values)))
    if not usable:
        return None
    max_rank = max(usable, key=usable.__getitem__)
    ordered = usable.values()
    low, high = min(ordered), usable[max_rank]
    # The median of two very large numbers overflows to an infinity.
    median = min(max(statistics.median(ordered), low), high)
    return Collapsed(low, median, high, max_rank)


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
        """Record the statistics of the values of all ranks; never raises.

        Args:
            values: For each metric the value of each rank, by rank or in the order of ranks.
                Metrics that are not in `units` are ignored; values that are no finite numbers are
                left out, and those that are no numbers at all are counted.
        """
        for name, by_rank in _entries(values).items():
            collapsed = collapse(keyed_by_rank(by_rank))
            if collapsed is not None and name in self._gauges:
                _set(self._gauges[name], collapsed)


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
    telemetry is on. It is one gather of 8 bytes for each metric, which a rank joins whatever its
    values are. Without an initialised process group the values of this process alone are recorded.

    Args:
        metrics: The same metrics in the same order on every rank.
        values: The value of each metric on this rank; missing ones are left out. What is no number,
            and a tensor on a device, which would have to be waited for, count as missing.
        rank: The global rank of this process, for a process without a process group.
        dst_rank: The global rank that records.
        group: A `torch.distributed` process group; None for the default one.

    Returns:
        Whether it worked. A broken process group is counted and logged, not raised; how long it is
        waited for is the timeout of the group.
    """
    own = numbers_named(metrics.names, values)
    torch: Any = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        metrics.record(
            {name: {rank: value} for name, value in zip(metrics.names, own, strict=True)}
        )
        return True
    try:
        by_rank = _gathered(torch, own, dst_rank, group)
    except Exception as error:  # the job decides what a broken process group means, not telemetry
        discard("gather of metrics", "record_over_ranks failed (%s): no metrics.", error)
        return False
    metrics.record(by_metric(metrics.names, by_rank))
    return True


def _gathered(torch: Any, own: list[float], dst: int, group: Any) -> dict[int, list[float]]:
    """Return the values of each rank of the group on the destination, nothing elsewhere."""
    distributed = torch.distributed
    device = device_kind(distributed, group)
    tensor = torch.tensor(own, dtype=torch.float64, device=device)
    # Not the rank that the caller gave: were that wrong, the others would wait in vain.
    is_destination = distributed.get_rank() == dst
    size = distributed.get_world_size(group)
    received = [torch.empty_like(tensor) for _ in range(size)] if is_destination else None
    distributed.gather(tensor, received, dst=dst, group=group)
    if received is None:
        return {}
    ranks = distributed.get_process_group_ranks(distributed.group.WORLD if group is None else group)
    return {rank: each.tolist() for rank, each in zip(ranks, received, strict=True)}


def _set(gauges: Mapping[str, Any], collapsed: Collapsed) -> None:
    try:
        for statistic, value in collapsed._asdict().items():
            gauges[statistic].set(value)
    except Exception as error:  # a gauge of another meter than ours
        _discard_value(error)


def by_metric(
    names: Iterable[str], by_rank: Mapping[int, Sequence[float]]
) -> dict[str, dict[int, float]]:
    """Return what each rank has listed in the order of `names`, by metric and rank."""
    return {
        name: {rank: values[index] for rank, values in by_rank.items()}
        for index, name in enumerate(names)
    }


def numbers_named(names: Iterable[str], values: Any) -> list[float]:
    """Return the values of the names as numbers, NaN where there is none; never raises.

    Args:
        names: Names of metrics.
        values: A mapping; anything else has no values.
    """
    found = _entries(values)
    return [_number(found[name]) if name in found else math.nan for name in names]


def keyed_by_rank(values: Iterable[Any]) -> dict[Any, Any]:
    """Return what stands for the ranks by rank; nothing where it cannot be read; never raises.

    Args:
        values: A mapping of ranks, or a sequence in their order.
    """
    if is_mapping(values):
        return _entries(values)
    try:
        return dict(enumerate(values))
    except Exception as error:  # no sequence, or one that raises
        _discard_value(error)
        return {}


def _usable(values: Any) -> Iterable[tuple[int, float]]:
    """Yield rank and value where both are usable."""
    for rank, value in _entries(values).items():
        number = _number(value)
        if not math.isfinite(number):
            continue
        try:
            yield operator.index(rank), number
        except Exception as error:  # no rank
            _discard_value(error)


def _entries(values: Any) -> dict[Any, Any]:
    """Return what a mapping holds; nothing where it cannot be read."""
    try:
        return dict(values.items())
    except Exception as error:  # no mapping, or one that raises
        _discard_value(error)
        return {}


def _number(value: Any) -> float:
    """Return `value` as a float; NaN for what is no number that is at hand."""
    if type(value) is float:
        return value
    try:
        return _float(converted(value))
    except Exception as error:  # a foreign object may do anything when it is asked for its number
        _discard_value(error)
        return math.nan


def _float(scalar: object) -> float:
    if isinstance(scalar, (int, float)):
        return float(scalar)
    raise Unrecordable("no number")


def _discard_value(error: Exception) -> None:
    discard(
        "collapsed metric value",
        "A value for the metrics of all ranks was left out (%s); give a finite number.",
        error.kind if isinstance(error, Unrecordable) else type_name(type(error)),
    )
