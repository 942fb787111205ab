# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What `logging` prints when nobody configured it goes on being printed beside our handler.

Where a record meets no handler at all, `logging` prints it to standard error from WARNING on. Any
handler ends that, also one that only exports.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def last_resort_level() -> int:
    """The lowest level that `logging` prints where there is no handler."""
    return logging.CRITICAL if logging.lastResort is None else logging.lastResort.level


def print_if_unhandled(record: logging.LogRecord, handler: logging.Handler) -> None:
    """Print a record as `logging` would if `handler`, and others of its class, were not there."""
    last_resort = logging.lastResort
    if last_resort is None or (record.levelno or 0) < last_resort.level:
        return
    exporting = type(handler)
    met = list(_handlers_of(record.name))
    # Of several of ours on the record's way, the first prints.
    if all(isinstance(each, exporting) for each in met) and met[:1] == [handler]:
        last_resort.handle(record)


def _handlers_of(name: str) -> Iterator[logging.Handler]:
    """The handlers on the way of a record of the logger called `name`; takes no lock."""
    known = logging.root.manager.loggerDict.get(name)
    logger: logging.Logger | None = known if isinstance(known, logging.Logger) else logging.root
    while logger is not None:
        yield from logger.handlers
        logger = logger.parent if logger.propagate else None
