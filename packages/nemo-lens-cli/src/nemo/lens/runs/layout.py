# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How the folder of one process looks; nemo-lens-sdk writes it, a test compares the two."""

from __future__ import annotations

import re
from typing import Final

MANIFEST: Final = "manifest.json"

BLACK_BOX: Final = "blackbox.bin"
BLACK_BOX_POINTER: Final = "blackbox.json"
"""Says where the black box lies while it is kept elsewhere on the node."""

MANIFEST_SCHEMA: Final = 1
"""The schema of manifests that is read here. That of the `--json` answers is another one."""

PROCESS_FOLDER: Final = re.compile(
    r"(?P<role>.+?)-(?P<rank>\d+|x)-(?P<host>.+)-(?P<pid>\d+)(?:\.\d+)?"
)
"""The name of a process folder; the rank is x for a process without one.

The first part between dashes that is a number or "x" is the rank: the writer sees to it that roles
have none. A folder of the same process after the first ends in a dot and a number."""
