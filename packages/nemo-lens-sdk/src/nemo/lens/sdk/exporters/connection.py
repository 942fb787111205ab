# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What an OTLP exporter connects with, checked before the official class reads it.

What is good for one protocol may be bad for another, which no table of variables can know. The
official classes meet such values with an exception in the middle of set-up, or with failures of
every export.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.configuration.entry_points import EntryPoints
from nemo.lens.configuration.foreign_variables import read_foreign_variable, warn_once
from nemo.lens.configuration.otlp_value_types import headers_for_grpc, is_http_url
from nemo.lens.configuration.problems import shown
from nemo.lens.sdk.exporters.otlp_variables import GRPC, names
from nemo.lens.sdk.exporters.tls_files import unusable_files

if TYPE_CHECKING:
    from nemo.lens.sdk.exporters.otlp_variables import Signal

_PROVIDERS: Final = {
    "http": ("OTEL_PYTHON_EXPORTER_OTLP_HTTP", "requests", "Session"),
    "grpc": ("OTEL_PYTHON_EXPORTER_OTLP_GRPC", "grpc", "ChannelCredentials"),
}
_ENTRY_POINTS: Final = "opentelemetry_otlp_credential_provider"


def usable_variables(signal: Signal, protocol: str) -> dict[str, str | None]:
    """Say which variables the exporter of a signal must see with another value, or not at all.

    Each bad value is one warning in a process.

    Args:
        signal: The signal.
        protocol: The protocol that was chosen for it.

    Returns:
        The variables and their values meanwhile; None for unset.
    """
    changes: dict[str, str | None] = {}
    # What these say is passed as arguments: older exporters take whole seconds only, and the
    # entry points of credentials are loaded here.
    for setting, prefix in (
        ("TIMEOUT", "OTEL_EXPORTER_OTLP"),
        *(("CREDENTIAL_PROVIDER", prefix) for prefix, _module, _kind in _PROVIDERS.values()),
    ):
        changes |= dict.fromkeys(names(signal, setting, of=prefix))
    if protocol == GRPC:
        changes |= _headers_for_grpc(signal)
    else:
        changes |= _endpoints_without_http(signal)
    return changes | unusable_files(signal, protocol)


def credentials_for(signal: Signal, transport: str) -> Any:
    """Give what the entry point that a variable names makes to authenticate with.

    Args:
        signal: The signal.
        transport: `"http"` for a session of `requests`, `"grpc"` for channel credentials.

    Returns:
        The session or credentials; None when no variable names any, or what it names does not
        give one, which is one warning in a process.
    """
    prefix, module, kind = _PROVIDERS[transport]
    for variable in names(signal, "CREDENTIAL_PROVIDER", of=prefix):
        name = read_foreign_variable(variable)
        if name is None:
            continue
        try:
            made = EntryPoints(_ENTRY_POINTS).load(name)()
        except Exception as error:
            _refuse(variable, name, f"It raised {type(error).__name__}: {error}.")
            continue
        if isinstance(made, getattr(import_module(module), kind)):
            return made
        _refuse(
            variable,
            name,
            f"It gave an object of type {type(made).__name__}, expected {module}.{kind}.",
        )
    return None


def _refuse(variable: str, value: str, reason: str) -> None:
    warn_once(variable, f"Invalid value for {variable}: {shown(value)}. {reason}")


def _endpoints_without_http(signal: Signal) -> dict[str, None]:
    changes: dict[str, None] = {}
    for variable in names(signal, "ENDPOINT"):
        endpoint = os.environ.get(variable)
        if endpoint and is_http_url(endpoint):
            break
        if endpoint:
            changes[variable] = None
            _refuse(variable, endpoint, "Over HTTP it must begin with 'http://' or 'https://'.")
    return changes


def _headers_for_grpc(signal: Signal) -> dict[str, str]:
    for variable in names(signal, "HEADERS"):
        text = os.environ.get(variable)
        if text is None:
            continue
        remains = headers_for_grpc(text)
        if remains == text:
            break
        warn_once(
            variable,
            f"Invalid headers for {variable}: [REDACTED]. Over gRPC names are of lower-case "
            "letters, digits, '_', '-' and '.', do not end in '-bin', and values are ASCII.",
            remains,
        )
        return {variable: remains}
    return {}
