# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Warnings that the library logs, kept as evidence instead of printed."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

_LOGGERS: Final = ("nemo.lens", "opentelemetry")


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def captured_warnings() -> Generator[list[str]]:
    """Give the body a list that warnings of NeMo Lens and OpenTelemetry are added to."""
    kept = _Kept()
    before = {name: logging.getLogger(name).propagate for name in _LOGGERS}
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(kept)
        logger.propagate = False
    try:
        yield kept.messages
    finally:
        for name, propagate in before.items():
            logger = logging.getLogger(name)
            logger.removeHandler(kept)
            logger.propagate = propagate
