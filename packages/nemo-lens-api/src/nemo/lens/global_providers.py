# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A tracer or a meter of whatever providers are installed in the process now.

`OTEL_PYTHON_TRACER_PROVIDER` and its siblings have OpenTelemetry load a provider at the first look,
and raise at every look when they name none. Here they then count as unset.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Tracer

SCOPE_NAME = "nemo.lens"
"""The instrumentation scope of everything that NeMo Lens itself records."""


def get_tracer(name: str = SCOPE_NAME) -> Tracer:
    """Return a tracer of the global tracer provider.

    Before `setup_telemetry` it is a proxy that starts to record once a provider is installed.

    Args:
        name: Name of the instrumentation scope. The default scope carries the version of NeMo
            Lens and the URL of its semantic conventions; any other name is used as it is.
    """
    from opentelemetry import trace

    version, schema_url = _version_and_schema(name)
    try:
        return trace.get_tracer(name, version, schema_url=schema_url)
    except Exception as error:
        with _counting_as_unset(provider_variable("tracer"), error):
            return trace.get_tracer(name, version, schema_url=schema_url)


def get_meter(name: str = SCOPE_NAME) -> Meter:
    """Return a meter of the global meter provider.

    Before `setup_telemetry` it is a proxy whose instruments start to record once a provider is
    installed.

    Args:
        name: Name of the instrumentation scope, as for `get_tracer`.
    """
    from opentelemetry import metrics

    version, schema_url = _version_and_schema(name)
    try:
        return metrics.get_meter(name, version or "", schema_url=schema_url)
    except Exception as error:
        with _counting_as_unset(provider_variable("meter"), error):
            return metrics.get_meter(name, version or "", schema_url=schema_url)


def provider_variable(kind: str) -> str:
    """The variable that names the global provider of `tracer`, `meter` or `logger`."""
    return f"OTEL_PYTHON_{kind.upper()}_PROVIDER"


@contextmanager
def hidden_variables(names: list[str]) -> Generator[None, None, None]:
    """Hide variables from OpenTelemetry for a while; child processes inherit what the user set."""
    set_by_user = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(set_by_user)


@contextmanager
def _counting_as_unset(variable: str, error: Exception) -> Generator[None, None, None]:
    """Hide the variable that OpenTelemetry stumbled over; raise anew when it was none."""
    if variable not in os.environ:
        raise error
    from nemo.lens.spans.discards import discard

    discard(
        "unusable provider",
        "%s names no provider that OpenTelemetry can load (%s); it counts as unset.",
        variable,
        type(error).__name__,
    )
    with hidden_variables([variable]):
        yield


def _version_and_schema(name: str) -> tuple[str | None, str | None]:
    if name != SCOPE_NAME:
        return None, None
    from nemo.lens.package_info import __version__
    from nemo.lens.semconv import SCHEMA_URL

    return __version__, SCHEMA_URL
