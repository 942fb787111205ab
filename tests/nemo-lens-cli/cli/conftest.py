# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The command in this process and in its own, and receivers for what it sends."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nemo.lens.cli import main

_RECEIVER = Path(__file__).parents[2] / "nemo-lens-sdk" / "receiver.py"
_SCRUBBED = ("OTEL_", "NEMO_LENS_", "MEGATRON_OTEL_", "NVRX_OTEL_", "SLURM", "TORCHELASTIC_")
_SCRUBBED += ("OMPI_", "PMI_", "GRPC_")
_SCRUBBED_EXACT = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "RAY_JOB_ID", "PYTHONPATH"}


@pytest.fixture
def call(capsys):
    """Run the command in this process; gives status, standard output and standard error."""

    def run(*arguments):
        status = main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def run_command(without_telemetry, tmp_path):
    """Run the command in a process of its own, in an empty folder, with these variables set."""

    def run(*arguments, cwd=tmp_path, timeout=60, **variables):
        # Isolated, so that neither the folder nor PYTHONPATH can hide what is tested.
        return subprocess.run(
            [sys.executable, "-I", "-m", "nemo.lens.cli", *map(str, arguments)],
            check=False,
            capture_output=True,
            text=True,
            cwd=cwd,
            timeout=timeout,
            env={**os.environ, **variables},
        )

    return run


@pytest.fixture
def without_telemetry(monkeypatch):
    """Unset every variable that says something about telemetry, the job, or where modules are."""
    for name in list(os.environ):
        if name.startswith(_SCRUBBED) or name in _SCRUBBED_EXACT or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def receiver():
    """The module with the OTLP receivers that the tests of the sdk use."""
    if "lens_receiver" not in sys.modules:
        spec = importlib.util.spec_from_file_location("lens_receiver", _RECEIVER)
        module = importlib.util.module_from_spec(spec)
        sys.modules["lens_receiver"] = module
        spec.loader.exec_module(module)
    return sys.modules["lens_receiver"]


@pytest.fixture
def http_receiver(receiver):
    """An OTLP/HTTP receiver."""
    running = receiver.HttpReceiver()
    yield running
    running.close()


@pytest.fixture
def grpc_receiver(receiver):
    """An OTLP/gRPC receiver."""
    running = receiver.GrpcReceiver()
    yield running
    running.close()
