# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Keep the one version of all distributions: ``check`` it, or ``set`` the next one for a release.

uv ignores the version in a requirement on a workspace sibling, so a stale pin would only show on
a user's machine; this script is what sees it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import workspace

if TYPE_CHECKING:
    from pathlib import Path

_VERSION = re.compile(r"^version = \"(?P<version>[^\"]+)\"$", re.MULTILINE)
_SIBLING = re.compile(r"\"(?P<name>nemo-lens(?:-[a-z]+)?)(?:\[[\w,]+\])?(?P<pin>[^\"\[\]]*)\"")
_PUBLISHABLE = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?(?:\.dev\d+)?")


def problems_in(root: Path) -> list[str]:
    """What is not in lock-step in the workspace at ``root``: versions and sibling pins."""
    version = version_of(root / "pyproject.toml")
    problems: list[str] = []
    for distribution in workspace.DISTRIBUTIONS:
        path = root / "packages" / distribution.name / "pyproject.toml"
        where = path.relative_to(root)
        own = version_of(path)
        if own != version:
            problems.append(f"{where}: version {own}, the workspace has {version}")
        problems += [
            f"{where}: {name}{pin} must be pinned as {name}=={version}"
            for name, pin in _sibling_pins(path, distribution.name)
            if pin != f"=={version}"
        ]
    return problems


def set_version(root: Path, version: str) -> None:
    """Write ``version`` as every version and sibling pin of the workspace at ``root``."""
    folders = [root, *(root / "packages" / each.name for each in workspace.DISTRIBUTIONS)]
    for folder in folders:
        path = folder / "pyproject.toml"
        text = path.read_text(encoding="utf-8")
        text = _VERSION.sub(f'version = "{version}"', text)
        text = re.sub(r"(\"nemo-lens[\w\-\[\],]*)==[^\"]+\"", rf'\1=={version}"', text)
        path.write_text(text, encoding="utf-8")


def version_of(path: Path) -> str:
    """The version that the pyproject.toml at ``path`` gives its distribution."""
    found = _VERSION.search(path.read_text(encoding="utf-8"))
    if found is None:
        sys.exit(f'{path}: no line of the form version = "..."')
    return found["version"]


def _sibling_pins(path: Path, own_name: str) -> list[tuple[str, str]]:
    """Requirements on siblings; those on itself (the ``all`` extra) need no pin."""
    text = path.read_text(encoding="utf-8")
    body = "\n".join(line for line in text.splitlines() if not line.startswith("name = "))
    return [(m["name"], m["pin"]) for m in _SIBLING.finditer(body) if m["name"] != own_name]


def main() -> int:
    """Parse the command line and run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="fail when versions or sibling pins differ")
    setter = commands.add_parser("set", help="write one version everywhere and refresh the lock")
    setter.add_argument("version", help="the next version, such as 0.4.0 or 0.4.0rc1")
    arguments = parser.parse_args()
    if arguments.command == "set":
        if not _PUBLISHABLE.fullmatch(arguments.version):
            parser.error(f"{arguments.version!r} is not a version such as 0.4.0, 0.4.0rc1")
        set_version(workspace.ROOT, arguments.version)
        subprocess.run([workspace.uv(), "lock", "--quiet"], cwd=workspace.ROOT, check=True)
    version = version_of(workspace.ROOT / "pyproject.toml")
    return workspace.report(
        problems_in(workspace.ROOT), f"versions: all distributions are at {version}, pins too"
    )


if __name__ == "__main__":
    sys.exit(main())
