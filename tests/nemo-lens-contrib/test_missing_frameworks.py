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
