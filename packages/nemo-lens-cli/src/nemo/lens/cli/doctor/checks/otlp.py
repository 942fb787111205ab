# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whether OTLP arrives: somebody listens, speaks the right protocol, and takes what is sent."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Final

from nemo.lens.cli.doctor.delivery import deliver
from nemo.lens.cli.doctor.endpoints import (
    GRPC_PORT,
    HTTP_PORT,
    Endpoint,
    by_place,
    endpoints_of,
)
from nemo.lens.cli.doctor.findings import Finding, Verdict
from nemo.lens.cli.doctor.wire import Address, Speech, what_speaks
from nemo.lens.sdk.exporters.otlp_variables import GRPC, HTTP_PROTOBUF

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nemo.lens.cli.doctor.situation import Situation

_PROTOCOL: Final = "OTEL_EXPORTER_OTLP_PROTOCOL"
_PROTOCOL_OF: Final = {Speech.GRPC: GRPC, Speech.HTTP: HTTP_PROTOBUF}
_NEIGHBOUR_S: Final = 1.0


def otlp(situation: Situation) -> Iterator[Finding]:
    """Do the endpoints answer as they should, and does a test item of each signal arrive?"""
    if not situation.is_meant_to_record:
        return
    endpoints = endpoints_of(situation)
    if not endpoints:
        return
    if situation.question.offline:
        yield Finding("endpoint", Verdict.NOTE, "No endpoint was tried, because of --offline")
        return
    places = by_place(endpoints)
    findings = [_listen(place, situation.question.timeout_s) for place in places]
    yield from findings
    if any(finding.verdict is Verdict.LOSS for finding in findings):
        return
    yield from deliver(situation, "otlp")


def _listen(place: Sequence[Endpoint], timeout_s: float) -> Finding:
    endpoint = place[0]
    sent = f"{', '.join(each.signal for each in place)} over {endpoint.protocol}"
    if endpoint.address is None:
        return _note(f"{endpoint.named} was not tried on its own: it names no host and port")
    if endpoint.proxy:
        return _note(f"{endpoint.named} was not tried on its own: a proxy is on the way")
    try:
        spoken = what_speaks(
            endpoint.address, tls=endpoint.tls, first=endpoint.speech, timeout_s=timeout_s
        )
    except OSError as error:
        return Finding(
            "endpoint",
            Verdict.LOSS,
            f"Nothing answers at {endpoint.named}, where {sent} should go: {_reason(error)}",
            _advice_where(endpoint, error),
        )
    if spoken is endpoint.speech:
        return Finding("endpoint", Verdict.FINE, f"{endpoint.named} speaks {spoken.value}: {sent}")
    if spoken is Speech.NOTHING_KNOWN:
        return Finding(
            "endpoint",
            Verdict.WARNING,
            f"Something listens at {endpoint.named}, but answers neither gRPC nor HTTP",
            "Whether it takes telemetry, the test delivery shows.",
        )
    return Finding(
        "endpoint",
        Verdict.LOSS,
        f"{endpoint.named} speaks {spoken.value} and does not understand {sent}",
        _advice_how(endpoint, endpoint.address, spoken),
    )


def _note(title: str) -> Finding:
    return Finding("endpoint", Verdict.NOTE, title, "The test delivery shows whether it works.")


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "the name of the host is not known"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return error.strerror or str(error)


def _advice_where(endpoint: Endpoint, error: OSError) -> str:
    variable = endpoint.variable or "OTEL_EXPORTER_OTLP_ENDPOINT"
    found = _neighbour(endpoint) if isinstance(error, ConnectionRefusedError) else ""
    if found:
        return f"{found}: correct {variable}."
    return (
        f"Start a collector there, or name another endpoint in {variable}. "
        "Without a collector: NEMO_LENS_EXPORTER=file."
    )


def _neighbour(endpoint: Endpoint) -> str:
    """The usual port of the same host that does speak something, in words."""
    if endpoint.address is None:
        return ""
    for port in {GRPC_PORT, HTTP_PORT} - {endpoint.address.port}:
        address = Address(endpoint.address.host, port)
        try:
            spoken = what_speaks(
                address, tls=endpoint.tls, first=endpoint.speech, timeout_s=_NEIGHBOUR_S
            )
        except OSError:
            continue
        if spoken in _PROTOCOL_OF:
            return f"{address} speaks {spoken.value} ({_PROTOCOL}={_PROTOCOL_OF[spoken]})"
    return ""


def _advice_how(endpoint: Endpoint, address: Address, spoken: Speech) -> str:
    variable = endpoint.variable or "OTEL_EXPORTER_OTLP_ENDPOINT"
    if spoken is Speech.TLS:
        return f"Write https:// in {variable}."
    if spoken is Speech.PLAIN:
        return f"Write http:// before the host: {variable}=http://{address}"
    other = HTTP_PORT if spoken is Speech.GRPC else GRPC_PORT
    return (
        f"export {_PROTOCOL}={_PROTOCOL_OF[spoken]}, or name the port that speaks "
        f"{endpoint.speech.value}, usually {other}"
    )
