# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where the time of all processes went: one bar, and the table behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.cli.html.markup import Markup, element, percent
from nemo.lens.cli.html.tables import Column, named, table
from nemo.lens.runs.bucket_table import IDLE, OVERHEAD, PRODUCTIVE, UNATTRIBUTED, WASTED
from nemo.lens.runs.quantities import duration, share

if TYPE_CHECKING:
    from nemo.lens.runs import BucketRow, GoodputReport

_MEANING: Final = {
    PRODUCTIVE: "brought the job forward",
    OVERHEAD: "start-up, data loading, checkpoints, evaluation",
    IDLE: "waiting for other ranks, or between attempts",
    WASTED: "work that a restart did again",
    UNATTRIBUTED: "in no known span",
}
_LABELLED: Final = 0.13
_MOST_PARTS: Final = 3


def goodput_figure(report: GoodputReport) -> Markup:
    """The bar and its table."""
    rows = [row for row in report.buckets if row.total_s > 0]
    return element("div", _bar(rows), _table(report), class_="figure")


def _bar(rows: list[BucketRow]) -> Markup:
    words = ", ".join(f"{row.bucket} {share(row.share)}" for row in rows)
    return element("div", map(_segment, rows), class_="stack", role="img", aria_label=words)


def _segment(row: BucketRow) -> Markup:
    label = f"{row.bucket} {share(row.share)}" if row.share >= _LABELLED else None
    return element(
        "span",
        label,
        class_=row.bucket if label else f"{row.bucket} thin",
        style=f"width:{percent(row.share)}",
        title=f"{row.bucket}: {duration(row.total_s)}, {share(row.share)}",
    )


def _table(report: GoodputReport) -> Markup:
    columns = [
        Column("bucket"),
        Column("share", numeric=True),
        Column("time", numeric=True),
        Column("mostly", wraps=True),
    ]
    return table(
        columns,
        [
            [
                _name(row.bucket),
                share(row.share),
                duration(row.total_s),
                _mostly(report, row.bucket),
            ]
            for row in report.buckets
        ],
    )


def _name(bucket: str) -> Markup:
    return named(bucket, bucket, element("span", _MEANING[bucket], class_="meaning"))


def _mostly(report: GoodputReport, bucket: str) -> str:
    parts = [part for part in report.parts if part.bucket == bucket and part.part]
    return ", ".join(f"{part.part} {duration(part.total_s)}" for part in parts[:_MOST_PARTS])
