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

    Query strings, which may hold credentials, are not recorded.

    Args:
        app: The `fastapi.FastAPI` application.
        service_name: Recorded as `service.name` on the server spans, because several applications
            of one process share its resource.
        excluded_urls: Comma-separated regular expressions of URLs that get no span.

    Raises:
        ImportError: The instrumentation is not installed; the text names the extra.
    """
    _instrumentor().instrument_app(
        app, server_request_hook=_ServerSpan(service_name), excluded_urls=excluded_urls
    )


def uninstrument_fastapi(app: Any) -> None:
    """Undo `instrument_fastapi`; does nothing when it was not called for `app`."""
    _instrumentor().uninstrument_app(app)


class _ServerSpan:
    """Finishes each server span; at module level, so that the application can be pickled."""

    def __init__(self, service_name: str) -> None:
        self._service_name = service_name

    def __call__(self, span: Span, scope: Mapping[str, Any]) -> None:
        if not span.is_recording():
            return
        span.set_attribute(SERVICE_NAME, self._service_name)
        if scope.get("query_string"):
            for attribute, value in _without_query(span).items():
                span.set_attribute(attribute, value)


# The URL is recorded under one of these names, depending on the convention that
# OTEL_SEMCONV_STABILITY_OPT_IN chooses.
_URL_ATTRIBUTES = ("http.url", "http.target", "url.full", "url.query")


def _without_query(span: Span) -> dict[str, str]:
    recorded: Mapping[str, Any] = getattr(span, "attributes", None) or {}
    urls = {name: str(recorded[name]) for name in _URL_ATTRIBUTES if name in recorded}
    return {
        name: "" if name == "url.query" else url.partition("?")[0] for name, url in urls.items()
    }


def _instrumentor() -> Any:
    try:
        from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
    except ImportError as reason:
        raise ImportError(
            "Instrumenting FastAPI needs an extra that is not installed. Install with:"
            " pip install 'nemo-lens[fastapi]' (or 'nemo-lens-contrib[fastapi]')."
        ) from reason
    return FastAPIInstrumentor
