# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The handler of the package `opentelemetry-instrumentation-logging`, where it is installed.

It translates records as OpenTelemetry's own packages do, wherever they are used. It is free to
raise and to warn, so it never hangs at a logger itself: our handler calls it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk import _otel_private

if TYPE_CHECKING:
    import logging

_MODULE = "opentelemetry.instrumentation.logging.handler"


def official_handler(provider: Any) -> logging.Handler | None:
    """Build that handler for a logger provider.

    Returns:
        The handler, attached to no logger; None where the package is missing, is older than its
        handler, or does not load.
    """
    try:
        handler_class = importlib.import_module(_MODULE).LoggingHandler
        # `logging` flushes every handler at interpreter exit; this one would start a thread for
        # that, which newer Pythons refuse with a traceback.
        quiet = type("OfficialHandler", (handler_class,), {"flush": _leave_to_the_pipeline})
        built: logging.Handler = quiet(logger_provider=provider, log_code_attributes=True)
    except Exception:
        # A package that is broken or moved its handler costs its translation, not the logs.
        return None
    return built


def exports_to(handler: logging.Handler, provider: Any) -> bool:
    """Say whether a handler of OpenTelemetry, attached by the application, feeds `provider`.

    A second handler beside it would export every record twice.
    """
    is_official = any(
        cls.__name__ == "LoggingHandler" and cls.__module__.startswith("opentelemetry.")
        for cls in type(handler).__mro__
    )
    return is_official and _otel_private.feeds_logger_provider(handler, provider)


def _leave_to_the_pipeline(_handler: logging.Handler) -> None:
    """Do nothing: the pipeline flushes."""
