# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A tracer or a meter of whatever providers are installed in the process now."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    return metrics.get_meter(name, version or "", schema_url=schema_url)


def _version_and_schema(name: str) -> tuple[str | None, str | None]:
    if name != SCOPE_NAME:
        return None, None
    from nemo.lens.package_info import __version__
    from nemo.lens.semconv import SCHEMA_URL

    return __version__, SCHEMA_URL
