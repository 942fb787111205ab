# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Check that each Python file, workflow and build configuration starts with the SPDX header."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import workspace

if TYPE_CHECKING:
    from pathlib import Path

HEADER = (
    "# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES."
    " All rights reserved.\n"
    "# SPDX-License-Identifier: Apache-2.0\n"
)
WITH_HEADER = (
    "*.py",
    "*.pyi",
    "*pyproject.toml",
    "mkdocs.yml",
    ".pre-commit-config.yaml",
    ".github/workflows/*.yml",
    ".ci/run",
)
# Copied by users into their own deployments, where a header of ours is noise.
WITHOUT_HEADER = ("observability/*.yml", "observability/*.yaml", "compose*.yml", "compose*.yaml")


def has_header(path: Path) -> bool:
    """Whether the file starts with the header; a shebang line may stand before it."""
    text = path.read_text(encoding="utf-8")
    if text.startswith("#!"):
        text = text.partition("\n")[2]
    return text.startswith(HEADER)


def main() -> int:
    """Check every tracked file; returns the exit status."""
    checked = workspace.tracked_files(*WITH_HEADER)
    problems = [
        f"{path.relative_to(workspace.ROOT)}: start the file with the two lines\n{HEADER}"
        for path in checked
        if not has_header(path)
    ]
    problems += [
        f"{path.relative_to(workspace.ROOT)}: compose and observability files carry no header"
        for path in workspace.tracked_files(*WITHOUT_HEADER)
        if has_header(path)
    ]
    return workspace.report(problems, f"headers: {len(checked)} files carry the SPDX header")


if __name__ == "__main__":
    sys.exit(main())
