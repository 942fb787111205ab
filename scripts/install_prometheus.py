# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Install Debian's Prometheus for the integration tests, where this machine lets us."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import workspace

PACKAGE = "prometheus"


def main() -> int:
    """Make `prometheus` and `promtool` available; returns the exit status."""
    if shutil.which("prometheus"):
        return 0
    prefix = _as_root()
    if prefix is None or shutil.which("apt-get") is None:
        print(f"NOT RUN: tests with Prometheus; install the package {PACKAGE!r} for them")
        return workspace.NOT_RUN
    apt = [*prefix, "apt-get", "-qq"]
    install = [*apt, "install", "--yes", "--no-install-recommends", PACKAGE]
    if subprocess.call([*apt, "update"]) == 0 and subprocess.call(install) == 0:
        return 0
    print(f"NOT RUN: tests with Prometheus; apt-get cannot install {PACKAGE!r} here")
    return workspace.NOT_RUN


def _as_root() -> list[str] | None:
    """The words before a command that root must run, or None when we may not."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.call([sudo, "-n", "true"], stderr=subprocess.DEVNULL) == 0:
        return [sudo, "-n"]
    return None


if __name__ == "__main__":
    sys.exit(main())
