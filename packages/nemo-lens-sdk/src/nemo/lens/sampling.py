# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: INP001 - the package file of nemo.lens is in nemo-lens-api
"""Compatibility path of `nemo.lens.sdk.sampling`, loaded at first use: it needs the SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nemo.lens.sdk.sampling import RankAwareSampler

__all__ = ["RankAwareSampler"]


def __getattr__(name: str) -> Any:
    if name != "RankAwareSampler":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nemo.lens.sdk.otel_environment import load_sdk

    load_sdk()
    from nemo.lens.sdk.sampling import RankAwareSampler

    return RankAwareSampler
