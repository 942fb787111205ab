# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Build every distribution and check what its wheel and source archive hold."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

import workspace

FRONT = "nemo/lens/__init__.py"


def build(folder: Path) -> None:
    """Build sdists, wheels from those sdists, and wheels from the tree (in ``tree/``)."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [workspace.uv(), "build", "--all-packages", "--quiet", "--no-create-gitignore"]
    subprocess.run([*command, "--out-dir", folder], cwd=workspace.ROOT, check=True)
    subprocess.run(
        [*command, "--wheel", "--out-dir", folder / "tree"], cwd=workspace.ROOT, check=True
    )


def problems_in(folder: Path) -> list[str]:
    """Everything that is wrong with the archives that ``build`` left in ``folder``."""
    problems: list[str] = []
    owners: dict[str, str] = {}
    for distribution in workspace.DISTRIBUTIONS:
        wheel = _archive(folder, distribution, "-*.whl")
        names = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")]
        for name in names:
            if name in owners:
                problems.append(f"{name} is in {owners[name]} and in {wheel.name}")
            owners[name] = wheel.name
        found = (
            _foreign_files(distribution, names)
            + _missing_files(distribution, names)
            + _metadata_problems(distribution, wheel)
            + _sdist_problems(_archive(folder, distribution, "-*.tar.gz"))
        )
        if _contents(wheel) != _contents(_archive(folder / "tree", distribution, "-*.whl")):
            found.append("the wheel from the sdist differs from the wheel from the tree")
        problems += [f"{wheel.name}: {problem}" for problem in found]
    return problems


def _archive(folder: Path, distribution: workspace.Distribution, pattern: str) -> Path:
    matches = sorted(folder.glob(distribution.name.replace("-", "_") + pattern))
    if len(matches) != 1:
        sys.exit(f"{folder}: one archive of {distribution.name} expected, found {matches}")
    return matches[0]


def _foreign_files(distribution: workspace.Distribution, names: list[str]) -> list[str]:
    """Files outside what the distribution owns, hidden files, stubs and caches."""
    others = tuple(
        prefix
        for other in workspace.DISTRIBUTIONS
        if other is not distribution
        for prefix in other.owns
        if prefix not in distribution.owns and prefix != "nemo/lens/"
    )
    problems: list[str] = []
    for name in names:
        if ".dist-info/" in name:
            continue
        if not name.startswith(distribution.owns or "nothing") or name.startswith(others):
            problems.append(f"{name} belongs to another distribution")
        if any(part.startswith(".") or part == "__pycache__" for part in name.split("/")):
            problems.append(f"{name} is a hidden file or a cache")
        if name.endswith(".pyi"):
            problems.append(f"{name} is a stub for editable installs")
        if name == FRONT and distribution is not workspace.API:
            problems.append(f"{name} is shipped by {workspace.API.name} only")
    return problems


def _missing_files(distribution: workspace.Distribution, names: list[str]) -> list[str]:
    expected = {prefix + "py.typed" for prefix in distribution.owns if prefix.endswith("/")}
    expected |= {prefix for prefix in distribution.owns if prefix.endswith(".py")}
    if distribution is workspace.API:
        expected.add(FRONT)
    missing = [f"{name} is missing" for name in sorted(expected - set(names))]
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        missing.append("LICENSE is missing")
    return missing


def _metadata_problems(distribution: workspace.Distribution, wheel: Path) -> list[str]:
    archive = zipfile.ZipFile(wheel)
    name = next(each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
    metadata = HeaderParser().parsestr(archive.read(name).decode())
    siblings = [
        requirement
        for requirement in metadata.get_all("Requires-Dist", [])
        if requirement.startswith("nemo-lens")
        and f"=={metadata['Version']}" not in requirement
        # The extra `all` of the meta-package names the meta-package itself.
        and not requirement.startswith(f"{distribution.name}[")
    ]
    problems = [f"{requirement} is not pinned to its version" for requirement in siblings]
    if metadata["Requires-Python"] != ">=3.10":
        problems.append(f"Requires-Python is {metadata['Requires-Python']}, expected >=3.10")
    if metadata["License-Expression"] != "Apache-2.0":
        problems.append(f"License-Expression is {metadata['License-Expression']}")
    if not str(metadata.get_payload()).strip():
        problems.append("the README is missing from the metadata")
    return problems


def _sdist_problems(sdist: Path) -> list[str]:
    """Links, caches and missing files of a source archive."""
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    names = {str(PurePosixPath(*PurePosixPath(member.name).parts[1:])) for member in members}
    problems = [f"{sdist.name} holds the link {each.name}" for each in members if not each.isfile()]
    missing = {"LICENSE", "README.md", "pyproject.toml"} - names
    problems += [f"{sdist.name} lacks {name}" for name in sorted(missing)]
    # hatchling puts the .gitignore of the repository into every source archive.
    hidden = (name for name in names if name.startswith(".") and name != ".gitignore")
    return problems + [f"{sdist.name} holds {name}" for name in hidden]


def _contents(wheel: Path) -> dict[str, bytes]:
    archive = zipfile.ZipFile(wheel)
    return {name: archive.read(name) for name in archive.namelist()}


def main() -> int:
    """Build into the folder and check it; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=workspace.ROOT / "dist")
    folder: Path = parser.parse_args().folder
    build(folder)
    return workspace.report(
        problems_in(folder), f"wheels: {len(workspace.DISTRIBUTIONS)} distributions in {folder}"
    )


if __name__ == "__main__":
    sys.exit(main())
