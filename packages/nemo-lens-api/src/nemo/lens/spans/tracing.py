# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The tracer of lens: one scope, looked up once, noticed when the application changes it.

This module imports OpenTelemetry, so only the enabled path imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry import trace

from nemo.lens import global_providers
from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import type_name

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_bound_get_tracer: object = None
_bound_provider: object = None
_bound_tracer: Tracer | None = None


def lens_tracer() -> Tracer:
    """Return the tracer of scope `nemo.lens` of the current global provider.

    The binding holds while `opentelemetry.trace.get_tracer` and the global provider are the same
    objects; a new provider, and a patched `get_tracer`, are noticed at the next span.
    """
    global _bound_get_tracer, _bound_provider, _bound_tracer
    get_tracer = trace.get_tracer
    provider = trace.get_tracer_provider()
    tracer = _bound_tracer
    if tracer is None or get_tracer is not _bound_get_tracer or provider is not _bound_provider:
        tracer = global_providers.get_tracer()
        _bound_get_tracer, _bound_provider, _bound_tracer = get_tracer, provider, tracer
    return tracer


def report_tracer_failure(operation: str, error: Exception) -> None:
    """Count a tracer or span that raised; the caller goes on without it."""
    discard(
        "tracer failure",
        "A span was lost: the tracer raised %s in %s. Further ones are only counted.",
        type_name(type(error)),
        operation,
    )
