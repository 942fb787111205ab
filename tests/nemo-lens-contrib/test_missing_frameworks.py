# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Without its framework an integration imports, and says at the call what to install."""

import subprocess
import sys

import pytest

CALLS = {
    "fastapi": "from nemo.lens.contrib.fastapi import instrument_fastapi as f; f(object())",
    "aiohttp": "from nemo.lens.contrib.aiohttp import instrument_aiohttp_client as f; f()",
    "httpx": "from nemo.lens.contrib.httpx import instrument_httpx as f; f()",
    "requests": "from nemo.lens.contrib.requests import instrument_requests as f; f()",
}
INSTRUMENTATIONS = {name: name for name in CALLS} | {"aiohttp": "aiohttp_client"}


@pytest.mark.parametrize("framework", sorted(CALLS))
def test_the_error_names_the_extra(framework):
    """ImportError at the call, with the command that mends it."""
    code = (
        "import sys\n"
        f"sys.modules['opentelemetry.instrumentation.{INSTRUMENTATIONS[framework]}'] = None\n"
        f"{CALLS[framework]}"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError" in run.stderr
    assert f"nemo-lens[{framework}]" in run.stderr


IMPORT_ALL = """
import importlib, pkgutil, sys
FRAMEWORKS = {"aiohttp", "fastapi", "httpx", "mlflow", "ray", "requests", "torch", "vllm", "wandb"}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in FRAMEWORKS or name.startswith("opentelemetry.sdk"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
from nemo.lens import contrib
for module in pkgutil.walk_packages(contrib.__path__, "nemo.lens.contrib."):
    importlib.import_module(module.name)
    print(module.name)
"""


def test_every_module_can_be_imported_without_its_framework():
    """Nor does it need the OpenTelemetry SDK."""
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.split()) >= 20
