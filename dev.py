#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One way to run everything in a checkout: ``python3 dev.py demo``, ``test``, ``check``, ``ci``.

Needs Python 3.10 or newer and nothing else: uv is taken from PATH or installed by pip into
``.uv/``, and uv brings the rest from ``uv.lock`` into ``.venv/``.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
UV_HOME = ROOT / ".uv"
OLDEST_UV = (0, 13)
OLDEST_PYTHON = (3, 10)

# Said before anything below that an older interpreter cannot read.
if sys.version_info < OLDEST_PYTHON:
    sys.exit(f"dev.py: Python 3.10 or newer is needed, this is {sys.version.split()[0]}.")

USAGE = """\
usage: python3 dev.py COMMAND [ARGUMENTS]

  demo [ARGS]     train a small model in several processes and report the slow rank;
                  ARGS go to `nemo-lens demo` (default: --slow-rank 2)
  test [ARGS]     run the tests; ARGS go to pytest
  check           lint, types, import contracts and repository checks
  slices [NAME]   test each distribution in an environment that holds nothing else
  ci [STEP]       everything that continuous integration runs (`ci --list` names the steps)
  uv [ARGS]       run uv itself in the environment that the commands above use
"""

_PROBE = "import os, sys; print(*sys.version_info[:2], os.path.join(sys.base_prefix, 'bin'))"


def main(arguments: list[str]) -> int:
    """Run one command; returns the exit status of what it ran."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    if command in {"help", "-h", "--help"}:
        print(USAGE, end="")
        return 0
    if command not in COMMANDS:
        return _fail(f"unknown command {command!r}; `python3 dev.py help` lists the commands.")
    uv = find_uv() or install_uv()
    if uv is None:
        return 1
    folder = None if command == "demo" else ROOT
    return subprocess.call(COMMANDS[command](uv, rest), cwd=folder, env=environment(uv))


def demo(uv: str, rest: list[str]) -> list[str]:
    """Run the main job with what it needs alone, in the caller's folder: it writes there."""
    run = [uv, "run", "--project", str(ROOT), "--locked", "--no-default-groups"]
    return [*run, "nemo-lens", "demo", *(rest or ["--slow-rank", "2"])]


def test(uv: str, rest: list[str]) -> list[str]:
    """Run pytest."""
    run = [uv, "run", "--locked", "--no-default-groups", "--group", "integration"]
    return [*run, "python", "-m", "pytest", *rest]


def check(_uv: str, rest: list[str]) -> list[str]:
    """Run the steps of CI that judge the text of the code."""
    return [sys.executable, "scripts/ci.py", "lint", "types", "contracts", *rest]


def slices(_uv: str, rest: list[str]) -> list[str]:
    """Test each distribution from its wheel."""
    return [sys.executable, "scripts/slices.py", *rest]


def ci(_uv: str, rest: list[str]) -> list[str]:
    """Run the steps of CI."""
    return [sys.executable, "scripts/ci.py", *rest]


def raw_uv(uv: str, rest: list[str]) -> list[str]:
    """Run uv itself."""
    return [uv, *rest]


COMMANDS = {
    "demo": demo,
    "test": test,
    "check": check,
    "slices": slices,
    "ci": ci,
    "uv": raw_uv,
}


def find_uv() -> str | None:
    """The path of a uv that is new enough, from PATH or from ``.uv/``."""
    for candidate in (shutil.which("uv"), str(UV_HOME / "bin" / "uv")):
        if candidate and _uv_version(candidate) >= OLDEST_UV:
            return candidate
    return None


def install_uv() -> str | None:
    """Install uv into ``.uv/`` with pip; prints one line and returns None when that fails."""
    print("dev.py: installing uv into .uv/", file=sys.stderr)
    python = sys.executable if _has_pip(sys.executable) else _python_with_pip()
    if python is None:
        _fail(
            f"{sys.executable} has neither pip nor a working venv module. Install one of them "
            "(Debian, Ubuntu: apt install python3-pip) or put uv on PATH, then run this again."
        )
        return None
    # A target folder, not an environment: works where the environment is externally managed.
    requirement = "uv>=" + ".".join(map(str, OLDEST_UV))
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "--upgrade", "--target", str(UV_HOME), requirement],
        check=False,
        env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"},
    )
    uv = find_uv()
    if uv is None:
        _fail(f"pip could not install {requirement} into {UV_HOME} (exit {done.returncode}).")
    return uv


def environment(uv: str) -> dict[str, str]:
    """The environment for uv: no interpreter downloads, only interpreters that start."""
    env = dict(os.environ)
    # Set by the `uv run` that may have started us; it is not the environment to work in.
    env.pop("VIRTUAL_ENV", None)
    env["UV"] = uv
    env.setdefault("UV_PYTHON_DOWNLOADS", "never")
    env.setdefault("UV_PYTHON", f"{sys.version_info[0]}.{sys.version_info[1]}")
    if "UV_PYTHON_SEARCH_PATH" not in env:
        env["UV_PYTHON_SEARCH_PATH"] = os.pathsep.join(interpreter_folders())
    return env


def interpreter_folders() -> list[str]:
    """Folders of the interpreters that really start, this one first.

    Version managers put launchers on PATH for versions that are not active; uv would warn about
    each of them. So every candidate is asked for its own installation folder.
    """
    folders = {os.path.join(sys.base_prefix, "bin"): None}  # noqa: PTH118  # as the probe prints
    for candidate in _interpreter_candidates():
        probe = subprocess.run(
            [candidate, "-c", _PROBE], capture_output=True, text=True, check=False, cwd=ROOT
        )
        if probe.returncode != 0:
            continue
        major, minor, folder = probe.stdout.strip().split(" ", 2)
        if (int(major), int(minor)) >= OLDEST_PYTHON:
            folders[folder] = None
    return list(folders)


def _interpreter_candidates() -> list[str]:
    """Every python3 on PATH, and those that version managers keep outside it."""
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv")
    folders = [Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep) if entry]
    folders += sorted(pyenv.glob("versions/*/bin"))
    folders += sorted((home / ".local/share/uv/python").glob("*/bin"))
    numbered = re.compile(r"python3(\.1[0-9])?")
    return list(
        dict.fromkeys(
            str(path)
            for folder in folders
            if folder.is_dir()
            for path in sorted(folder.glob("python3*"))
            if numbered.fullmatch(path.name) and os.access(path, os.X_OK)
        )
    )


def _uv_version(uv: str) -> tuple[int, ...]:
    """The version of the uv at this path, (0,) when it does not start."""
    try:
        answer = subprocess.run([uv, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return (0,)
    found = re.search(r"(\d+)\.(\d+)", answer.stdout)
    return (int(found[1]), int(found[2])) if found else (0,)


def _has_pip(python: str) -> bool:
    probe = subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False)
    return probe.returncode == 0


def _python_with_pip() -> str | None:
    """An interpreter with pip in a fresh virtual environment under ``.uv/``, or None."""
    folder = UV_HOME / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, check=False)
    python = str(folder / "bin" / "python")
    return python if os.access(python, os.X_OK) and _has_pip(python) else None


def _fail(message: str) -> int:
    print(f"dev.py: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
