# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Run what continuous integration runs: named steps, each a command that a person can run too.

Steps run side by side, two at a time where there are two cores; their output comes in one piece
when they are over (``--jobs 1`` shows it as it comes). All steps run even when one fails; the
closing table says which passed, failed or did not run. A part that this machine cannot run is
announced as ``NOT RUN`` and fails when CI_STRICT=1.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import ray_tests
import torch_tests
import workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Command = list[str]

_UV = ["uv", "run", "--locked"]
_DEV = [sys.executable, "dev.py"]
_MOST_JOBS = 2
_SHOWING = threading.Lock()


@dataclass(frozen=True)
class Step:
    """One step: its name, what it shows, and the commands that must all succeed."""

    name: str
    shows: str
    commands: Callable[[], Iterator[Command]]


def _demo() -> Iterator[Command]:
    yield [*_DEV, "demo"]
    yield [*_UV, "python", "scripts/demo_verdict.py"]


def _tests() -> Iterator[Command]:
    yield [*_DEV, "test"]


def _lint() -> Iterator[Command]:
    yield [*_UV, "pre-commit", "run", "--all-files", "--show-diff-on-failure"]


def _types() -> Iterator[Command]:
    sources = [f"packages/{each.name}/src" for each in workspace.DISTRIBUTIONS if each.owns]
    yield [*_UV, "mypy", *sources]
    yield [*_UV, "mypy", "scripts", "dev.py", "examples", "tests/typing"]
    yield [*_UV, "pyright"]


def _contracts() -> Iterator[Command]:
    yield [*_UV, "lint-imports"]


def _wheels() -> Iterator[Command]:
    yield [*_UV, "python", "scripts/check_wheels.py"]


def _slices() -> Iterator[Command]:
    yield [*_UV, "python", "scripts/slices.py"]


def _pythons() -> Iterator[Command]:
    """The tests on the oldest and the newest Python found, unless `tests` had them on it."""
    found = workspace.interpreters()
    default = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for version in sorted({found[0], found[-1]} - {default}, key=found.index):
        isolated = [
            "--isolated",
            "--python",
            version,
            "--no-default-groups",
            "--group",
            "integration",
        ]
        yield [*_UV, *isolated, "python", "-m", "pytest", "-q"]


def _opentelemetry() -> Iterator[Command]:
    yield [*_UV, "python", "scripts/lowest_opentelemetry.py"]


def _packaging() -> Iterator[Command]:
    yield [*_UV, "python", "-m", "pytest", "-m", "integration", "tests/packaging"]


def _integration() -> Iterator[Command]:
    yield [sys.executable, "scripts/install_packages.py", "prometheus", "chromium"]
    pytest = [*_UV, "python", "-m", "pytest", "-m", "integration", "tests"]
    elsewhere = [f"--ignore-glob={torch_tests.TESTS}", f"--ignore={ray_tests.TESTS}"]
    yield [*pytest, "--ignore=tests/packaging", *elsewhere]


def _torch() -> Iterator[Command]:
    yield [sys.executable, "scripts/torch_tests.py"]


def _ray() -> Iterator[Command]:
    yield [sys.executable, "scripts/ray_tests.py"]


STEPS = (
    Step("demo", "the README's first command, and its verdict", _demo),
    Step("tests", "the README's second command", _tests),
    Step("lint", "pre-commit over all files: ruff, headers, lock, versions, gated calls", _lint),
    Step("types", "mypy and pyright, both strict", _types),
    Step("contracts", "which distribution imports which", _contracts),
    Step("wheels", "what the wheels and source archives hold", _wheels),
    Step("slices", "each distribution from its wheel, with nothing else installed", _slices),
    Step("pythons", "the tests on the oldest and the newest Python found", _pythons),
    Step("opentelemetry", "the tests on the lowest OpenTelemetry versions", _opentelemetry),
    Step("packaging", "fresh installs, a planted violation, the launcher", _packaging),
    Step("integration", "real processes, signals, servers", _integration),
    Step("torch", "tensors and compiled steps, in a side environment", _torch),
    Step("ray", "tasks and actors on a local cluster, in a side environment", _ray),
)


