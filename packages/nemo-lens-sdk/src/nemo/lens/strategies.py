# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: INP001 - the package file of nemo.lens is in nemo-lens-api
"""Compatibility path of `nemo.lens.sdk.strategies`."""

from nemo.lens.sdk.strategies import (
    ExportStrategy,
    all_ranks,
    every_nth,
    first_rank_per_node,
    register_export_strategy,
    registered_strategies,
    sampled,
    single_rank,
    unregister_export_strategy,
)

__all__ = [
    "ExportStrategy",
    "all_ranks",
    "every_nth",
    "first_rank_per_node",
    "register_export_strategy",
    "registered_strategies",
    "sampled",
    "single_rank",
    "unregister_export_strategy",
]
