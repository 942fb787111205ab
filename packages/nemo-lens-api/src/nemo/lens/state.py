# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The gate: which span groups are on in this process."""

from __future__ import annotations

_enabled: frozenset[str] = frozenset()


def is_span_group_enabled(group: str) -> bool:
    """Say whether spans of `group` are recorded; one membership test, nothing else."""
    return group in _enabled


def set_enabled_span_groups(groups: frozenset[str]) -> None:
    """Pin the enabled set; later registrations change nothing."""
    global _enabled
    _enabled = groups
