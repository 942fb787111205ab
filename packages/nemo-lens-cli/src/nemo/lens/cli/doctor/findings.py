# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a check answers."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Verdict(Enum):
    """How bad a finding is; the first is the worst."""

    LOSS = "loses data"
    WARNING = "warning"
    NOTE = "note"
    FINE = "fine"


class Finding(NamedTuple):
    """One answer.

    Attributes:
        check: Name of the check, for scripts.
        verdict: How bad it is; only `LOSS` makes the command fail.
        title: What was found, one sentence.
        advice: What to do about it, "" when there is nothing to do.
    """

    check: str
    verdict: Verdict
    title: str
    advice: str = ""
