# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Check that the title in the variable TITLE is a Conventional Commit title."""

from __future__ import annotations

import os
import re
import sys

TYPES = (
    "feat",
    "fix",
    "docs",
    "chore",
    "ci",
    "build",
    "perf",
    "refactor",
    "style",
    "test",
    "revert",
)

_TITLE = re.compile(rf"(?:{'|'.join(TYPES)})(?:\([a-z0-9, /-]+\))?!?: \S.*")


def is_conventional(title: str) -> bool:
    """Whether the title has the form ``type(scope): text``; scope and ``!`` are optional."""
    return _TITLE.fullmatch(title) is not None


def main() -> int:
    """Check TITLE; returns the exit status."""
    title = os.environ.get("TITLE", "")
    if is_conventional(title):
        print(f"title: {title}")
        return 0
    print(
        f"TITLE is {title!r}; expected `type: text` or `type(scope): text`, type one of "
        f"{', '.join(TYPES)}. Edit the title of the pull request.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
