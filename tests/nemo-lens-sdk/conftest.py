# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Receivers, subprocesses and set-ups for the tests of the sdk."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest

from nemo.lens.sdk.testing import (  # noqa: F401 - fixtures for every test of this folder
    nemo_lens_clock,
    nemo_lens_logs,
    nemo_lens_metrics,
    nemo_lens_spans,
    nemo_lens_telemetry,
)

_SCRUBBED = ("OTEL_", "NEMO_LENS_", "SLURM_", "TORCHELASTIC_", "OMPI_")
_SCRUBBED_EXACT = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "RAY_JOB_ID"}


# The package is no dependency of ours; its tests are collected where it is installed.
collect_ignore = (
    []
    if find_spec("opentelemetry.instrumentation")
    and find_spec("opentelemetry.instrumentation.logging")
    else ["test_official_log_handler_installed.py"]
)


def _load_receiver():
    if "lens_receiver" not in sys.modules:
        path = Path(__file__).with_name("receiver.py")
        spec = importlib.util.spec_from_file_location("lens_receiver", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["lens_receiver"] = module
        spec.loader.exec_module(module)
    return sys.modules["lens_receiver"]


@pytest.fixture(scope="session")
def receiver():
    """The module `receiver` of this folder."""
    return _load_receiver()


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


@pytest.fixture
def clean_environment(monkeypatch):
    """Unset every variable that changes what telemetry does; return a setter."""
    for name in list(os.environ):
        if name.startswith(_SCRUBBED) or name in _SCRUBBED_EXACT:
            monkeypatch.delenv(name)

    def set_variables(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return set_variables


@pytest.fixture
def run_python():
    """Run a script in a fresh interpreter; returns the completed process."""

    def run(script, *, environment=None, timeout=60, arguments=(), check=True):
        process = subprocess.run(
            [sys.executable, *arguments, "-c", textwrap.dedent(script)],
            env=_environment(environment),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if check:
            assert process.returncode == 0, process.stdout[-2000:] + process.stderr[-4000:]
        return process

    return run


@pytest.fixture
def start_python():
    """Start a script in a fresh interpreter and wait until it prints `ready`."""
    with ExitStack() as stack:

        def start(script, *, environment=None):
            process = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(script)],
                env=_environment(environment),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.callback(_end, process)
            line = process.stdout.readline()
            assert "ready" in line, line + process.stderr.read()
            return process

        yield start


def _end(process):
    if process.poll() is None:
        process.kill()
    process.communicate()


def _environment(extra):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_SCRUBBED) and name not in _SCRUBBED_EXACT
    }
    return {
        **kept,
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_SPAN_GROUPS": "all",
        "NEMO_LENS_EXPORT_STRATEGY": "all_ranks",
        "NEMO_LENS_RUN_ID": "test",
        **(extra or {}),
    }
