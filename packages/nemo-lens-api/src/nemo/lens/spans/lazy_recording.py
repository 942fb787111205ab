# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The door to the enabled path: OpenTelemetry is loaded by the first span, not by an import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.fork_safety import forks_wait

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span, Tracer


def _first_span(
    group: str | None, name: str, tracer: Tracer | None, attributes: dict[str, Any]
) -> AbstractContextManager[Span]:
    """Load the enabled path, then step aside."""
    load()
    return new_span(group, name, tracer, attributes)


new_span: Callable[
    [str | None, str, Tracer | None, dict[str, Any]], AbstractContextManager[Span]
] = _first_span
"""`nemo.lens.spans.recording.new_span`, from the second span on without a detour."""


def load() -> None:
    """Load everything that any helper needs to record, once; a fork waits until that is done.

    What the other modules import inside of functions is there afterwards, and costs no lock.
    """
    global new_span
    if new_span is not _first_span:
        return
    with forks_wait():
        from nemo.lens import package_info, propagation
        from nemo.lens.spans import recording

        package_info.__version__  # noqa: B018  # loads what reads the version of the scope
        propagation.global_propagator()
    new_span = recording.new_span
