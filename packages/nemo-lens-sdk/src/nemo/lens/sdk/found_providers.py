# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The global providers that the process has already, whoever installed them.

`OTEL_PYTHON_TRACER_PROVIDER` and its siblings have OpenTelemetry load one at the first look. The
SDK itself looks while it builds providers.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import opentelemetry.metrics
import opentelemetry.trace

from nemo.lens.global_providers import hidden_variables, provider_variable
from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.noise import warn_once_a_minute

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def found_tracer_provider() -> Any:
    """The global tracer provider; None while there is none."""
    if _otel_private.no_tracer_provider_installed():
        return None
    return opentelemetry.trace.get_tracer_provider()


def found_meter_provider() -> Any:
    """The global meter provider; None while there is none."""
    if _otel_private.no_meter_provider_installed():
        return None
    return opentelemetry.metrics.get_meter_provider()


def found_logger_provider() -> Any:
    """The global logger provider; None while there is none."""
    if _otel_private.no_logger_provider_installed():
        return None
    return _otel_private.get_logger_provider()


_FIND: dict[str, Callable[[], Any]] = {
    "tracer": found_tracer_provider,
    "meter": found_meter_provider,
    "logger": found_logger_provider,
}


@contextmanager
def without_unloadable_providers() -> Generator[None, None, None]:
    """Have a variable that names no loadable global provider count as unset, with one warning."""
    with hidden_variables([provider_variable(kind) for kind in _FIND if not _is_loadable(kind)]):
        yield


def _is_loadable(kind: str) -> bool:
    variable = provider_variable(kind)
    name = os.environ.get(variable)
    if name is None:
        return True
    if not name.strip():
        return False
    try:
        # OpenTelemetry's own look logs a traceback, which a mere typo is not worth.
        reason = None if _is_known(kind, name) else "there is no such entry point"
        if reason is None:
            _FIND[kind]()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    if reason is not None:
        warn_once_a_minute(
            variable,
            "%s=%r cannot be loaded (%s) and counts as unset. Unset it, or name an installed entry "
            "point of the group opentelemetry_%s_provider",
            variable,
            name,
            reason,
            kind,
        )
    return reason is None


def _is_known(kind: str, name: str) -> bool:
    return bool(list(entry_points(group=f"opentelemetry_{kind}_provider", name=name)))
