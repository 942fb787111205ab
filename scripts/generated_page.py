# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Pages of the documentation with parts that are written from the code, between markers.

The scripts that write them share one command line: without arguments they write, with ``--check``
they fail when the page differs from the code.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def write_or_check(
    argv: Sequence[str] | None, page: Path, generated: Callable[[str], str], *, script: str
) -> int:
    """Parse the command line, then write or check the page.

    Args:
        argv: The arguments; those of the process for None.
        page: The page, unless ``--page`` names another one.
        generated: Gives the text of the page, with the generated parts as they should be.
        script: Name of the script that writes the page, for messages.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(description=f"Write the generated parts of {page.name}.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    parser.add_argument("--page", type=Path, default=page, help="the page (default: the project's)")
    options = parser.parse_args(argv)
    return bring_up_to_date(options.page, generated, check=options.check, script=script)


def bring_up_to_date(
    page: Path, generated: Callable[[str], str], *, check: bool, script: str
) -> int:
    """Write the page, or with `check` say whether it is current; gives the exit status."""
    before = page.read_text(encoding="utf-8")
    after = generated(before)
    if not check:
        page.write_text(after, encoding="utf-8")
        return 0
    cure = f"{page} differs from the code: run python scripts/{script}"
    return workspace.report([cure] if before != after else [], f"{page.name} is what the code says")


def between_markers(page: str, name: str, content: str) -> str:
    """Give `page` with `content` in place of what stands between the markers of that name."""
    begin, end = f"<!-- begin generated: {name} -->", f"<!-- end generated: {name} -->"
    head, found_begin, rest = page.partition(begin)
    _, found_end, tail = rest.partition(end)
    if not (found_begin and found_end):
        sys.exit(f"the page lacks the markers {begin} and {end}, in this order")
    return f"{head}{begin}\n{content}\n{end}{tail}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Give a Markdown table."""
    lines = (columns, ["---"] * len(columns), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
