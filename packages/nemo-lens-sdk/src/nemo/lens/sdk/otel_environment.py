# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Garbage in a standard `OTEL_*` variable never stops a job: one warning, and the default."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

from nemo.lens.configuration.foreign_variables import (
    FOREIGN_VARIABLES,
    bad_foreign_variables,
    warn_once,
)
from nemo.lens.configuration.value_types import Words
from nemo.lens.fork_safety import run_in_forked_child

if TYPE_CHECKING:
    from collections.abc import Generator

_PARSED_BY_OTEL = tuple(row for row in FOREIGN_VARIABLES if row.parsed_by_otel)
_hiding = threading.RLock()


@contextlib.contextmanager
def without_garbage() -> Generator[None, None, None]:
    """Hide unusable `OTEL_*` values while OpenTelemetry reads its variables.

    OpenTelemetry's own parsers raise on some of them, half-way through building a provider. The
    variables are put back afterwards: child processes inherit what the user set. One thread at a
    time does this: the workers of a forked child build their exporters at the same moment.
    """
    with _hiding:
        set_by_user = dict(os.environ)
        changed = _exchange_for_usable_values()
        try:
            yield
        finally:
            os.environ.update({name: set_by_user[name] for name in changed})


def _exchange_for_usable_values() -> list[str]:
    """Take bad and blank values away and spell words as OpenTelemetry does; give the names."""
    problems = bad_foreign_variables()
    changed: list[str] = []
    for row in _PARSED_BY_OTEL:
        text = os.environ.get(row.name)
        if text is None:
            continue
        if row.name in problems:
            warn_once(row.name, problems[row.name])
        if row.name in problems or not text.strip():
            del os.environ[row.name]
            changed.append(row.name)
        elif isinstance(row.type, Words):
            os.environ[row.name] = row.type.parse(text)
            changed.append(row.name)
    return changed


@run_in_forked_child
def _renew_lock() -> None:
    global _hiding
    _hiding = threading.RLock()
