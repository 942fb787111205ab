# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Switching OpenTelemetry's instrumentations of HTTP libraries on and off."""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import Any

from nemo.lens.contrib.excluded_urls import unset_unreadable_patterns

_INSTRUMENTORS = {
    "aiohttp_client": "AioHttpClientInstrumentor",
    "fastapi": "FastAPIInstrumentor",
    "httpx": "HTTPXClientInstrumentor",
    "requests": "RequestsInstrumentor",
}

_lock = Lock()
_instrumented: set[str] = set()
"""Modules of the instrumentors that are on because of `instrument_process`."""


def instrumentor(module: str, extra: str) -> Any:
    """Return an instrumentor class.

    Args:
        module: Its module in `opentelemetry.instrumentation`.
        extra: The extra of `nemo-lens` that installs it together with its framework.

    Raises:
        ImportError: It is not installed; the text names the extra.
    """
    unset_unreadable_patterns(module)
    try:
        found = import_module(f"opentelemetry.instrumentation.{module}")
    except ImportError as reason:
        raise ImportError(
            f"Instrumenting {extra} needs an extra that is not installed. Install with:"
            f" pip install 'nemo-lens[{extra}]' (or 'nemo-lens-contrib[{extra}]')."
        ) from reason
    return getattr(found, _INSTRUMENTORS[module])


def instrument_process(module: str, extra: str) -> None:
    """Instrument all clients of the process, once; arguments and errors as for `instrumentor`.

    An instrumentation that others have put there, such as OpenTelemetry's launcher, gives way: it
    would record whole URLs.
    """
    clients = instrumentor(module, extra)()
    from nemo.lens.contrib.http_spans import HttpTracerProvider

    with _lock:
        if clients.is_instrumented_by_opentelemetry:
            if module in _instrumented:
                return
            clients.uninstrument()
        clients.instrument(tracer_provider=HttpTracerProvider())
        _instrumented.add(module)


def uninstrument_process(module: str, extra: str) -> None:
    """Undo `instrument_process`, where it was called."""
    clients = instrumentor(module, extra)()
    with _lock:
        if module in _instrumented and clients.is_instrumented_by_opentelemetry:
            clients.uninstrument()
        _instrumented.discard(module)