def run(step: Step, log: IO[str]) -> str:
    """Run the commands of one step, their output in `log`; returns the outcome."""
    outcome = "passed"
    for command in step.commands():
        print(f"\n$ {shlex.join(command)}", file=log, flush=True)
        status = subprocess.call(
            command,
            cwd=workspace.ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        if status == workspace.NOT_RUN and outcome == "passed":
            outcome = "NOT RUN"
        elif status not in {0, workspace.NOT_RUN}:
            print(f"step {step.name}: exit status {status}", file=log, flush=True)
            outcome = "FAILED"
    return outcome


def main() -> int:
    """Run the named steps, all by default; returns the exit status."""
    by_name = {step.name: step for step in STEPS}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="STEP", help=", ".join(by_name))
    parser.add_argument("--list", action="store_true", help="print the steps and stop")
    parser.add_argument("--skip", action="append", default=[], metavar="STEP")
    parser.add_argument(
        "--jobs",
        type=int,
        default=min(_MOST_JOBS, os.cpu_count() or 1),
        metavar="N",
        help="steps at a time (default: %(default)s)",
    )
    arguments = parser.parse_args()
    if arguments.list:
        for step in STEPS:
            print(f"{step.name:14} {step.shows}")
        return 0
    unknown = [name for name in (*arguments.names, *arguments.skip) if name not in by_name]
    if unknown:
        parser.error(f"unknown step {unknown[0]!r}; `--list` prints them")
    names = [name for name in arguments.names or by_name if name not in arguments.skip]
    # Hooks and steps call `uv` by name, also when it lives in .uv/.
    os.environ["PATH"] = f"{Path(workspace.uv()).parent}{os.pathsep}{os.environ['PATH']}"
    return _summary(_run_all([by_name[name] for name in names], arguments.jobs))


class Result(NamedTuple):
    """How a step ended."""

    name: str
    outcome: str
    duration_s: float


def _run_all(steps: list[Step], jobs: int) -> list[Result]:
    """The first step alone, which makes the environment; then `jobs` steps at a time."""
    results = [_timed(step, sys.stdout) for step in steps[:1]]
    with ThreadPoolExecutor(jobs) as pool:
        results += pool.map(_logged if jobs > 1 else _visible, steps[1:])
    return results


def _visible(step: Step) -> Result:
    return _timed(step, sys.stdout)


def _logged(step: Step) -> Result:
    """Run a step beside others; what it prints is shown in one piece when it is over."""
    print(f"started: {step.name}", flush=True)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        result = _timed(step, log)
        log.seek(0)
        with _SHOWING:
            shutil.copyfileobj(log, sys.stdout)
            sys.stdout.flush()
    return result


def _timed(step: Step, log: IO[str]) -> Result:
    print(f"\n{'=' * 78}\n{step.name}: {step.shows}\n{'=' * 78}", file=log, flush=True)
    started = time.monotonic()
    outcome = run(step, log)
    return Result(step.name, outcome, time.monotonic() - started)


def _summary(results: list[Result]) -> int:
    strict = os.environ.get("CI_STRICT") == "1"
    print(f"\n{'=' * 78}\nsummary\n{'=' * 78}")
    for name, outcome, duration_s in results:
        print(f"{name:14} {outcome:8} {duration_s:7.1f} s")
    failed = [name for name, outcome, _ in results if outcome == "FAILED"]
    not_run = [name for name, outcome, _ in results if outcome == "NOT RUN"]
    for name in not_run:
        print(f"NOT RUN: {name}" + (", a failure because CI_STRICT=1" if strict else ""))
    if failed:
        print(f"FAILED: {', '.join(failed)}")
    status = 1 if failed or (strict and not_run) else 0
    print("all steps passed" if not (failed or not_run) else f"exit status {status}")
    return status


if __name__ == "__main__":
    sys.exit(main())
