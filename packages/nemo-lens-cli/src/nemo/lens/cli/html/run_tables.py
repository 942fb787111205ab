# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a run did, in tables: phases, ranks, work outside of the steps, metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.cli.html.markup import Markup, element
from nemo.lens.cli.html.tables import Column, bar, named, table
from nemo.lens.runs.answers import DURATION, OWN_WORK
from nemo.lens.runs.quantities import duration, number, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nemo.lens.runs import EventRow, MetricRow, PhaseRow, RankRow, Straggler

MOST_METRICS: Final = 40
_REST: Final = "rest of the step"
_NO_UNIT: Final = "1"


def phase_table(phases: Sequence[PhaseRow], colours: Mapping[str, str]) -> Markup:
    """Where the time of a step goes."""
    columns = [
        Column("phase"),
        Column("per step", numeric=True),
        Column("90% within", numeric=True),
        Column("share", numeric=True),
        Column("", bar=True),
        Column("failed", numeric=True),
    ]
    return table(columns, [_phase(phase, colours) for phase in phases])


def _phase(phase: PhaseRow, colours: Mapping[str, str]) -> list[str]:
    kind = "pw" if phase.waiting else "px" if phase.rest else colours.get(phase.phase, "px")
    waiting = element("span", " waiting for others", class_="tag") if phase.waiting else None
    name = _REST if phase.rest else phase.phase
    return [
        named(kind, name, waiting),
        duration(phase.per_step_s.p50),
        duration(phase.per_step_s.p90),
        share(phase.share),
        bar(phase.share, kind),
        _failed(phase.failed),
    ]


def rank_details(ranks: Sequence[RankRow], stragglers: Sequence[Straggler]) -> Markup:
    """The numbers behind the heat map, folded away."""
    ranks = [row for row in ranks if row.steps]
    measure = "own work" if any(row.compared_by == OWN_WORK for row in ranks) else "step time"
    slow: dict[tuple[str, int], list[str]] = {}
    for one in stragglers:
        slow.setdefault((one.role, one.rank), []).append(f"slow in {one.phase}")
    longest = max(row.own_s.p50 for row in ranks)
    roles = len({row.role for row in ranks}) > 1
    columns = [
        Column("rank"),
        *([Column("role")] if roles else []),
        Column("host"),
        Column(measure, numeric=True),
        Column("", bar=True),
        Column("90% within", numeric=True),
        Column("waiting", numeric=True),
        Column(""),
    ]
    rows = [
        [
            f"{row.rank}" + (f", attempt {row.restart}" if row.restart else ""),
            *([row.role] if roles else []),
            row.host,
            duration(row.own_s.p50),
            bar(row.own_s.p50 / longest if longest else 0.0, "p0"),
            duration(row.own_s.p90),
            "unknown" if row.compared_by == DURATION else duration(row.wait_s.p50),
            element("span", "; ".join(slow.get((row.role, row.rank), ())), class_="bad"),
        ]
        for row in ranks
    ]
    caption = f"Each rank in a typical step ({measure} and waiting are medians)"
    return element(
        "details", element("summary", "All ranks as a table"), table(columns, rows, caption)
    )


def event_table(events: Sequence[EventRow]) -> Markup:
    """Checkpoints, evaluations and other work outside of the steps."""
    columns = [
        Column("what"),
        Column("times", numeric=True),
        Column("ranks", numeric=True),
        Column("typical", numeric=True),
        Column("longest", numeric=True),
        Column("failed", numeric=True),
    ]
    rows = [
        [
            event.group,
            f"{event.count:,}",
            f"{len(event.ranks):,}",
            duration(event.duration_s.p50),
            duration(event.duration_s.max),
            _failed(event.failed),
        ]
        for event in events
    ]
    return table(columns, rows)


def metric_table(metrics: Sequence[MetricRow]) -> Markup:
    """Metrics as they were exported."""
    columns = [
        Column("metric"),
        Column("first", numeric=True),
        Column("last", numeric=True),
        Column("lowest", numeric=True),
        Column("highest", numeric=True),
        Column("unit"),
        Column("exports", numeric=True),
        Column("ranks", numeric=True),
    ]
    rows: list[list[str]] = []
    for row in metrics[:MOST_METRICS]:
        labels = " ".join(f"{key}={value}" for key, value in row.attributes.items())
        values = (row.first, row.last, row.min, row.max)
        rows.append(
            [
                f"{row.name} {labels}".rstrip(),
                *map(number, values),
                "" if row.unit == _NO_UNIT else row.unit,
                f"{row.points:,}",
                f"{row.ranks:,}",
            ]
        )
    return table(columns, rows)


def _failed(count: int) -> str:
    return element("span", f"{count:,}", class_="bad") if count else "0"
