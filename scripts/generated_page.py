# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Pages of the documentation of which a part is generated: what stands between two markers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def between_markers(page: str, name: str, content: str) -> str:
    """Give `page` with `content` in place of what stands between the markers called `name`."""
    begin, end = f"<!-- begin generated: {name} -->", f"<!-- end generated: {name} -->"
    head, found_begin, rest = page.partition(begin)
    _, found_end, tail = rest.partition(end)
    if not (found_begin and found_end):
        raise SystemExit(f"the page lacks the markers {begin} and {end}, in this order")
    return f"{head}{begin}\n{content}\n{end}{tail}"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Give a Markdown table."""
    head = (columns, ["---"] * len(columns))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (*head, *rows))


def write_or_check(
    page: Path, generate: Callable[[str], str], *, check: bool, source: str, command: str
) -> int:
    """Bring a page up to date, or say that it is not; gives the exit status.

    Args:
        page: The file.
        generate: Gives the page as it should be, from the page as it is.
        check: Write nothing, and fail on a difference.
        source: What the generated part is made from, for the message.
        command: The command that writes the page, for the message.
    """
    before = page.read_text(encoding="utf-8")
    after = generate(before)
    if not check:
        page.write_text(after, encoding="utf-8")
        return 0
    if before != after:
        print(f"{page} differs from {source}: run {command}", file=sys.stderr)
    return int(before != after)


def command_line(
    argv: Sequence[str] | None, page: Path, generate: Callable[[str], str], *, script: str
) -> int:
    """Do what the command line of a script says that writes one page; gives the exit status.

    Args:
        argv: The arguments; those of the process for None.
        page: The page, unless `--page` names another one.
        generate: Gives the page as it should be, from the page as it is.
        script: The name of the script, for messages.
    """
    parser = argparse.ArgumentParser(description=f"Write the generated parts of {page.name}.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    parser.add_argument("--page", type=Path, default=page, help="the page (default: the project's)")
    options = parser.parse_args(argv)
    return write_or_check(
        options.page,
        generate,
        check=options.check,
        source="the code",
        command=f"python scripts/{script}",
    )
