# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Round numbers for axes."""

from __future__ import annotations

import math
from typing import Final

_ROUND: Final = (1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def round_ceiling(value: float) -> float:
    """The smallest round number that is not below a positive value; its quarters are round too."""
    unit = 10.0 ** math.floor(math.log10(value))
    return next((part * unit for part in _ROUND if part * unit >= value), 10 * unit)
