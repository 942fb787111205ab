# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The door to the enabled path: OpenTelemetry is loaded by the first span, not by an import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span, Tracer


def _first_span(
    group: str | None, name: str, tracer: Tracer | None, attributes: dict[str, Any]
) -> AbstractContextManager[Span]:
    """Load the enabled path, then step aside."""
    global new_span
    from nemo.lens.spans import recording

    new_span = recording.new_span
    return new_span(group, name, tracer, attributes)


new_span: Callable[
    [str | None, str, Tracer | None, dict[str, Any]], AbstractContextManager[Span]
] = _first_span
"""`nemo.lens.spans.recording.new_span`, from the second span on without a detour."""
