# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metrics and logs of a run in a few rows."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.runs.answers import LogRow, MetricRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.process import Process
    from nemo.lens.runs.records import LogRecord, Point

MAX_SERIES: Final = 1000
MAX_SEVERITIES: Final = 50
MAX_MESSAGE: Final = 500


@dataclass
class _Series:
    """One metric with one set of attributes, over all processes."""

    unit: str
    kind: str
    attributes: dict[str, Any]
    points: int = 0
    low: float = math.inf
    high: float = -math.inf
    # First and last point of each process: (time, value).
    first: dict[Process, tuple[int, float]] = field(
        default_factory=dict["Process", tuple[int, float]]
    )
    last: dict[Process, tuple[int, float]] = field(
        default_factory=dict["Process", tuple[int, float]]
    )

    def add(self, point: Point) -> None:
        """Take in one point, in any order."""
        self.points += 1
        self.low = min(self.low, point.low)
        self.high = max(self.high, point.high)
        moment = (point.time_unix_nano, point.value)
        process = point.process
        if process not in self.first or moment[0] < self.first[process][0]:
            self.first[process] = moment
        if process not in self.last or moment[0] >= self.last[process][0]:
            self.last[process] = moment


def metric_rows(points: Iterable[Point]) -> tuple[tuple[MetricRow, ...], int]:
    """One row per metric and attribute set, sorted by name.

    Values that are no finite number are left out, as are histogram points without measurements.

    Returns:
        At most `MAX_SERIES` rows, and how many points of further series were left out.
    """
    found: dict[tuple[str, str, str], _Series] = {}
    left_out = 0
    for point in points:
        if not all(map(math.isfinite, (point.value, point.low, point.high))):
            continue
        key = (point.name, point.kind, repr(sorted(point.attributes.items())))
        series = found.get(key)
        if series is None:
            if len(found) >= MAX_SERIES:
                left_out += 1
                continue
            series = found[key] = _Series(point.unit, point.kind, point.attributes)
        series.add(point)
    rows = [_row(name, series) for (name, _kind, _labels), series in sorted(found.items())]
    return tuple(rows), left_out


def _row(name: str, series: _Series) -> MetricRow:
    chosen = min(series.first, key=_rank_first)
    return MetricRow(
        name=name,
        unit=series.unit,
        kind=series.kind,
        points=series.points,
        first=series.first[chosen][1],
        last=series.last[chosen][1],
        min=series.low,
        max=series.high,
        ranks=len(series.first),
        attributes=series.attributes,
    )


def _rank_first(process: Process) -> tuple[bool, int, int]:
    return (process.rank is None, process.rank or 0, process.restart)


def log_rows(logs: Iterable[LogRecord]) -> tuple[LogRow, ...]:
    """One row per severity, the most frequent first."""
    counts: Counter[str] = Counter()
    last: dict[str, LogRecord] = {}
    for record in logs:
        known = record.severity in counts or len(counts) < MAX_SEVERITIES
        severity = record.severity if known else "other"
        counts[severity] += 1
        if severity not in last or record.time_unix_nano >= last[severity].time_unix_nano:
            last[severity] = record
    return tuple(
        LogRow(severity=severity, count=count, last=last[severity].body[:MAX_MESSAGE])
        for severity, count in counts.most_common()
    )
