# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Patterns of URLs that get no span: OpenTelemetry raises on one that is no regular expression."""

from __future__ import annotations

import os
import re

from nemo.lens.configuration.problems import shown, warn


def fault_of_patterns(patterns: str) -> str:
    """Return what is wrong with comma-separated regular expressions; empty when nothing is."""
    try:
        re.compile("|".join(pattern.strip() for pattern in patterns.split(",")))
    except re.error as error:
        return str(error)
    return ""


def unset_unreadable_patterns(module: str) -> None:
    """Unset the variables that `opentelemetry.instrumentation.<module>` could not read, and warn.

    For good: clients read them anew for each session, and would raise in the application.
    """
    for variable in (f"OTEL_PYTHON_{module.upper()}_EXCLUDED_URLS", "OTEL_PYTHON_EXCLUDED_URLS"):
        patterns = os.environ.get(variable, "")
        fault = fault_of_patterns(patterns)
        if fault:
            del os.environ[variable]
            warn(
                "%s excludes nothing: %s is no list of regular expressions, separated by commas "
                '(%s). Expected something like "health,ready".',
                variable,
                shown(patterns),
                fault,
            )
