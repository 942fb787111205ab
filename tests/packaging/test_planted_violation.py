# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A forbidden import that someone plants in a package is caught, by the slice and by the linter."""

import subprocess

import pytest
import workspace

pytestmark = pytest.mark.integration

GATE = "packages/nemo-lens-api/src/nemo/lens/state.py"


def plant(repository, path, statement):
    """Add a statement at the end of a module."""
    module = repository / path
    module.write_text(f"{module.read_text()}\n{statement}\n")


def lint(repository):
    """Run the import contracts in the repository."""
    command = [workspace.uv(), "run", "--isolated", "--locked", "lint-imports"]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)


def test_the_slice_of_the_api_catches_an_sdk_import(copied_repository):
    """The OpenTelemetry SDK is not installed where the api is tested."""
    plant(copied_repository, GATE, "import opentelemetry.sdk")
    # The slice script of the copy, so that it builds and tests the copy.
    command = [workspace.uv(), "run", "--no-project", "python", "scripts/slices.py", "api"]
    done = subprocess.run(
        command, cwd=copied_repository, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "No module named 'opentelemetry.sdk'" in done.stdout + done.stderr
    assert "slice api failed" in done.stderr


@pytest.mark.parametrize(
    ("path", "statement", "contract"),
    [
        (GATE, "import opentelemetry.sdk", "Only nemo-lens-sdk imports the OpenTelemetry SDK"),
        (
            "packages/nemo-lens-contrib/src/nemo/lens/contrib/__init__.py",
            "def later():\n    from opentelemetry.exporter.otlp import proto",
            "Only nemo-lens-sdk imports the OpenTelemetry SDK",
        ),
        (GATE, "import nemo.lens.sdk", "The api reaches nemo-lens-sdk through handle alone"),
        (
            "packages/nemo-lens-sdk/src/nemo/lens/sdk/__init__.py",
            "from nemo.lens import instruments",
            "Only the cli uses instruments",
        ),
        (
            "packages/nemo-lens-cli/src/nemo/lens/runs/__init__.py",
            "from opentelemetry import trace",
            "nemo.lens.runs knows no OpenTelemetry",
        ),
        (GATE, "import nemo.lens.contrib", "Nothing depends on contrib or the cli"),
        (
            "packages/nemo-lens-instruments/src/nemo/lens/instruments/__init__.py",
            "import nemo.lens.providers",
            "Compatibility modules are for clients",
        ),
    ],
)
def test_the_linter_catches_an_import_across_a_boundary(
    copied_repository, path, statement, contract
):
    """In every part of the namespace, lazy imports too, and the contract is named."""
    plant(copied_repository, path, statement)
    done = lint(copied_repository)
    assert done.returncode == 1
    broken = [line for line in done.stdout.splitlines() if line.endswith(" BROKEN")]
    assert any(line.startswith(contract) for line in broken)
