# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Requests served by a FastAPI application: a server span each, parented by the caller's trace."""

from __future__ import annotations

import copyreg
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from nemo.lens.configuration.problems import shown
from nemo.lens.contrib.excluded_urls import fault_of_patterns
from nemo.lens.contrib.instrumentation import instrumentor
from nemo.lens.semconv import SERVICE_NAME


class _Settings(NamedTuple):
    """How an application was instrumented."""

    service_name: str
    excluded_urls: str | None


_instrumented: WeakKeyDictionary[Any, _Settings] = WeakKeyDictionary()


def instrument_fastapi(
    app: Any, service_name: str = "nemo-gym", *, excluded_urls: str | None = None
) -> None:
    """Instrument `app`; a second call does nothing.

    Works before and after set-up, and while the application serves, as in its lifespan. The
    application can be pickled, for Ray Serve, if its routes can; the copy is instrumented alike.
    An instrumentation of OpenTelemetry's own, which records whole URLs, is taken off first. Bodies and query strings are not recorded. While it is on, the spans, metrics and logs that newer
    versions of FastAPI make by themselves are off for `app`.

    Args:
        app: The `fastapi.FastAPI` application.
        service_name: Recorded as `service.name` on the server spans, because several applications
            of one process share its resource.
        excluded_urls: Comma-separated regular expressions of URLs that get no span. None for those
            that `OTEL_PYTHON_FASTAPI_EXCLUDED_URLS` or `OTEL_PYTHON_EXCLUDED_URLS` names.

    Raises:
        ImportError: The instrumentation is not installed; the text names the extra.
        ValueError: An argument is not what it must be.
    """
    _instrument(app, _Settings(service_name, excluded_urls))


def uninstrument_fastapi(app: Any) -> None:
    """Undo `instrument_fastapi`; does nothing when it was not called for `app`."""
    if _instrumented.pop(app, None) is not None:
        instrumentor("fastapi", extra="fastapi").uninstrument_app(app)


def _instrument(app: Any, settings: _Settings) -> None:
    of_opentelemetry = instrumentor("fastapi", extra="fastapi")
    _check_arguments(app, *settings)
    if app in _instrumented:
        return
    from nemo.lens.contrib.http_spans import HttpTracerProvider

    is_serving = app.middleware_stack is not None
    if getattr(app, "_is_instrumented_by_opentelemetry", False):
        of_opentelemetry.uninstrument_app(app)  # by its launcher, say; it would record whole URLs
    app.middleware_stack = None  # older instrumentations refuse to change an existing one
    try:
        of_opentelemetry.instrument_app(
            app,
            tracer_provider=HttpTracerProvider({SERVICE_NAME: settings.service_name}),
            excluded_urls=settings.excluded_urls,
            exclude_spans=["receive", "send"],
        )
    finally:
        if is_serving:  # requests take the stack as it is then
            app.middleware_stack = app.build_middleware_stack()
    _instrumented[app] = settings
    kind: type[Any] = app.__class__
    copyreg.pickle(kind, _reduce)
    _make_state_picklable()


def _check_arguments(app: Any, service_name: Any, excluded_urls: Any) -> None:
    if not hasattr(app, "build_middleware_stack"):
        raise _bad_argument("app", app, "a fastapi.FastAPI application")
    if not isinstance(service_name, str):
        raise _bad_argument("service_name", service_name, "text")
    if excluded_urls is None:
        return
    if not isinstance(excluded_urls, str) or fault_of_patterns(excluded_urls):
        accepted = 'regular expressions in one text, separated by commas, such as "health,ready"'
        raise _bad_argument("excluded_urls", excluded_urls, accepted)


def _bad_argument(name: str, given: object, accepted: str) -> ValueError:
    return ValueError(f"instrument_fastapi: `{name}` must be {accepted}, got {shown(given)}")


# What instrumenting puts into an application; locks and local functions are in there.
_INSTRUMENTATION = "opentelemetry.instrumentation.asgi"
_NOT_PICKLED = {
    "_is_instrumented_by_opentelemetry",
    "_original_build_middleware_stack",
    "build_middleware_stack",
}


def _reduce(app: Any) -> Any:
    """Pickle an instrumented application without its instrumentation, to be made anew."""
    settings = _instrumented.get(app)
    if settings is None:
        return app.__reduce_ex__(2)
    state = dict[str, Any](app.__dict__)
    for name in _NOT_PICKLED:
        state.pop(name, None)
    state["middleware_stack"] = None
    state["user_middleware"] = [
        entry for entry in app.user_middleware if entry.cls.__module__ != _INSTRUMENTATION
    ]
    return copyreg.__newobj__, (type(app),), (state, tuple(settings)), None, None, _restore  # type: ignore[attr-defined]


def _make_state_picklable() -> None:
    """Let copies of Starlette's `State` be made: by itself it recurses without end there."""
    from starlette.datastructures import State

    if State not in copyreg.dispatch_table:
        copyreg.pickle(State, _reduce_starlette_state)


def _reduce_starlette_state(state: Any) -> Any:
    kind: Any = state.__class__
    return kind, ({**state.__dict__["_state"]},)


def _restore(app: Any, pickled: tuple[dict[str, Any], tuple[str, str | None]]) -> None:
    state, settings = pickled
    app.__dict__.update(state)
    _instrument(app, _Settings(*settings))
