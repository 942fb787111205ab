# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Install Debian packages that the integration tests need, where this machine lets us.

Each is named like the command that it brings: `install_packages.py prometheus chromium`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import workspace


def main(packages: list[str]) -> int:
    """Make the commands available; returns the exit status."""
    missing = [package for package in packages if shutil.which(package) is None]
    if not missing:
        return 0
    prefix = _as_root()
    if prefix is None or shutil.which("apt-get") is None:
        print(f"NOT RUN: tests with {' and '.join(missing)}; install these packages for them")
        return workspace.NOT_RUN
    apt = [*prefix, "apt-get", "-qq"]
    install = [*apt, "install", "--yes", "--no-install-recommends", *missing]
    if subprocess.call([*apt, "update"]) == 0 and subprocess.call(install) == 0:
        return 0
    print(f"NOT RUN: tests with {' and '.join(missing)}; apt-get cannot install them here")
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
    sys.exit(main(sys.argv[1:]))
