# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of `docs/reference/configuration.md` from the tables in the code.

Only what stands between the markers is written::

    python scripts/generate_settings_table.py          # write the tables
    python scripts/generate_settings_table.py --check  # fail when they differ from the code
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import workspace
from generated_page import between_markers, table, write_or_check

from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES
from nemo.lens.configuration.settings import SETTINGS
from nemo.lens.resources.variables import DETECTION_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.configuration.foreign_table import ForeignVariable
    from nemo.lens.configuration.settings import Setting
    from nemo.lens.resources.variables import DetectionVariable

PAGE = workspace.ROOT / "docs" / "reference" / "configuration.md"
COLUMNS = ("variable", "field", "default", "accepted", "used by", "since", "meaning")


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the page; gives the exit status."""
    return write_or_check(argv, PAGE, with_tables, script="generate_settings_table.py")


def with_tables(page: str) -> str:
    """Give `page` with all tables in place of what stands between its markers."""
    foreign_columns = [column for column in COLUMNS if column != "field"]
    tables = {
        "settings": table(COLUMNS, [setting_cells(row) for row in SETTINGS]),
        "foreign": table(foreign_columns, [foreign_cells(row) for row in FOREIGN_VARIABLES]),
        "detection": table(
            ("variable", "used for"), [detection_cells(row) for row in DETECTION_VARIABLES]
        ),
    }
    for name, content in tables.items():
        page = between_markers(page, name, content)
    return page


def setting_cells(setting: Setting) -> tuple[str, ...]:
    """Give the cells of one setting, in the order of `COLUMNS`."""
    names = " or ".join(f"`{name}`" for name in setting.variables("<PREFIX>"))
    return (names, f"`{setting.field}`", *_common_cells(setting))


def foreign_cells(row: ForeignVariable) -> tuple[str, ...]:
    """Give the cells of one variable that belongs to someone else."""
    return (f"`{row.name}`", *_common_cells(row))


def detection_cells(row: DetectionVariable) -> tuple[str, ...]:
    """Give the cells of one variable that detection reads."""
    names = " or ".join(f"`{name}`" for name in row.names)
    return (f"{names}, per component too" if row.per_component else names, row.used_for)


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
