# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Ranges of ranks or steps as a person writes them: "0,3-5"."""

from __future__ import annotations

import re
from typing import Final

_PART: Final = re.compile(r"\s*(\d{1,18})(?:\s*-\s*(\d{1,18}))?\s*", re.ASCII)


class NumberRanges:
    """Whole numbers and ranges of them, both ends included.

    Args:
        text: Such as "7", "0,3-5".

    Raises:
        ValueError: The text is none; one clear line.
    """

    def __init__(self, text: str) -> None:
        self._ranges: list[tuple[int, int]] = []
        for part in text.split(","):
            match = _PART.fullmatch(part)
            if match is None:
                raise ValueError(f"{text!r} is no list of numbers; write e.g. 7 or 0,3-5")
            first, last = int(match[1]), int(match[2] or match[1])
            if first > last:
                raise ValueError(f"{part.strip()!r} ends before it begins; write {last}-{first}")
            self._ranges.append((first, last))
        self._text = text

    def __contains__(self, number: int) -> bool:
        return any(first <= number <= last for first, last in self._ranges)

    def __str__(self) -> str:
        return self._text
