# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: SLF001 - it belongs to the spans of this package
# pyright: reportPrivateUsage=false
"""The event of an exception, whose stack trace is written out when somebody reads it.

Finding the source lines of a stack trace and underlining them takes longer than everything else
about a span. The frames are summed up at once, so nothing of the program is kept alive; the text is
made in the export thread.
"""

from __future__ import annotations

import traceback
from time import time_ns
from typing import TYPE_CHECKING

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk.trace import Event

from nemo.lens.semconv import (
    EXCEPTION_ESCAPED,
    EXCEPTION_MESSAGE,
    EXCEPTION_STACKTRACE,
    EXCEPTION_TYPE,
)
from nemo.lens.spans.outcome import (
    exception_message,
    exception_type,
    exported_stacktrace,
    has_text,
    record_exception_event,
)
from nemo.lens.spans.redaction import is_redacted

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanLimits

    from nemo.lens.sdk.fast_spans.span import FastSpan


class ExceptionEvent(Event):
    """What `record_exception` records, under the limits of a span.

    Args:
        error: The exception.
        limits: The limits of its span.
        time: When it left the span, in nanoseconds since the epoch.
    """

    _known: BoundedAttributes

    def __init__(self, error: BaseException, limits: SpanLimits, time: int) -> None:
        self._name = "exception"
        self._timestamp = time
        self._limits = limits
        self._type = exception_type(error)
        self._message = exception_message(error)
        self._summary: traceback.TracebackException | None = traceback.TracebackException(
            type(error), error, error.__traceback__, compact=True, lookup_lines=False
        )

    @property
    def _attributes(self) -> BoundedAttributes:  # type: ignore[override]
        summary = self._summary
        if summary is not None:
            self._known = BoundedAttributes(
                self._limits.max_event_attributes,
                {
                    EXCEPTION_TYPE: self._type,
                    EXCEPTION_MESSAGE: self._message,
                    EXCEPTION_STACKTRACE: exported_stacktrace("".join(summary.format())),
                    EXCEPTION_ESCAPED: "False",
                },
                max_value_len=self._limits.max_attribute_length,
                immutable=True,
            )
            self._summary = None  # last: another thread may be reading too
        return self._known


def record_lazily(span: FastSpan, error: BaseException) -> None:
    """Record `error` on `span`; what cannot be put off, or fails, is recorded as on every span."""
    redacted = is_redacted(EXCEPTION_MESSAGE) or is_redacted(EXCEPTION_STACKTRACE)
    if redacted or not has_text(error) or not span.is_recording():
        record_exception_event(span, error)
        return
    try:
        event = ExceptionEvent(error, span._limits, time_ns())
    except Exception:  # a hostile exception
        record_exception_event(span, error)
        return
    span._add_event(event)
