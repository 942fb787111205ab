# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Single steps as a timeline: one lane per rank, one block per phase, waiting hatched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.cli.html.markup import Markup, element, percent
from nemo.lens.cli.html.step_excerpts import SLOWEST
from nemo.lens.runs.quantities import duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nemo.lens.cli.html.step_excerpts import Block, Excerpt, Lane

# Up to here two steps are drawn to one scale, so that the eye compares them.
_COMPARABLE: Final = 3.0
# A narrower block has no room for its name; the width of a page is the measure.
_LABELLED: Final = 0.06
_TICKS: Final = 4


def excerpt_figures(excerpts: Sequence[Excerpt], colours: Mapping[str, str]) -> list[Markup]:
    """One timeline for each step.

    Args:
        excerpts: The steps.
        colours: The class of each phase.
    """
    longest = [max(lane.end_s for lane in one.lanes) for one in excerpts]
    if max(longest) <= _COMPARABLE * min(longest):
        longest = [max(longest)] * len(longest)
    return [
        _excerpt(one, colours, scale or 1.0) for one, scale in zip(excerpts, longest, strict=True)
    ]


def _excerpt(excerpt: Excerpt, colours: Mapping[str, str], scale: float) -> Markup:
    title = "The slowest step" if excerpt.kind == SLOWEST else "A typical step"
    attempt = f" of attempt {excerpt.restart}" if excerpt.restart else ""
    hidden = excerpt.ranks - len(excerpt.lanes)
    shown = f", {len(excerpt.lanes)} of {excerpt.ranks:,} ranks shown" if hidden else ""
    words = f"step {excerpt.step:,}{attempt}, {duration(excerpt.length_s)}{shown}"
    return element(
        "div",
        element("h3", f"{title} ", element("span", words)),
        element(
            "div",
            [_tick(part, scale) for part in range(_TICKS + 1)],
            [_lane(lane, colours, scale) for lane in excerpt.lanes],
            class_="lanes",
        ),
        class_="excerpt",
    )


def _tick(part: int, scale: float) -> Markup:
    place = {0: " first", _TICKS: " last"}.get(part, "")
    label = element("span", duration(scale * part / _TICKS)) if part % 2 == 0 else None
    return element(
        "div",
        label,
        class_=f"tick{place}",
        style=f"left:{percent(part / _TICKS)}",
        aria_hidden="true",
    )


def _lane(lane: Lane, colours: Mapping[str, str], scale: float) -> Markup:
    host = element("span", " · ", lane.host, class_="host") if lane.host else None
    whole = element(
        "span", class_="whole", style=_extent(lane.start_s, lane.end_s, scale), aria_hidden="true"
    )
    return element(
        "div",
        element("span", f"rank {lane.rank}", host, class_="who"),
        whole,
        [_block(block, colours, scale) for block in lane.blocks],
        class_="lane slow" if lane.slow else "lane",
    )


def _block(block: Block, colours: Mapping[str, str], scale: float) -> Markup:
    length = block.end_s - block.start_s
    kind = "pw" if block.waiting else colours.get(block.phase, "px")
    return element(
        "span",
        element("span", block.phase) if length >= _LABELLED * scale else None,
        class_=f"block {kind}",
        style=_extent(block.start_s, block.end_s, scale),
        title=f"{block.name}: {duration(length)}",
    )


def _extent(start_s: float, end_s: float, scale: float) -> str:
    return f"left:{percent(start_s / scale)};width:{percent((end_s - start_s) / scale)}"
