# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Outgoing aiohttp requests: a client span each, with the trace context in the headers."""

from __future__ import annotations

from typing import Any


def instrument_aiohttp_client() -> None:
    """Instrument every aiohttp client session of the process; a second call does nothing.

    Query strings, which may hold credentials, are not recorded.

    Raises:
        ImportError: The instrumentation is not installed; the text names the extra.
    """
    instrumentor = _instrumentor()
    if not instrumentor.is_instrumented_by_opentelemetry:
        instrumentor.instrument(url_filter=_without_query)


def uninstrument_aiohttp_client() -> None:
    """Undo `instrument_aiohttp_client`; does nothing when it was not called."""
    instrumentor = _instrumentor()
    if instrumentor.is_instrumented_by_opentelemetry:
        instrumentor.uninstrument()


def _without_query(url: Any) -> str:
    return str(url.with_query(None))


def _instrumentor() -> Any:
    try:
        from opentelemetry.instrumentation.aiohttp_client import AioHttpClientInstrumentor
    except ImportError as reason:
        raise ImportError(
            "Instrumenting the aiohttp client needs an extra that is not installed. Install with:"
            " pip install 'nemo-lens[aiohttp]' (or 'nemo-lens-contrib[aiohttp]')."
        ) from reason
    return AioHttpClientInstrumentor()
