# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Records of Python's `logging` as OpenTelemetry log records, with the ids of the current span."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Any

from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.configuration.problems import shown
from nemo.lens.sdk.log_handler import LensLogHandler, comes_from_exporting

if TYPE_CHECKING:
    from collections.abc import Callable

_logger = logging.getLogger("nemo.lens.sdk")
_undo: list[Callable[[], object]] = []


def setup_logging_bridge(logger_name: str = "", level: int | str = logging.INFO) -> None:
    """Export the records of a logger, from `level` on, through the logger provider of set-up.

    Needs `logs_enabled`; without it there is nowhere to export to and nothing happens. May be
    called again: a logger has one such handler, and the last level counts. A logger that would
    drop records of that level is opened for them; its other handlers print what they did before.

    Args:
        logger_name: Name of the logger; "" is the root logger.
        level: Lowest level to export, as a number or as its name in any case.

    Raises:
        ValueError: `level` is no level of `logging`.
    """
    lowest = _number_of(level)
    provider = _exporting_provider()
    if provider is None:
        return
    if _tell_of_silence in _undo:
        # Whoever calls this knows which records to expect.
        _undo.remove(_tell_of_silence)
    logger = logging.getLogger(logger_name)
    _attach_handler(logger, lowest, provider)
    _open_logger(logger, lowest, provider)


def attach_to_root(provider: Any) -> None:
    """Give the root logger its handler; what set-up does.

    The levels of the application's loggers decide what is exported, as they decide what is printed.
    `OTEL_PYTHON_LOG_LEVEL` has records from that level on exported, and printed no more than before.

    Args:
        provider: The logger provider that is, or is about to be, the global one.
    """
    root = logging.getLogger()
    chosen = read_foreign_variable("OTEL_PYTHON_LOG_LEVEL")
    if chosen is None:
        _attach_handler(root, logging.INFO, provider)
        _undo.append(_tell_of_silence)
    else:
        level = getattr(logging, chosen.upper())
        _attach_handler(root, level, provider)
        _open_logger(root, level, provider)


def _tell_of_silence() -> None:
    """Say why no record was exported, where the root logger's level may be all that kept them."""
    root = logging.getLogger()
    ours = [handler for handler in root.handlers if isinstance(handler, LensLogHandler)]
    if ours and not ours[0].has_exported and root.level > logging.INFO:
        _logger.warning(
            "no log record was exported: the root logger drops what is below %s. Set "
            "OTEL_PYTHON_LOG_LEVEL=info to export more and print no more, or =%s to be content",
            logging.getLevelName(root.level),
            logging.getLevelName(root.level).lower(),
        )


def _attach_handler(logger: logging.Logger, level: int, provider: Any) -> None:
    """Give a logger its one handler, without touching the logger's own level."""
    from nemo.lens.sdk.official_log_handler import exports_to

    for handler in logger.handlers:
        if isinstance(handler, LensLogHandler):
            handler.setLevel(level)
            return
        if exports_to(handler, provider):
            _adopt(handler)
            return
    handler = LensLogHandler(level)
    logger.addHandler(handler)
    _undo.append(lambda: logger.removeHandler(handler))
    if logger is logging.getLogger():
        from nemo.lens.sdk.logging_configuration import keep_through_configuration

        _undo.append(keep_through_configuration(handler))


def detach_handlers() -> None:
    """Take every handler of ours away and put levels back; telemetry has ended."""
    while _undo:
        _undo.pop()()


def _adopt(handler: logging.Handler) -> None:
    """Keep the records of exporting itself out of a handler that the application attached."""
    if _is_foreign not in handler.filters:
        handler.addFilter(_is_foreign)
        _undo.append(lambda: handler.removeFilter(_is_foreign))


def _is_foreign(record: logging.LogRecord) -> bool:
    return not comes_from_exporting(record)


def _number_of(level: Any) -> int:
    try:
        # A handler that nobody uses knows every level that `logging` does.
        return logging.Handler(level.strip().upper() if isinstance(level, str) else level).level
    except (TypeError, ValueError):
        raise ValueError(
            f"setup_logging_bridge: level={shown(level)} is not usable; expected a level of "
            "logging such as logging.INFO or 'info'"
        ) from None


def _exporting_provider() -> Any:
    """The global logger provider; None where it exports nothing."""
    try:
        from nemo.lens.sdk import _otel_private
        from nemo.lens.sdk.found_providers import (
            found_logger_provider,
            without_unloadable_providers,
        )
    except ImportError:
        return None
    with without_unloadable_providers():
        provider = found_logger_provider()
    return provider if _otel_private.is_sdk_logger_provider(provider) else None


def _open_logger(logger: logging.Logger, level: int, provider: Any) -> None:
    from nemo.lens.sdk.official_log_handler import exports_to

    before = logger.getEffectiveLevel()
    if before <= level:
        return
    _undo.append(functools.partial(logger.setLevel, logger.level))
    for handler in logger.handlers:
        if exports_to(handler, provider):
            _undo.append(functools.partial(handler.setLevel, handler.level))
            handler.setLevel(level)
        elif not isinstance(handler, LensLogHandler) and handler.level < before:
            _undo.append(functools.partial(handler.setLevel, handler.level))
            handler.setLevel(before)
    logger.setLevel(level)
