# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Warnings about export, at most one a minute for each subject."""

from __future__ import annotations

import logging
import time

from nemo.lens.sdk._otel_private import EXPORTER_MODULES

_INTERVAL_S = 60.0
_logger = logging.getLogger("nemo.lens.sdk")
_last: dict[str, float] = {}


class ReportedError(Exception):
    """A failure that was reported where it happened; official exporters log it once more."""


def warn_once_a_minute(subject: str, message: str, *arguments: object) -> None:
    """Log a warning unless one about the same subject was logged within the last minute."""
    if _is_due(subject):
        _logger.warning(message, *arguments)


def quieten_exporters() -> None:
    """Limit the log lines of the official exporters, which report every single attempt."""
    for name in EXPORTER_MODULES:
        logger = logging.getLogger(name)
        if _once_a_minute not in logger.filters:
            logger.addFilter(_once_a_minute)


def _once_a_minute(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple) and any(isinstance(a, ReportedError) for a in record.args):
        return False
    return record.levelno < logging.WARNING or _is_due(f"{record.name}:{record.msg}")


def _is_due(subject: str) -> bool:
    now = time.monotonic()
    if now - _last.get(subject, -_INTERVAL_S) < _INTERVAL_S:
        return False
    _last[subject] = now
    return True


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction] -- nemo.lens.testing
    _last.clear()
