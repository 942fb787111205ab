# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Requests served by a FastAPI application: a server span each, parented by the caller's trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.semconv import SERVICE_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.trace import Span


def instrument_fastapi(
    app: Any, service_name: str = "nemo-gym", *, excluded_urls: str | None = None
) -> None:
    """Instrument `app`; a second call does nothing. Works before and after set-up.

    Args:
        app: The `fastapi.FastAPI` application.
        service_name: Recorded as `service.name` on the server spans, because several applications
            of one process share its resource.
        excluded_urls: Comma-separated regular expressions of URLs that get no span.

    Raises:
        ImportError: The instrumentation is not installed; the text names the extra.
    """
    _instrumentor().instrument_app(
        app, server_request_hook=_NameService(service_name), excluded_urls=excluded_urls
    )


def uninstrument_fastapi(app: Any) -> None:
    """Undo `instrument_fastapi`; does nothing when it was not called for `app`."""
    _instrumentor().uninstrument_app(app)


class _NameService:
    """A hook at module level, so that an instrumented application can be pickled."""

    def __init__(self, service_name: str) -> None:
        self._service_name = service_name

    def __call__(self, span: Span, _scope: Mapping[str, Any]) -> None:
        if span.is_recording():
            span.set_attribute(SERVICE_NAME, self._service_name)


def _instrumentor() -> Any:
    try:
        from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
    except ImportError as reason:
        raise ImportError(
            "Instrumenting FastAPI needs an extra that is not installed. Install with:"
            " pip install 'nemo-lens[fastapi]' (or 'nemo-lens-contrib[fastapi]')."
        ) from reason
    return FastAPIInstrumentor
