# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a user gets from the built wheels in a fresh environment, away from the checkout."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import check_wheels
import pytest
import versions
import workspace

pytestmark = pytest.mark.integration

VERSION = versions.version_of(workspace.ROOT / "pyproject.toml")

RECORD_ONE_SPAN = """
import nemo.lens as lens
config = lens.NemoLensConfig(
    enabled=True, exporter="file", directory="recorded", span_groups="all", metrics_enabled=False
)
handle = lens.setup_telemetry(config, rank=0, world_size=1)
with lens.managed_span("step", "train.step"):
    pass
handle.shutdown()
"""


@dataclass
class Environment:
    """A fresh virtual environment with a working folder of its own."""

    folder: Path

    def run(self, *command, check=True):
        """Run a program of the environment in its folder, with nothing of ours around it."""
        path = f"{self.folder / 'venv/bin'}{os.pathsep}{os.environ['PATH']}"
        env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("NEMO_LENS", "OTEL_", "PYTHON", "PYTEST", "UV_PROJECT"))
        }
        return subprocess.run(
            [self.folder / "venv/bin" / command[0], *command[1:]],
            cwd=self.folder,
            env={**env, "PATH": path, "VIRTUAL_ENV": str(self.folder / "venv")},
            capture_output=True,
            text=True,
            check=check,
        )

    def python(self, code, *, check=True):
        """Run Python code; returns what it printed."""
        done = self.run("python", "-W", "error", "-c", code, check=False)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def installed(self):
        """The names of the installed distributions."""
        code = "import importlib.metadata as m; print(*{d.name for d in m.distributions()})"
        return set(self.python(code).split())

    def site_packages(self):
        """The folder that packages are installed to."""
        return Path(self.python("import sysconfig; print(sysconfig.get_path('purelib'))").strip())


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """The folder of the built wheels."""
    folder = tmp_path_factory.mktemp("dist")
    check_wheels.build(folder)
    return folder


@pytest.fixture
def install(tmp_path, wheels):
    """Install a requirement from the wheels into a fresh environment and check it."""

    def installer(requirement):
        uv, target = workspace.uv(), str(tmp_path / "venv/bin/python")
        venv = [uv, "venv", "--python", sys.executable, tmp_path / "venv"]
        pip = [uv, "pip", "install", "--python", target, "--find-links", wheels]
        for command in (
            venv,
            [*pip, f"{requirement}=={VERSION}"],
            [uv, "pip", "check", "--python", target],
        ):
            subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        return Environment(tmp_path)

    return installer


def ours(installed):
    """Those of the installed distributions that this repository publishes."""
    return {name for name in installed if name.startswith("nemo-lens")}


def test_the_api_brings_opentelemetry_api_alone(install):
    """A library that depends on it pays for nothing else."""
    environment = install("nemo-lens-api")
    installed = environment.installed()
    assert ours(installed) == {"nemo-lens-api"}
    opentelemetry = {name for name in installed if name.startswith("opentelemetry")}
    assert opentelemetry == {"opentelemetry-api"}


def test_instrumented_code_runs_on_the_api_alone(install):
    """Off by default; the gate, the helpers and the fallbacks load no OpenTelemetry."""
    environment = install("nemo-lens-api")
    printed = environment.python(
        "import sys\n"
        "import nemo.lens as lens\n"
        "from nemo.lens import *\n"
        "from nemo.lens import fallbacks\n"
        "with lens.managed_span('step', 'train.step') as span:\n"
        "    print(span, lens.is_span_group_enabled('step'))\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    assert printed.splitlines() == ["None False", "[]"]


def test_without_the_sdk_the_error_says_what_to_install(install):
    """Both names that clients look for stand in one ImportError."""
    environment = install("nemo-lens-api")
    for code in (
        "import nemo.lens; nemo.lens.ExportStrategy",
        "from nemo.lens import register_export_strategy",
        "import nemo.lens as l; l.setup_telemetry(l.NemoLensConfig(enabled=True), rank=0)",
    ):
        problem = environment.python(code, check=False).strip().splitlines()[-1]
        assert problem.startswith("ImportError: ")
        assert "nemo-lens-sdk" in problem
        assert "nemo-lens[sdk]" in problem


def test_the_sdk_records_a_run(install):
    """The training image's choice: api and sdk, and a span in a run file."""
    environment = install("nemo-lens-sdk")
    assert ours(environment.installed()) == {"nemo-lens-api", "nemo-lens-sdk"}
    environment.python(RECORD_ONE_SPAN)
    (recorded,) = environment.folder.glob("recorded/*/0/*/traces-00000.jsonl")
    assert '"train.step"' in recorded.read_text()


@pytest.mark.parametrize("requirement", ["nemo-lens", "nemo-lens[sdk]"])
def test_the_meta_package_brings_everything(install, requirement):
    """Clients ask for nemo-lens[sdk]; it is the same as nemo-lens."""
    environment = install(requirement)
    expected = {distribution.name for distribution in workspace.DISTRIBUTIONS}
    assert ours(environment.installed()) == expected
    environment.python("from nemo.lens import ExportStrategy, sdk, instruments, contrib, runs, cli")
    assert "demo" in environment.run("nemo-lens", "--help").stdout
    assert "demo" in environment.run("python", "-m", "nemo.lens.cli", "--help").stdout


def test_an_installed_demo_names_its_slow_rank(install):
    """Two commands after `pip install nemo-lens`, with no checkout anywhere."""
    environment = install("nemo-lens")
    options = ["--ranks", "2", "--steps", "20", "--slow-rank", "1", "--dir", "recorded"]
    assert "1" in environment.run("nemo-lens", "demo", *options).stdout
    answer = json.loads(environment.run("nemo-lens", "ranks", "recorded", "--json").stdout)
    assert [each["rank"] for each in answer["stragglers"]] == [1]


def test_contrib_with_one_extra_brings_that_framework_alone(install):
    """A service picks one integration and gets no SDK with it."""
    environment = install("nemo-lens-contrib[httpx]")
    installed = environment.installed()
    assert ours(installed) == {"nemo-lens-api", "nemo-lens-contrib"}
    assert "httpx" in installed
    assert installed.isdisjoint({"fastapi", "aiohttp", "requests", "ray", "opentelemetry-sdk"})
    environment.python("import httpx, nemo.lens.contrib")


def test_a_regular_nemo_package_in_the_same_place_works_with_us(install):
    """The NeMo framework ships nemo/__init__.py; both are importable side by side."""
    environment = install("nemo-lens-sdk")
    framework = environment.site_packages() / "nemo"
    (framework / "__init__.py").write_text("__version__ = '2.0'\n")
    (framework / "collections").mkdir()
    (framework / "collections/__init__.py").write_text("")
    environment.python(
        f"import nemo.collections\n{RECORD_ONE_SPAN}\nassert nemo.__version__ == '2.0'"
    )
    assert list(environment.folder.glob("recorded/*/0/*/traces-00000.jsonl"))
