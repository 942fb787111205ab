# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Write the table of `docs/reference/instruments.md` from `nemo.lens.instruments.schema()`.

Only what stands between the markers is written::

    python scripts/generate_instruments_table.py          # write the table
    python scripts/generate_instruments_table.py --check  # fail when it differs from the code
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import workspace
from generated_page import between_markers, table, write_or_check

from nemo.lens.instruments import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PAGE = workspace.ROOT / "docs" / "reference" / "instruments.md"
COLUMNS = ("metric", "in Prometheus", "kind", "unit", "recorded when", "attributes", "meaning")
OWN_GROUPS = "nemo.lens."


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the page; gives the exit status."""
    return write_or_check(argv, PAGE, with_tables, script="generate_instruments_table.py")


def with_tables(page: str) -> str:
    """Give `page` with the tables in place of what stands between its markers."""
    return between_markers(page, "instruments", "\n".join(sections(schema())))


def sections(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Give a heading and a table for each group of this project."""
    own = (row for row in rows if row["group"].startswith(OWN_GROUPS))
    for group, members in groupby(own, key=lambda row: row["group"]):
        yield f"\n### `{group}`\n"
        yield table(COLUMNS, [cells(row) for row in members])
    yield ""


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """Give the cells of one metric, in the order of `COLUMNS`."""
    return (
        f"`{row['name']}`",
        f"`{row['prometheus_name']}`",
        row["kind"].replace("_", " "),
        f"`{row['unit']}`",
        _recorded_when(row),
        ", ".join(f"`{name}`" for name in row["attributes"]) or _other_attributes(row),
        row["description"],
    )


def _other_attributes(row: dict[str, Any]) -> str:
    return "none" if "observable" in row["kind"] else "the caller's"


def _recorded_when(row: dict[str, Any]) -> str:
    if row["recorded_when"]:
        return "durations " + " or ".join(f"`{setting}`" for setting in row["recorded_when"])
    return f"`{row['key']}` is given" if "observable" not in row["kind"] else "at each collection"


if __name__ == "__main__":
    raise SystemExit(main())
