# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Ranks in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_LISTED: Final = 8
_PAIR: Final = 2


def ranks_in_words(ranks: Sequence[int]) -> str:
    """Sorted ranks in words, neighbours joined, a long list cut: "ranks 0 to 3, 7"."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    texts: list[str] = []
    for run in runs:
        texts += [f"{run[0]} to {run[-1]}"] if len(run) > _PAIR else map(str, run)
    if len(texts) > _MOST_LISTED:
        texts = [*texts[:_MOST_LISTED], "others"]
    return f"rank {texts[0]}" if len(ranks) == 1 else "ranks " + ", ".join(texts)
