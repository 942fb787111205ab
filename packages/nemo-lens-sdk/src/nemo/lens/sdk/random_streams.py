# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A generator of its own for what the SDK and its exporters draw at random."""

from __future__ import annotations

import random
import sys
from importlib import import_module

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.sdk._otel_private import EXEMPLAR_RESERVOIRS, EXPORTER_MODULES

_own_random = random.Random()  # noqa: S311 - jitter and reservoirs, nothing secret


def isolate_random_streams() -> None:
    """Give the SDK parts that draw random numbers a generator of their own.

    Exporters jitter their retries and exemplar reservoirs pick their samples with the global
    `random` stream; drawing from it would change the training that seeded it.
    """
    for name in EXPORTER_MODULES:
        module = sys.modules.get(name)
        if module is not None and hasattr(module, "random"):
            vars(module)["random"] = _own_random
    vars(import_module(EXEMPLAR_RESERVOIRS))["randrange"] = _own_random.randrange


@run_in_forked_child
def _reseed() -> None:
    """Draw other numbers than the parent."""
    _own_random.seed()
