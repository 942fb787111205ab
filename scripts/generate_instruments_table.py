# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Write the table of `docs/reference/instruments.md` from `nemo.lens.instruments.schema()`.

Only what stands between the markers is written::

    python scripts/generate_instruments_table.py          # write the table
    python scripts/generate_instruments_table.py --check  # fail when it differs from the code
"""

from __future__ import annotations

import argparse
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generated_page import between_markers, table, write_or_check

from nemo.lens.instruments import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "instruments.md"
COLUMNS = ("metric", "in Prometheus", "kind", "unit", "recorded when", "attributes", "meaning")
OWN_GROUPS = "nemo.lens."


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the page; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: the project's)")
    options = parser.parse_args(argv)
    return write_or_check(
        options.page,
        lambda page: between_markers(page, "instruments", "\n".join(sections(schema()))),
        check=options.check,
        source="the instruments in the code",
        command="python scripts/generate_instruments_table.py",
    )


def sections(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Give a heading and a table for each group of this project."""
    own = (row for row in rows if row["group"].startswith(OWN_GROUPS))
    for group, members in groupby(own, key=lambda row: row["group"]):
        yield f"\n### `{group}`\n"
        yield table(COLUMNS, map(cells, members))
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
