# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where OTLP is sent, as the exporters of OpenTelemetry understand their variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from nemo.lens.cli.doctor.wire import Address, Speech
from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.sdk.exporters.otlp_variables import GRPC, protocol_of
from nemo.lens.spans.url_credentials import without_url_credentials

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.cli.doctor.situation import Situation
    from nemo.lens.sdk.exporters.otlp_variables import Signal

_SIGNALS: Final[tuple[Signal, ...]] = ("traces", "metrics", "logs")
GRPC_PORT: Final = 4317
HTTP_PORT: Final = 4318
_PREFIX: Final = "OTEL_EXPORTER_OTLP"
_SCHEME_PORTS: Final = {"https": 443, "http": 80}


class Endpoint(NamedTuple):
    """One place that OTLP is sent to.

    Attributes:
        signal: What is sent there.
        protocol: As `OTEL_EXPORTER_OTLP_PROTOCOL` calls it.
        url: As it was given, without credentials.
        variable: The variable that says so, "" for the default.
        address: Host and port, None where there is none, as with a Unix socket.
        tls: Whether the exporter speaks TLS.
    """

    signal: str
    protocol: str
    url: str
    variable: str
    address: Address | None
    tls: bool

    @property
    def speech(self) -> Speech:
        """What should be spoken there."""
        return Speech.GRPC if self.protocol == GRPC else Speech.HTTP

    @property
    def proxy(self) -> str:
        """The proxy on the way there, "" for none."""
        if self.address is None or proxy_bypass(self.address.host):
            return ""
        return getproxies().get("https" if self.tls else "http", "")

    @property
    def named(self) -> str:
        """Where it is and who says so."""
        return f"{self.url} ({self.variable or 'the default: no variable names an endpoint'})"


def endpoints_of(situation: Situation) -> list[Endpoint]:
    """Where the signals that go out over OTLP are sent."""
    signals = situation.signals_to("otlp")
    return [endpoint_of(signal) for signal in _SIGNALS if signal in signals]


def endpoint_of(signal: Signal) -> Endpoint:
    """Where `signal` is sent."""
    protocol = protocol_of(signal)
    own = f"{_PREFIX}_{signal.upper()}_ENDPOINT"
    variable = next(
        (name for name in (own, f"{_PREFIX}_ENDPOINT") if read_foreign_variable(name)), ""
    )
    default_port = GRPC_PORT if protocol == GRPC else HTTP_PORT
    url: str = (read_foreign_variable(variable) if variable else "") or (
        f"http://localhost:{default_port}"
    )
    # OpenTelemetry takes what stands before the first colon for the scheme of a gRPC endpoint.
    parts = urlsplit(url if "//" in url else f"//{url}")
    return Endpoint(
        signal=signal,
        protocol=protocol,
        url=without_url_credentials(url),
        variable=variable,
        address=_address(parts.hostname, _port_of(parts), parts.scheme, default_port),
        tls=parts.scheme == "https"
        or (parts.scheme != "http" and protocol == GRPC and not _is_insecure(signal)),
    )


def by_place(endpoints: Iterable[Endpoint]) -> list[list[Endpoint]]:
    """Endpoints that are the same place, together."""
    places: dict[object, list[Endpoint]] = {}
    for each in endpoints:
        places.setdefault((each.protocol, each.address, each.tls), []).append(each)
    return list(places.values())


def _port_of(parts: object) -> int | None:
    try:
        port: int | None = getattr(parts, "port", None)
    except ValueError:  # no number, or one that is too large
        return None
    return port


def _address(host: str | None, port: int | None, scheme: str, default: int) -> Address | None:
    if not host or scheme == "unix":
        return None
    return Address(host, port or _SCHEME_PORTS.get(scheme, default))


def _is_insecure(signal: str) -> bool:
    names = (f"{_PREFIX}_{signal.upper()}_INSECURE", f"{_PREFIX}_INSECURE")
    texts = (os.environ.get(name) for name in names)
    return next((text for text in texts if text is not None), "").lower() == "true"
