# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The heat map as a drawing: one shape per shade, so that a thousand ranks stay a small file."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.html.markup import Markup, element, percent
from nemo.lens.runs.rank_names import ranks_in_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from nemo.lens.cli.html.heat_map import Band, HeatMap

# From which excess each shade begins, as a share of what the other ranks do.
_SHADES: Final = (0.1, 0.25, 0.5, 1.0)
_IN_WORDS: Final = ("less than 10% more", "10 to 25%", "25 to 50%", "50 to 100%", "over 100%")
_HEIGHT_PX: Final = 480
_TALLEST_ROW_PX: Final = 24
_LABEL_PX: Final = 18


def heat_figure(heat: HeatMap, slow: Collection[int]) -> Markup:
    """The map with labels and legend.

    Args:
        heat: The map.
        slow: The stragglers among its ranks, which are pointed out.
    """
    height = min(_HEIGHT_PX, _TALLEST_ROW_PX * len(heat.bands))
    legend = [_legend(f"h{shade}", words) for shade, words in enumerate(_IN_WORDS)]
    return element(
        "div",
        element("ul", legend, _legend("none", "not compared"), class_="legend"),
        element(
            "div",
            _drawing(heat, height, slow),
            _ranks(heat.bands, height),
            _slow_ranks(heat.bands, height, slow),
            _steps(heat),
            class_="plot heat",
        ),
        class_="figure",
    )


def _legend(kind: str, words: str) -> Markup:
    return element("li", element("span", class_=f"swatch {kind}"), words)


def _drawing(heat: HeatMap, height: int, slow: Collection[int]) -> Markup:
    shapes = [""] * len(_IN_WORDS)
    for row, band in enumerate(heat.bands):
        for shade, first, length in _stretches(band):
            shapes[shade] += f"M{first} {row}h{length}v1h-{length}z"
    return element(
        "svg",
        [
            element("path", class_=f"h{shade}", d=shape)
            for shade, shape in enumerate(shapes)
            if shape
        ],
        viewBox=f"0 0 {len(heat.columns)} {len(heat.bands)}",
        preserveAspectRatio="none",
        height=height,
        role="img",
        aria_label=_words(heat, slow),
    )


def _stretches(band: Band) -> Iterator[tuple[int, int, int]]:
    """Shade, first column and length of each stretch of one shade."""
    place = 0
    for shade, cells in groupby(map(_shade, band.excess)):
        length = len(tuple(cells))
        if shade is not None:
            yield shade, place, length
        place += length


def _shade(excess: float | None) -> int | None:
    return None if excess is None else sum(excess >= least for least in _SHADES)


def _words(heat: HeatMap, slow: Collection[int]) -> str:
    ranks = sum(len(band.ranks) for band in heat.bands)
    found = f"stragglers: {ranks_in_words(sorted(slow))}" if slow else "no straggler"
    first, last = heat.columns[0][0], heat.columns[-1][1]
    return f"Heat map of {ranks:,} ranks over steps {first:,} to {last:,}; {found}."


def _ranks(bands: Sequence[Band], height: int) -> list[Markup]:
    """As many names of rows as there is room for, each beside the middle of its row."""
    every = -(-_LABEL_PX * len(bands) // height)
    return [
        element("span", _name(band), class_="y left", style=_beside(row, bands))
        for row, band in enumerate(bands)
        if row % every == 0
    ]


def _name(band: Band) -> list[str | Markup | None]:
    first, last = band.ranks[0], band.ranks[-1]
    host = element("span", " · ", band.host, class_="host") if band.host else None
    return [f"{first}" if first == last else f"{first}-{last}", host]


def _slow_ranks(bands: Sequence[Band], height: int, slow: Collection[int]) -> list[Markup]:
    found: list[Markup] = []
    free = 0.0
    for row, band in enumerate(bands):
        place = (row + 0.5) * height / len(bands)
        names = [f"{rank}" for rank in band.ranks if rank in slow]
        if names and place >= free:
            found.append(
                element(
                    "span", f"◂ {', '.join(names)}", class_="y right", style=_beside(row, bands)
                )
            )
            free = place + _LABEL_PX
    return found


def _beside(row: int, bands: Sequence[Band]) -> str:
    return f"top:{percent((row + 0.5) / len(bands))}"


def _steps(heat: HeatMap) -> list[Markup]:
    first, last = heat.columns[0][0], heat.columns[-1][1]
    found = [element("span", f"step {first:,}", class_="x first", style="left:0%")]
    if last != first:
        found.append(element("span", f"{last:,}", class_="x last", style="left:100%"))
    return found
