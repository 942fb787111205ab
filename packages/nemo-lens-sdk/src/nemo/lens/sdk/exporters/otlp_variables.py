# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's variables of the OTLP exporters, as they apply to one signal."""

from __future__ import annotations

from typing import Any, Final, Literal
from urllib.parse import urlsplit

from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.configuration.otlp_value_types import is_http_url

Signal = Literal["traces", "metrics", "logs"]
GRPC, HTTP_PROTOBUF, HTTP_JSON = "grpc", "http/protobuf", "http/json"
COMMON_PREFIX: Final = "OTEL_EXPORTER_OTLP"

_HTTP_PORT, _GRPC_PORT = 4318, 4317


def names(signal: Signal, setting: str, *, of: str = COMMON_PREFIX) -> tuple[str, str]:
    """Give the variable of a signal, and the one that all signals share."""
    return f"{of}_{signal.upper()}_{setting}", f"{of}_{setting}"


def read(signal: Signal, setting: str, *, of: str = COMMON_PREFIX) -> Any:
    """Read the variable of a signal, else the one that all signals share; None without either."""
    own, common = names(signal, setting, of=of)
    value = read_foreign_variable(own)
    return read_foreign_variable(common) if value is None else value


def endpoint_of(signal: Signal, protocol: str = GRPC) -> str:
    """Give the endpoint that was set and that a protocol can use, "" when none was."""
    for variable in names(signal, "ENDPOINT"):
        endpoint: str | None = read_foreign_variable(variable)
        if endpoint and (protocol == GRPC or is_http_url(endpoint)):
            return endpoint
    return ""


def protocol_of(signal: Signal) -> str:
    """Choose the protocol of a signal.

    The signal's own variable wins over the common one. Without either, an endpoint on port 4318 or
    with a `/v1/` path means HTTP, anything else gRPC. An unknown protocol counts as none, with one
    warning that lists the valid ones.
    """
    protocol: str | None = read(signal, "PROTOCOL")
    if protocol:
        return protocol
    endpoint = endpoint_of(signal)
    return HTTP_PROTOBUF if _port(endpoint) == _HTTP_PORT or "/v1/" in endpoint else GRPC


def uses_tls(signal: Signal, protocol: str) -> bool:
    """Say whether the official exporter will speak TLS."""
    scheme = urlsplit(endpoint_of(signal, protocol) or "http://localhost").scheme
    if protocol != GRPC or scheme == "https":
        return scheme == "https"
    insecure: str | None = read(signal, "INSECURE")
    return scheme != "http" if insecure is None else insecure == "false"


def hint(endpoint: str, protocol: str) -> str:
    """Say what to change when a port usually speaks another protocol; "" when it does not."""
    port = _port(endpoint)
    if port == _HTTP_PORT and protocol == GRPC:
        return (
            f"; port {_HTTP_PORT} usually speaks HTTP: set OTEL_EXPORTER_OTLP_PROTOCOL="
            f"{HTTP_PROTOBUF} or use port {_GRPC_PORT}"
        )
    if port == _GRPC_PORT and protocol != GRPC:
        return (
            f"; port {_GRPC_PORT} usually speaks gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL={GRPC} "
            f"or use port {_HTTP_PORT}"
        )
    return ""


def _port(endpoint: str) -> int | None:
    try:
        return urlsplit(endpoint if "//" in endpoint else f"//{endpoint}").port
    except ValueError:  # a target of gRPC may have other colons
        return None
