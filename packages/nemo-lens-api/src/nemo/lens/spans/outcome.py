# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How a span says that its work ended with an exception.

| exception | event | attribute | status |
|---|---|---|---|
| `Exception` | `exception` | | ERROR |
| a cancellation, `KeyboardInterrupt` | `exception` | `nemo.span.cancelled` | ERROR |
| `SystemExit`, code not 0 | `exception` | `nemo.exit.code` | ERROR |
| `SystemExit`, code 0 | `nemo.exit` | `nemo.exit.code` | unset |
| `GeneratorExit` (the consumer stopped) | `nemo.span.cancelled` | `nemo.span.cancelled` | unset |

The event follows OpenTelemetry's conventions for exceptions. Its texts pass the redaction rule
under the keys `exception.message` and `exception.stacktrace`; secrets inside them are masked.
"""

from __future__ import annotations

import re
import traceback
from typing import TYPE_CHECKING, Any, NamedTuple

from opentelemetry.trace import StatusCode

from nemo.lens.semconv import (
    EXCEPTION_MESSAGE,
    EXCEPTION_STACKTRACE,
    EXCEPTION_TYPE,
    NEMO_EXIT_CODE,
    NEMO_SPAN_CANCELLED,
)
from nemo.lens.spans.redaction import REDACTED, is_redacted, masked
from nemo.lens.spans.text import encodable, real_type, type_name
from nemo.lens.spans.url_credentials import without_url_credentials

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.trace import Span

EXIT_EVENT = "nemo.exit"

MAX_MESSAGE_CHARACTERS = 32_768
MAX_STACKTRACE_CHARACTERS = 131_072
"""Longer texts are cut: an out-of-memory report or a dumped tensor can have many megabytes."""

_MASKED_BEYOND_THE_CUT = 4_096
_UP_TO_WHITE_SPACE = re.compile(r"[^ \t\r\n\f\v]*[ \t\r\n\f\v]")

_CANCELLATION_NAMES = frozenset({"CancelledError", "Cancelled"})


class ExceptionText(NamedTuple):
    """What is told about an exception, safe to export."""

    type: str
    message: str
    stacktrace: str


def record_outcome(
    span: Span,
    error: BaseException,
    *,
    record_exception: bool = True,
    record: Callable[[Any, BaseException], object] | None = None,
) -> None:
    """Mark `span` with the exception that leaves its body. The span is not ended here.

    Args:
        span: The span.
        error: The exception.
        record_exception: Whether it becomes an event.
        record: Makes that event, from the span and the exception, in the place of what is done
            with every span.
    """
    kind = real_type(error)
    if issubclass(kind, GeneratorExit):
        span.set_attribute(NEMO_SPAN_CANCELLED, True)
        span.add_event(NEMO_SPAN_CANCELLED, {EXCEPTION_TYPE: "GeneratorExit"})
        return
    if issubclass(kind, SystemExit):
        code = exit_code(error)
        span.set_attribute(NEMO_EXIT_CODE, code)
        if code == 0:
            span.add_event(EXIT_EVENT, {NEMO_EXIT_CODE: code})
            return
    elif issubclass(kind, KeyboardInterrupt) or is_cancellation(error):
        span.set_attribute(NEMO_SPAN_CANCELLED, True)
    if record_exception:
        (record or record_exception_event)(span, error)
    span.set_status(StatusCode.ERROR, exception_message(error) or exception_type(error))


def is_cancellation(error: BaseException) -> bool:
    """Say whether `error` is how asyncio, concurrent.futures, trio or anyio cancel work."""
    ancestors = type.mro(real_type(error))
    return any(type_name(ancestor) in _CANCELLATION_NAMES for ancestor in ancestors)


def exit_code(error: BaseException) -> int:
    """Return the process status that `error` leads to: a text means 1, nothing means 0."""
    try:
        code: Any = getattr(error, "code", None)
    except Exception:  # the interpreter cannot read it either, and exits with 1
        return 1
    if code is None:
        return 0
    return int.__int__(code) & 0xFF if issubclass(type(code), int) else 1


def exception_text(error: BaseException) -> ExceptionText:
    """Return type, message and stack trace of `error`, repaired, cut, masked and redacted."""
    stacktrace = _frames_only(error) if is_redacted(EXCEPTION_MESSAGE) else _stacktrace(error)
    return ExceptionText(
        exception_type(error), exception_message(error), exported_stacktrace(stacktrace)
    )


def exception_type(error: BaseException) -> str:
    """Return the qualified name of the class of `error`."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in (None, "builtins"):
        name = f"{kind.__module__}.{name}"
    return encodable(name)


def exception_message(error: BaseException) -> str:
    """Return the message of `error`, repaired, cut, masked and redacted."""
    if is_redacted(EXCEPTION_MESSAGE):
        return REDACTED
    return _safe(_message(error), MAX_MESSAGE_CHARACTERS)


def exported_stacktrace(text: str) -> str:
    """Return a formatted stack trace repaired, cut, masked and redacted."""
    if is_redacted(EXCEPTION_STACKTRACE):
        return REDACTED
    return _safe(text, MAX_STACKTRACE_CHARACTERS)


def record_exception_event(span: Span, error: BaseException) -> None:
    """Let the span record the exception, with safe texts in the place of its own."""
    text = exception_text(error)
    attributes: dict[str, Any] = {
        EXCEPTION_TYPE: text.type,
        EXCEPTION_MESSAGE: text.message,
        EXCEPTION_STACKTRACE: text.stacktrace,
    }
    if not has_text(error):
        span.add_event("exception", attributes)
        return
    try:
        span.record_exception(error, attributes)
    except Exception:  # OpenTelemetry calls str() on the exception, which may raise
        span.add_event("exception", attributes)


def has_text(error: BaseException) -> bool:
    """Say whether `str(error)` can be called, which OpenTelemetry does.

    Not even an exit that is raised there may replace the exception that the caller is to see.
    """
    try:
        str(error)
    except BaseException:  # see above
        return False
    return True


def _message(error: BaseException) -> str:
    if has_text(error):
        return str(error)
    return f"<{type_name(real_type(error))}: its text cannot be read>"


def _stacktrace(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except Exception:  # a hostile __cause__, __notes__ or source loader
        return _frames_only(error)


def _frames_only(error: BaseException) -> str:
    try:
        frames = "".join(traceback.format_tb(error.__traceback__))
    except Exception:  # as above: rather no stack trace than another exception
        frames = ""
    return f"Traceback (most recent call last):\n{frames}{type(error).__qualname__}"


def _safe(text: str, limit: int) -> str:
    return encodable(_masked(text) if len(text) <= limit else _beginning_and_end(text, limit))


def _beginning_and_end(text: str, limit: int) -> str:
    """Return `text` masked and cut; what marks a secret may stand on the other side of the cut."""
    half = limit // 2
    beginning = _masked(text[: half + _MASKED_BEYOND_THE_CUT])[:half]
    end = _masked(text[-half - _MASKED_BEYOND_THE_CUT :])[-half:]
    # Of a URL cut in two, the rest of a query would no longer look like one.
    broken_word = _UP_TO_WHITE_SPACE.match(end)
    end = end[broken_word.end() :] if broken_word is not None else ""
    left_out = len(text) - len(beginning) - len(end)
    return f"{beginning}\n... {left_out} characters cut ...\n{end}"


def _masked(text: str) -> str:
    return masked(without_url_credentials(text))
