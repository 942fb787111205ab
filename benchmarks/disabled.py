# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G1 to G3: what a span costs while its group is off."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from benchmarks.paired_timing import PairedTimes, timed
from benchmarks.rows import Measurement, Row

if TYPE_CHECKING:
    from types import TracebackType


class OrdinaryManager:
    """The unit of the ratios: a prebuilt context manager with ordinary methods."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None


@lru_cache(maxsize=1)
def _times() -> PairedTimes:
    from nemo.lens.helpers import managed_span, trace_fn
    from nemo.lens.state import set_enabled_span_groups

    set_enabled_span_groups(frozenset())

    def plain() -> None:
        pass

    return timed(
        {
            "cm": "with cm: pass",
            "bare": "with managed_span('step', 'lib.step'): pass",
            "keywords": "with managed_span('step', 'lib.step', a=1, b=2.5, c='three'): pass",
            "plain": "plain()",
            "traced": "traced()",
        },
        {
            "cm": OrdinaryManager(),
            "managed_span": managed_span,
            "plain": plain,
            "traced": trace_fn("step", "lib.step")(plain),
        },
    )


def _bare() -> Measurement:
    _work_in_an_exit_stack()
    times = _times()
    return Measurement(
        times.median_ratio("bare", "cm"),
        {"managed_span_ns": times.median_ns("bare"), "cm_ns": times.median_ns("cm")},
    )


def _work_in_an_exit_stack() -> None:
    """Check that the cheap object is a whole context manager."""
    from contextlib import ExitStack

    from nemo.lens.helpers import managed_span

    with ExitStack() as stack:
        if stack.enter_context(managed_span("step", "lib.step")) is not None:
            raise AssertionError("a disabled managed_span must yield None")


def _with_keywords() -> Measurement:
    times = _times()
    return Measurement(
        times.median_ratio("keywords", "cm"),
        {"managed_span_ns": times.median_ns("keywords"), "cm_ns": times.median_ns("cm")},
    )


def _decorated() -> Measurement:
    times = _times()
    return Measurement(
        times.median_ratio("traced", "cm", minus="plain"),
        {
            "traced_call_ns": times.median_ns("traced"),
            "plain_call_ns": times.median_ns("plain"),
            "cm_ns": times.median_ns("cm"),
        },
    )


ROWS = (
    Row("G1", "disabled managed_span / CM, also in an ExitStack", 1.0, _bare, "10.6"),
    Row("G2", "disabled managed_span with 3 keywords / CM", 2.2, _with_keywords, "13.6"),
    Row("G3", "(disabled trace_fn call - plain call) / CM", 0.75, _decorated, "2.0"),
)
