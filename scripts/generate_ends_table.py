# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of `docs/user-guide/reliability.md` from the rows that the tests measure.

Only what stands between the markers is written::

    python scripts/generate_ends_table.py          # write the tables
    python scripts/generate_ends_table.py --check  # fail when they differ from the rows

The rows are those of `tests/integration/process_ends.yaml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import workspace
import yaml
from generated_page import between_markers, table, write_or_check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGE = workspace.ROOT / "docs" / "user-guide" / "reliability.md"
ROWS = workspace.ROOT / "tests" / "integration" / "process_ends.yaml"
COLUMNS = (
    "end",
    "collector",
    "finished spans that arrive",
    "in run files",
    "open spans",
    "black box",
    "exit status",
    "within",
    "said to be lost",
    "end in run files",
)
DEADLINE_S = 5
FINISHED = {
    "collector": {"all": "all", "early": "all older than 1 s", "none": "none"},
    "files": {"all": "all", "early": "all older than 0.2 s", "none": "none"},
}


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the page; gives the exit status."""
    return write_or_check(argv, PAGE, with_tables, script="generate_ends_table.py")


def with_tables(page: str) -> str:
    """Give `page` with the tables in place of what stands between its markers."""
    sections: dict[str, list[dict[str, Any]]] = yaml.safe_load(ROWS.read_text(encoding="utf-8"))
    parts = [
        f"### {title}\n\n{table(COLUMNS, [cells(row) for row in rows])}"
        for title, rows in sections.items()
    ]
    return between_markers(page, "ends", "\n\n".join(parts))


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the cells of one row, in the order of `COLUMNS`."""
    over = ", gRPC" if row.get("protocol") == "grpc" else ""
    return (
        row["end"],
        row.get("collector", "healthy") + over,
        FINISHED["collector"][row["finished"]],
        FINISHED["files"][row["files"]],
        row["open"],
        row["box"],
        str(row["status"]),
        f"{row.get('deadline_s', DEADLINE_S)} s",
        f"{row['lost']} spans" if row["lost"] else "-",
        "-" if row["manifest"] == "none" else f"`{row['manifest']}`",
    )


if __name__ == "__main__":
    raise SystemExit(main())
