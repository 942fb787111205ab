# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How long the steps took: the typical rank as a line, the slowest one as the edge of an area."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.html.markup import Markup, element, percent
from nemo.lens.cli.html.scales import round_ceiling
from nemo.lens.cli.html.step_excerpts import SLOWEST
from nemo.lens.runs.quantities import duration
from nemo.lens.runs.spreads import median

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.cli.html.step_excerpts import Excerpt
    from nemo.lens.runs import StepRow

_MOST_POINTS: Final = 240
_DOTS_UP_TO: Final = 60
_WIDTH: Final = 1000
_HEIGHT: Final = 200
# A first step beyond this many times the longest other one is cut off: it would flatten the rest.
_TOWERS: Final = 1.5
_NEAR_EDGE: Final = 0.2


@dataclass(frozen=True)
class _Point:
    """Neighbouring steps as one point."""

    first: int
    last: int
    typical_s: float
    longest_s: float


def step_figure(rows: Sequence[StepRow], excerpts: Sequence[Excerpt]) -> Markup:
    """The chart with its legend.

    Args:
        rows: The steps, in order; at least one.
        excerpts: Steps to point out, since they are shown in detail elsewhere.
    """
    points = _points(rows)
    top, cut = _scale(points)
    legend = element(
        "ul",
        _legend("line", "typical rank (median)"),
        _legend("between", "up to the slowest rank"),
        class_="legend",
    )
    return element(
        "div",
        legend,
        element(
            "div",
            _drawing(points, top),
            _heights(top),
            _numbers(points),
            [_mark(one, points) for one in excerpts],
            class_="plot steps",
        ),
        _cut_note(points[0]) if cut else None,
        class_="figure",
    )


def _legend(kind: str, words: str) -> Markup:
    return element("li", element("span", class_=f"swatch {kind}"), words)


def _points(rows: Sequence[StepRow]) -> list[_Point]:
    shared = -(-len(rows) // _MOST_POINTS)
    parts = [rows[place : place + shared] for place in range(0, len(rows), shared)]
    return [
        _Point(
            first=part[0].step,
            last=part[-1].step,
            typical_s=median(row.duration_s for row in part),
            longest_s=max(row.longest_s for row in part),
        )
        for part in parts
    ]


def _scale(points: Sequence[_Point]) -> tuple[float, bool]:
    """The value at the top, and whether the first point stands out of it."""
    rest = max((point.longest_s for point in points[1:]), default=0.0)
    cut = 0 < rest * _TOWERS < points[0].longest_s
    longest = rest if cut else max(rest, points[0].longest_s)
    return round_ceiling(longest) if longest else 1.0, cut


def _cut_note(first: _Point) -> Markup:
    return element(
        "p",
        f"The first step took {duration(first.longest_s)} on the slowest rank, which is cut off here: "
        "it warms up.",
        class_="note",
    )


def _drawing(points: Sequence[_Point], top: float) -> Markup:
    typical = [_place(number, point.typical_s, points, top) for number, point in enumerate(points)]
    longest = [_place(number, point.longest_s, points, top) for number, point in enumerate(points)]
    grid = "".join(f"M0 {_HEIGHT * part / 4:g}H{_WIDTH}" for part in range(5))
    area = "M" + "L".join([*longest, *reversed(typical)]) + "Z"
    dots = "".join(f"M{place}h0" for place in typical) if len(points) <= _DOTS_UP_TO else ""
    return element(
        "svg",
        element("path", class_="grid", d=grid),
        element("path", class_="between", d=area),
        element("path", class_="median", d="M" + "L".join(typical)),
        element("path", class_="dots", d=dots) if dots else None,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=_in_words(points),
    )


def _place(number: int, seconds: float, points: Sequence[_Point], top: float) -> str:
    height = _HEIGHT * (1 - min(seconds / top, 1.0))
    return f"{_WIDTH * _across(number, points):.1f} {height:.1f}"


def _across(number: int, points: Sequence[_Point]) -> float:
    return number / (len(points) - 1) if len(points) > 1 else 0.5


def _in_words(points: Sequence[_Point]) -> str:
    middle = median(point.typical_s for point in points)
    slowest = max(points, key=lambda point: point.longest_s)
    return (
        f"Duration of steps {points[0].first} to {points[-1].last}: {duration(middle)} at the median, "
        f"{duration(slowest.longest_s)} at most, in step {slowest.first}."
    )


def _heights(top: float) -> list[Markup]:
    return [
        element(
            "span",
            duration(top * part / 4),
            class_="y",
            style=f"top:{percent(1 - part / 4)}",
            aria_hidden="true",
        )
        for part in range(0, 5, 2)
    ]


def _numbers(points: Sequence[_Point]) -> list[Markup]:
    if len(points) == 1:
        return [element("span", f"step {points[0].first:,}", class_="x", style="left:50%")]
    middle = points[(len(points) - 1) // 2]
    middle_left = percent(_across((len(points) - 1) // 2, points))
    found = [element("span", f"step {points[0].first:,}", class_="x first", style="left:0%")]
    if len(points) > 4:  # noqa: PLR2004 - room for a label between the outer ones
        found.append(element("span", f"{middle.first:,}", class_="x", style=f"left:{middle_left}"))
    return [*found, element("span", f"{points[-1].last:,}", class_="x last", style="left:100%")]


def _mark(excerpt: Excerpt, points: Sequence[_Point]) -> Markup | None:
    """Where a step is that is shown in detail; only the slowest, the typical one is anywhere."""
    number = next(
        (at for at, point in enumerate(points) if point.first <= excerpt.step <= point.last), None
    )
    if number is None or excerpt.kind != SLOWEST:
        return None
    across = _across(number, points)
    side = "left" if across > 1 - _NEAR_EDGE else "right" if across < _NEAR_EDGE else ""
    return element(
        "span",
        f"slowest: step {excerpt.step:,} ↓",
        class_=f"mark {side}".rstrip(),
        style=f"left:{percent(across)}",
    )
