# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: SLF001 - it reads the fields of the spans of fast_spans
# pyright: reportPrivateUsage=false
"""What a fast span calls when it starts and when it ends, while there is a black box."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from nemo.lens.sdk.black_box.recorder import Recorder
    from nemo.lens.sdk.fast_spans.span import FastSpan


def recording_hooks(
    open_spans: dict[int, Any], recorder: Recorder, put: Callable[[Any], object]
) -> tuple[Callable[[int, Any], object], Callable[[Any], object]]:
    """Return what announces and what finishes a span; see `LensSpanProcessor.direct_hooks`."""
    remember, forget = open_spans.__setitem__, open_spans.pop
    opened, finished = recorder.opened, recorder.finished

    def announce(span_id: int, span: FastSpan) -> None:
        remember(span_id, span)
        opened(span_id, span)

    def finish(span: Any) -> None:
        if forget(span._span_id, None) is not None:
            # Before it is queued: until it is in a file, the black box has it.
            finished(span, span._end_time - span._start_time)
            put(span)

    return announce, finish
