# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The names of `nemo.lens.sampling`, found at first use so that importing it loads no SDK."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "RankAwareSampler":
        raise AttributeError(f"module 'nemo.lens.sampling' has no attribute {name!r}")
    from nemo.lens.sdk.sampling import RankAwareSampler

    return RankAwareSampler
