# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The unit in which NeMo Lens's own duration metrics are recorded in this process.

The metrics of earlier releases count milliseconds and say so in their names
(`rl.rollout.duration_ms`); the OpenTelemetry conventions want seconds (`rl.rollout.duration`).
Dashboards move from one to the other while both are recorded.
"""

from __future__ import annotations

from typing import Final

MILLISECONDS: Final = "ms"
SECONDS: Final = "s"
BOTH: Final = "both"

_units: frozenset[str] = frozenset({MILLISECONDS})


def set_metric_durations(setting: str) -> None:
    """Choose the duration metrics that are recorded from now on; set-up does it.

    Args:
        setting: `"ms"`, `"s"` or `"both"`, as in `NemoLensConfig.metric_durations`.
    """
    global _units
    _units = frozenset({MILLISECONDS, SECONDS} if setting == BOTH else {setting})


def recorded_units() -> frozenset[str]:
    """Return the units that are recorded: `"ms"`, `"s"` or both of them."""
    return _units


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction]
    set_metric_durations(MILLISECONDS)
