# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of `docs/reference/configuration.md` from the tables in the code.

Only what stands between the markers is written::

    python scripts/generate_settings_table.py          # write the tables
    python scripts/generate_settings_table.py --check  # fail when they differ from the code
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generated_page import between_markers, table, write_or_check

from nemo.lens.configuration.foreign_variables import FOREIGN_VARIABLES
from nemo.lens.configuration.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.configuration.foreign_variables import ForeignVariable
    from nemo.lens.configuration.settings import Setting

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "configuration.md"
COLUMNS = ("variable", "field", "default", "accepted", "used by", "since", "meaning")


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the page; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: the project's)")
    options = parser.parse_args(argv)
    return write_or_check(
        options.page,
        with_tables,
        check=options.check,
        source="the tables in the code",
        command="python scripts/generate_settings_table.py",
    )


def with_tables(page: str) -> str:
    """Give `page` with both tables in place of what stands between its markers."""
    page = between_markers(page, "settings", table(COLUMNS, map(setting_cells, SETTINGS)))
    foreign_columns = tuple(column for column in COLUMNS if column != "field")
    rows = map(foreign_cells, FOREIGN_VARIABLES)
    return between_markers(page, "foreign", table(foreign_columns, rows))


def setting_cells(setting: Setting) -> tuple[str, ...]:
    """Give the cells of one setting, in the order of `COLUMNS`."""
    names = " or ".join(f"`{name}`" for name in setting.variables("<PREFIX>"))
    return (names, f"`{setting.field}`", *_common_cells(setting))


def foreign_cells(row: ForeignVariable) -> tuple[str, ...]:
    """Give the cells of one variable that belongs to someone else."""
    return (f"`{row.name}`", *_common_cells(row))


def _common_cells(row: Setting | ForeignVariable) -> tuple[str, ...]:
    accepted = row.type.accepted.replace("'", "`")
    return (_default(row.default), accepted, row.used_by, row.since, row.description)


def _default(value: Any) -> str:
    if value is None or value in ("", ()):
        return "not set"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text}`"


if __name__ == "__main__":
    raise SystemExit(main())
