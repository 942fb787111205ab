# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Attributes, span groups and metrics as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.cli.page import Cell, Column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nemo.lens.cli.page import Page

    Row = Mapping[str, Any]
    Cells = Callable[[Row], list[str]]


def render(parts: Mapping[str, Sequence[Row]], page: Page) -> Page:
    """Write the parts that there are, one table each."""
    for name, rows in parts.items():
        titles, cells = _TABLES[name]
        page.heading(f"{name.capitalize()} ({len(rows)})")
        columns = [Column(title) for title in titles]
        page.table(columns, [[Cell(text) for text in cells(row)] for row in rows])
    return page


def _attribute(row: Row) -> list[str]:
    kind = f"{row['type']}, {row['unit']}" if row["unit"] else row["type"]
    return [row["id"], kind, ", ".join(row["use"]), row["brief"]]


def _group(row: Row) -> list[str]:
    return [row["name"], ", ".join(row["presets"])]


def _metric(row: Row) -> list[str]:
    return [row["name"], row["kind"].replace("_", " "), row["unit"], row["description"]]


_TABLES: Mapping[str, tuple[tuple[str, ...], Cells]] = {
    "attributes": (("attribute", "type", "use", "meaning"), _attribute),
    "groups": (("span group", "in the presets"), _group),
    "metrics": (("metric", "kind", "unit", "meaning"), _metric),
}
