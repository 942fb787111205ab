# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Measures that need a process of their own: a set-up changes the whole process."""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks.rows import NotMeasurableError

_SETTINGS_OF_OTHERS = ("OTEL_", "NEMO_LENS_", "SLURM_", "TORCHELASTIC_")


def clean_environment() -> dict[str, str]:
    """Return the environment without the variables that change what telemetry does."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_SETTINGS_OF_OTHERS)
    }


def printed_by(module: str, *arguments: str, environment: dict[str, str] | None = None) -> str:
    """Run a module of the benchmarks in a fresh interpreter and return the last line it prints.

    Raises:
        NotMeasurableError: It failed; the text is the last line of its errors.
    """
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**clean_environment(), **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise NotMeasurableError((result.stderr.strip() or "no output").splitlines()[-1])
    return result.stdout.strip().splitlines()[-1]
