# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The one span processor: scope attributes, open spans, and the way into the export queues."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from nemo.lens.sdk import counts
from nemo.lens.sdk.black_box.fast_hooks import recording_hooks
from nemo.lens.semconv import NEMO_SPAN_TRUNCATED, NEMO_SPAN_TRUNCATED_REASON
from nemo.lens.spans.scope import scope_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.context import Context

    from nemo.lens.sdk.black_box.recorder import Recorder
    from nemo.lens.sdk.export_queue import ExportQueue

TRUNCATED = NEMO_SPAN_TRUNCATED
TRUNCATED_REASON = NEMO_SPAN_TRUNCATED_REASON
_REASON = "still open at telemetry shutdown"
_WRITES = (
    "add_event",
    "add_link",
    "end",
    "record_exception",
    "set_attribute",
    "set_attributes",
    "set_status",
    "update_name",
)


class LensSpanProcessor(SpanProcessor):
    """Applies scope attributes, knows which spans are open, and queues the ended ones.

    Dictionary and deque operations are atomic under the interpreter's lock, so recording threads
    share no lock here.

    Args:
        queues: One queue for each exporter.
        flush: Flushes the whole pipeline; what `TracerProvider.force_flush` calls.
        shutdown: Shuts the whole pipeline down; what `TracerProvider.shutdown` calls.
        recorder: Stores spans in the black box, if there is to be one.
    """

    def __init__(
        self,
        queues: tuple[ExportQueue, ...],
        flush: Callable[[int], bool],
        shutdown: Callable[[], object],
        recorder: Recorder | None = None,
    ) -> None:
        self._queues = queues
        self._puts = tuple(queue.put for queue in queues)
        self._flush = flush
        self._shutdown = shutdown
        self._recorder = recorder
        self._open: dict[int, Span] = {}
        self._closed = False

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Remember the span and give it the attributes of the enclosing scopes."""
        del parent_context
        if self._closed:
            return
        self._open[span.get_span_context().span_id] = span
        scoped = scope_values()
        if scoped:
            own = span.attributes or {}
            for key, value in scoped.items():
                if key not in own:
                    span.set_attribute(key, value)
        if self._recorder is not None and span.get_span_context().trace_flags.sampled:
            self._recorder.opened_span(span)

    def on_end(self, span: ReadableSpan) -> None:
        """Queue the span, unless it was opened before a fork and belongs to the parent process."""
        span_context = span.get_span_context()
        if span_context is None:
            return
        mine = self._open.pop(span_context.span_id, None)
        if not span_context.trace_flags.sampled:
            return
        if mine is None:
            if self._closed:
                for queue in self._queues:
                    queue.counts.lose(counts.AFTER_SHUTDOWN)
            return
        if self._recorder is not None:
            # Before it is queued: until it is in a file, the black box has it.
            self._recorder.finished_span(mine)
        self._put(span)

    def direct_hooks(self) -> tuple[Callable[[int, Span], object], Callable[[Any], object]]:
        """What `on_start` and `on_end` come to for sampled spans that have their scope already.

        Returns:
            To be called with the id of a started span and the span, and with an ended span.
        """
        forget = self._open.pop
        put = self._puts[0] if len(self._puts) == 1 else self._put
        if self._recorder is not None:
            return recording_hooks(self._open, self._recorder, put)

        def finish(span: Any) -> None:
            if forget(span._span_id, None) is not None:  # noqa: SLF001 - a span of fast_spans
                put(span)

        return self._open.__setitem__, finish

    def list_open_spans(self) -> None:
        """Have the recorder store what was open before it had a file."""
        recorder = self._recorder
        if recorder is None:
            return
        for span_id, span in list(self._open.items()):
            if not hasattr(span, "_place"):
                recorder.opened_span(span)
            if span_id not in self._open:
                recorder.finished_span(span)  # meanwhile

    def _put(self, span: ReadableSpan) -> None:
        for put in self._puts:
            put(span)

    def close_open_spans(self) -> None:
        """Mark every span that is still open as truncated and end it, newest first."""
        end_time = time.time_ns()
        for span in reversed(list(self._open.values())):
            _truncate(span, end_time)

    def hurry(self) -> None:
        """Have the queues export each span as it comes."""
        for queue in self._queues:
            queue.hurry()

    def refuse(self) -> None:
        """Track and queue nothing from now on."""
        self._closed = True

    def after_fork(self) -> None:
        """Forget the parent's open spans: the parent ends and exports them."""
        self._open.clear()

    def shutdown(self) -> None:
        """Shut the pipeline down; `TracerProvider.shutdown` ends here."""
        self._shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Flush the pipeline within `timeout_millis`; True when everything was delivered."""
        return self._flush(timeout_millis)


def _truncate(span: Span, end_time: int) -> None:
    try:
        span.set_attribute(TRUNCATED, True)
        span.add_event(TRUNCATED, {TRUNCATED_REASON: _REASON})
        span.end(max(end_time, span.start_time or 0))
        _silence(span)
    except Exception:
        # A hostile span subclass must not stop the others from being closed.
        span.end()


def _silence(span: Span) -> None:
    """Let the span's owner go on using it without a warning for each call."""
    for name in _WRITES:
        vars(span)[name] = _ignore


def _ignore(*_arguments: object, **_options: object) -> None:
    """Do nothing: the span ended when telemetry shut down."""
