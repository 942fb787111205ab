# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Histogram bounds for durations: what a reader of a quantile needs to tell apart."""

from __future__ import annotations

from typing import Final

REQUEST_S: Final = (
    *(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64),
    *(1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92),
)
"""A generation request in seconds, as the conventions for generative AI advise."""

MINUTES_MS: Final = (
    *(1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0),
    *(1_000.0, 2_500.0, 5_000.0, 10_000.0, 30_000.0),
    *(60_000.0, 120_000.0, 300_000.0, 600_000.0, 1_800_000.0, 3_600_000.0),
)
"""Work between a millisecond and an hour, in milliseconds."""
