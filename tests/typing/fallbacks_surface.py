# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A consumer that falls back; checked by mypy --strict and pyright strict, not run.

Checkers look at both branches, so the fallbacks must have the types of what they stand in for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry.trace import Span
from typing_extensions import assert_type

try:
    from nemo.lens.groups import SpanRegistry
    from nemo.lens.helpers import (
        managed_span,
        safe_set_span_attributes,
        span_attributes,
        span_cm,
        trace_fn,
    )
    from nemo.lens.state import is_span_group_enabled
except ImportError:
    from nemo.lens.fallbacks import (
        SpanRegistry,
        is_span_group_enabled,
        managed_span,
        safe_set_span_attributes,
        span_attributes,
        span_cm,
        trace_fn,
    )

if TYPE_CHECKING:
    from collections.abc import Mapping


SpanRegistry.register("mylib", {"rollout"}, presets={"default": {"rollout"}})


@trace_fn("rollout", "mylib.work")
def work(a: int, *, b: str = "") -> float:
    """Keep the signature in both branches."""
    return float(a)


@span_cm("mylib.decorated")
def decorated(a: int) -> str:
    """Likewise."""
    return str(a)


def everything_is_used(attributes: Mapping[str, Any]) -> str:
    """The types are those of the real helpers."""
    assert_type(work(1, b="x"), float)
    assert_type(decorated(1), str)
    assert_type(is_span_group_enabled("rollout"), bool)
    with managed_span("rollout", "mylib.span", None, a=1) as span:
        assert_type(span, "Span | None")
        safe_set_span_attributes(span, attributes, redact_keys=("prompt",))
    with span_cm("mylib.always", record_exception=False) as always, span_attributes(attributes):
        assert_type(always, Span)
        return "x"
