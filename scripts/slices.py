# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Test each distribution from its wheel, in an environment that holds only what it declares.

What a distribution may not import is not installed there, so importing it fails the tests. The
same script looks at the environment from inside (``--inside``) before it starts the tests.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

import workspace


@dataclass(frozen=True)
class Slice:
    """One slice: which of our distributions it holds and which tests run in it."""

    name: str
    holds: tuple[workspace.Distribution, ...]
    tests: tuple[str, ...]
    has_opentelemetry_sdk: bool


_API = workspace.API
SLICES = (
    Slice("api", (_API,), ("tests/nemo-lens-api",), has_opentelemetry_sdk=False),
    Slice(
        "instruments",
        (_API, workspace.INSTRUMENTS),
        ("tests/nemo-lens-instruments",),
        has_opentelemetry_sdk=False,
    ),
    Slice(
        "contrib",
        (_API, workspace.CONTRIB),
        ("tests/nemo-lens-contrib",),
        has_opentelemetry_sdk=False,
    ),
    Slice(
        "sdk",
        (_API, workspace.SDK),
        ("tests/nemo-lens-api", "tests/nemo-lens-sdk"),
        has_opentelemetry_sdk=True,
    ),
    Slice(
        "cli",
        (_API, workspace.SDK, workspace.INSTRUMENTS, workspace.CLI),
        ("tests/nemo-lens-cli",),
        has_opentelemetry_sdk=True,
    ),
    Slice("full", workspace.DISTRIBUTIONS, ("tests",), has_opentelemetry_sdk=True),
)


def run(slice_: Slice, pytest_arguments: list[str]) -> int:
    """Test one slice in a fresh environment; returns the exit status."""
    print(f"\n=== slice {slice_.name} ===", flush=True)
    environment = ["--isolated", "--locked", "--no-editable", "--only-group"]
    inside = ["python", "scripts/slices.py", "--inside", slice_.name, *pytest_arguments]
    command = [workspace.uv(), "run", *environment, f"slice-{slice_.name}", *inside]
    return subprocess.call(command, cwd=workspace.ROOT)


def problems_inside(slice_: Slice) -> list[str]:
    """What this process's environment has that the slice must not have, or lacks."""
    installed = {name.lower() for each in metadata.distributions() if (name := each.name)}
    ours = {name for name in installed if name == "nemo-lens" or name.startswith("nemo-lens-")}
    expected = {distribution.name for distribution in slice_.holds}
    problems = [f"{name} is installed" for name in sorted(ours - expected)]
    problems += [f"{name} is not installed" for name in sorted(expected - ours)]
    sdk = sorted(
        name
        for name in installed
        if name == "opentelemetry-sdk" or name.startswith("opentelemetry-exporter-")
    )
    if not slice_.has_opentelemetry_sdk:
        problems += [f"{name} is installed" for name in sdk]
    found = util.find_spec("nemo.lens")
    if found is None or not found.origin or Path(found.origin).is_relative_to(workspace.ROOT):
        problems.append(f"nemo.lens is {found and found.origin}, not an installed wheel")
    return [f"slice {slice_.name}: {problem}" for problem in problems]


def main() -> int:
    """Run the named slices, all by default; returns the exit status."""
    by_name = {each.name: each for each in SLICES}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(by_name))
    arguments, pytest_arguments = parser.parse_known_args()
    unknown = [name for name in arguments.names if name not in by_name]
    if unknown:
        parser.error(f"unknown slice {unknown[0]!r}; there are {', '.join(by_name)}")
    chosen = [by_name[name] for name in arguments.names or by_name]
    if arguments.inside:
        return _test_inside(chosen[0], pytest_arguments)
    failed = [each.name for each in chosen if run(each, pytest_arguments) != 0]
    return workspace.report(
        [f"slice {name} failed" for name in failed],
        f"slices: {', '.join(each.name for each in chosen)} passed",
    )


def _test_inside(slice_: Slice, pytest_arguments: list[str]) -> int:
    found = problems_inside(slice_)
    if found:
        return workspace.report(found, "")
    print(f"slice {slice_.name}: {', '.join(each.name for each in slice_.holds)}", flush=True)
    pytest = [sys.executable, "-m", "pytest", "-q", *slice_.tests, *pytest_arguments]
    return subprocess.call(pytest, cwd=workspace.ROOT)


if __name__ == "__main__":
    sys.exit(main())
