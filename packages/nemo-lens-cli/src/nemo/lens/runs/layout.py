# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How the folder of one process looks; nemo-lens-sdk writes it, a test compares the two."""

from __future__ import annotations

import re
from typing import Final

MANIFEST: Final = "manifest.json"

MANIFEST_SCHEMA: Final = 1
"""The schema of manifests that is read here. That of the `--json` answers is another one."""

PROCESS_FOLDER: Final = re.compile(r"(?P<role>.+?)-(?P<rank>\d+|x)-(?P<host>.+)-(?P<pid>\d+)")
"""The name of a process folder; the rank is x for a process without one."""
