# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Run the tests with the lowest OpenTelemetry versions that our distributions accept.

A container that pins an older OpenTelemetry must be able to keep it; what the lock holds is the
newest. Everything else comes in the versions that the resolver prefers.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import check_wheels
import versions
import workspace

_FLOOR = re.compile(r"\"(?P<name>opentelemetry-[a-z-]+)>=(?P<version>[\w.]+)[^\"]*\"")
_TEST_TOOLS = ["pytest", "hypothesis", "numpy", "pyyaml", "uvicorn", "cloudpickle"]
_EXTRAS = "aiohttp,fastapi,httpx,requests"


def floors() -> list[str]:
    """The lowest accepted version of each OpenTelemetry requirement, as constraints."""
    text = "".join(
        (each.folder / "pyproject.toml").read_text(encoding="utf-8")
        for each in workspace.DISTRIBUTIONS
    )
    return sorted({f"{m['name']}=={m['version']}" for m in _FLOOR.finditer(text)})


def main() -> int:
    """Install the wheels with the floors and run the tests; returns the exit status."""
    uv, oldest = workspace.uv(), workspace.interpreters()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_wheels.build(folder / "dist")
        python = str(folder / "venv" / "bin" / "python")
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(floors()), encoding="utf-8")
        print(f"Python {oldest}, {', '.join(floors())}", flush=True)
        subprocess.run([uv, "venv", "--quiet", "--python", oldest, folder / "venv"], check=True)
        install = [uv, "pip", "install", "--quiet", "--python", python]
        version = versions.version_of(workspace.META.folder / "pyproject.toml")
        wheels = ["--find-links", str(folder / "dist"), f"nemo-lens[{_EXTRAS}]=={version}"]
        lowest = ["--constraint", str(constraints)]
        subprocess.run([*install, *wheels, *lowest, *_TEST_TOOLS], cwd=folder, check=True)
        return subprocess.call([python, "-m", "pytest", "-q"], cwd=workspace.ROOT)


if __name__ == "__main__":
    sys.exit(main())
