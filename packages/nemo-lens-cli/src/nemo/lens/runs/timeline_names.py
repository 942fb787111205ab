# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What rows, tracks and counters of a timeline are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.records import Span


def row_name(process: Process, *, several_roles: bool) -> str:
    """A process, e.g. "rank 3, attempt 1 (node17)"; its role where there are several."""
    if process.rank is None:
        name = f"{process.role or 'process'} {process.pid or ''}".strip()
    else:
        role = f"{process.role} " if several_roles and process.role else ""
        name = f"{role}rank {process.rank}"
    attempt = f", attempt {process.restart}" if process.restart else ""
    return f"{name}{attempt} ({process.host})" if process.host else f"{name}{attempt}"


def track_name(track: int) -> str:
    """The first track of a process, or one beside it."""
    return f"concurrent {track}" if track else "spans"


def series_name(name: str, labels: dict[str, Any]) -> str:
    """A metric with the attributes of one of its series."""
    if not labels:
        return name
    return f"{name} {{{', '.join(f'{key}={value}' for key, value in sorted(labels.items()))}}}"


def error_of(span: Span) -> str:
    """What a span that failed says about it."""
    status = span.raw["status"].get("message")
    return f"error: {status}" if isinstance(status, str) and status else "error"
