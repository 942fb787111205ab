# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Who this process is among the ranks of its job."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Identity:
    """The place of this process in its job; None where the environment does not say."""

    rank: int | None = None
    world_size: int | None = None
    local_rank: int | None = None
    role: str | None = None
    restart: int | None = None


def detect_identity(environ: Mapping[str, str] | None = None) -> Identity:
    """Read the identity of this process from the variables of its launcher."""
    environment = os.environ if environ is None else environ
    rank = environment.get("RANK", "")
    return Identity(rank=int(rank) if rank.isdecimal() else None)
