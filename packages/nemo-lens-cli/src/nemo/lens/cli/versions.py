# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which version of the command this is."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version


def version_line() -> str:
    """One line with the versions of the command, of OpenTelemetry and of Python."""
    return (
        f"nemo-lens {_installed('nemo-lens-cli')} "
        f"(opentelemetry-sdk {_installed('opentelemetry-sdk')}, Python {platform.python_version()})"
    )


def _installed(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "not installed"
