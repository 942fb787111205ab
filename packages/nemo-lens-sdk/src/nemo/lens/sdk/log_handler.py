# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The handler that turns records of Python's `logging` into OpenTelemetry log records."""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any, cast

from nemo.lens import semconv
from nemo.lens.sdk.last_resort import last_resort_level, print_if_unhandled
from nemo.lens.spans.text import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.sdk.resources import Resource

_OWN_LOGGERS = ("nemo.lens", "opentelemetry", "grpc", "urllib3", "requests")
_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_SEVERITY_TEXT = {"WARNING": "WARN", "CRITICAL": "FATAL"}
_HIGHEST_LEVEL = 53
_inside = threading.local()


class LensLogHandler(logging.Handler):
    """Emits through the global logger provider; never raises, never exports its own export.

    Records are translated by the handler of `opentelemetry-instrumentation-logging` where that is
    installed, and here otherwise, as are those that it cannot translate.

    Args:
        level: Lowest level to export.

    Attributes:
        has_exported: Whether any record was handed on.
    """

    _translator: tuple[Any, logging.Handler | None] = (None, None)
    _lowest_exported: int = logging.NOTSET
    has_exported = False

    def __init__(self, level: int | str = logging.NOTSET) -> None:
        super().__init__()
        self.setLevel(level)

    def setLevel(self, level: int | str) -> None:  # noqa: N802 - the name is the interface's
        """Export from `level` on; what nobody prints must come here whether it is exported or not."""
        super().setLevel(level)
        self._lowest_exported = self.level
        super().setLevel(min(self.level, last_resort_level()))

    def handle(self, record: logging.LogRecord) -> bool:
        """Emit a record unless it is filtered out or comes from exporting."""
        print_if_unhandled(record, self)
        # `logging.makeLogRecord` may leave a record without a level.
        if (record.levelno or 0) < self._lowest_exported or comes_from_exporting(record):
            return False
        # Since Python 3.12 a filter may answer with another record.
        kept: Any = self.filter(record)
        if kept:
            self.emit(kept if isinstance(kept, logging.LogRecord) else record)
        return bool(kept)

    def emit(self, record: logging.LogRecord) -> None:
        """Emit a record; one that cannot be formatted is exported as its unformatted message."""
        if getattr(_inside, "emitting", False):
            return
        _inside.emitting = True
        try:
            self._emit(record)
            self.has_exported = True
        except Exception:
            # `logging` promises applications that handlers do not raise, whatever they are given.
            return
        finally:
            _inside.emitting = False

    def _emit(self, record: logging.LogRecord) -> None:
        from nemo.lens.sdk import _otel_private
        from nemo.lens.sdk.official_log_handler import official_handler

        provider = _otel_private.get_logger_provider()
        if not _otel_private.is_sdk_logger_provider(provider):
            return
        if self._translator[0] is not provider:
            self._translator = (provider, official_handler(provider))
        official = self._translator[1]
        if official is not None:
            with contextlib.suppress(Exception):
                official.emit(_plain_record(record))
                return
        _emit(record, provider)


def _plain_record(record: logging.LogRecord) -> logging.LogRecord:
    """Copy a record with extra fields that can be exported; OpenTelemetry warns about others."""
    fields = {key: value for key, value in vars(record).items() if value is not None}
    extra = {_text(key): _plain(fields.pop(key)) for key in fields.keys() - _STANDARD_FIELDS}
    return logging.makeLogRecord(fields | extra) if extra else record


def _emit(record: logging.LogRecord, provider: Any) -> None:
    from nemo.lens.sdk import _otel_private

    resource: Resource = provider.resource
    fields = {
        "timestamp": int(record.created * 1e9),
        "observed_timestamp": time.time_ns(),
        "severity_text": _SEVERITY_TEXT.get(record.levelname, record.levelname),
        "severity_number": _severity_number(record.levelno),
        "body": _body(record),
        "attributes": _attributes(record),
    }
    _otel_private.emit_log(provider, record.name, fields, resource)


def _severity_number(level: int) -> Any:
    """The OpenTelemetry severity of a level of `logging`: four steps for each ten levels."""
    from opentelemetry._logs import SeverityNumber

    tens, rest = divmod(min(level, _HIGHEST_LEVEL), 10)
    return SeverityNumber(0 if tens < 1 else 4 * tens + 1 + min(rest, 3))


def _body(record: logging.LogRecord) -> str:
    try:
        return _text(record.getMessage())
    except Exception:
        return _text(f"{record.msg!s} {record.args!r}")


def _attributes(record: logging.LogRecord) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "code.file.path": record.pathname,
        "code.function.name": record.funcName,
        "code.line.number": record.lineno,
    }
    for key, value in vars(record).items():
        if key not in _STANDARD_FIELDS and value is not None:
            attributes[_text(key)] = _plain(value)
    if record.exc_info and record.exc_info[0] is not None:
        kind, error, trace = record.exc_info
        attributes[semconv.EXCEPTION_TYPE] = kind.__qualname__
        attributes[semconv.EXCEPTION_MESSAGE] = _text(error)
        attributes[semconv.EXCEPTION_STACKTRACE] = "".join(
            traceback.format_exception(kind, error, trace)
        )
    return attributes


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return [_text(item) for item in cast("Iterable[Any]", value)]
    return _text(value)


def _text(value: Any) -> str:
    try:
        text = str(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return encodable(text)


def comes_from_exporting(record: logging.LogRecord) -> bool:
    """True for records of lens, of exporters and of their threads, which must never be exported."""
    from nemo.lens.sdk.export_queue import current_thread_exports

    name = record.name
    return current_thread_exports() or any(
        name == own or name.startswith(f"{own}.") for own in _OWN_LOGGERS
    )
