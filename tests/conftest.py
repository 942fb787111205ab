# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Every test starts and ends as a process in which telemetry was never set up."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def _isolated(nemo_lens_isolated):
    """Isolate each test, and let it begin with an empty registry whatever was imported before."""
    groups = sys.modules.get("nemo.lens.groups")
    if groups is not None:
        groups.SpanRegistry.clear()
