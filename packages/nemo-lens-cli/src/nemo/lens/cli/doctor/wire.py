# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What speaks at the other end of a connection: gRPC, HTTP/1.1, TLS, or nothing that answers.

A few bytes tell. A server of HTTP/2, over which gRPC runs, answers the preface of a connection with
a SETTINGS frame; a server of HTTP/1.1 answers a request with its own version; a server that wants
TLS answers plain text with a TLS alert or not at all, and takes a handshake.
"""

from __future__ import annotations

import socket
import ssl
from contextlib import closing
from enum import Enum
from typing import Final, NamedTuple

_SETTINGS: Final = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # an empty frame of type 4 on stream 0
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _SETTINGS
_REQUEST: Final = (
    b"GET / HTTP/1.1\r\nHost: %s\r\nUser-Agent: nemo-lens\r\nConnection: close\r\n\r\n"
)
_HEADER_BYTES: Final = 9
_TYPE_BYTE: Final = 3
_LONGEST_ANSWER_S: Final = 2.0


class Speech(Enum):
    """What a server speaks."""

    GRPC = "gRPC"
    HTTP = "HTTP/1.1"
    TLS = "TLS"
    PLAIN = "plain text, without TLS"
    NOTHING_KNOWN = "nothing that was understood"


class Address(NamedTuple):
    """Where a server should be."""

    host: str
    port: int

    def __str__(self) -> str:
        """Give it as it stands in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def what_speaks(address: Address, *, tls: bool, first: Speech, timeout_s: float) -> Speech:
    """Ask a server what it speaks.

    Args:
        address: Where it is.
        tls: Whether to speak TLS with it. Its certificate is not checked, nothing secret is sent.
        first: What to try first, `GRPC` or `HTTP`; a server may speak both.
        timeout_s: Longest wait for the connection in seconds.

    Raises:
        OSError: There is no connection.
    """
    for speech in sorted(_ATTEMPTS, key=lambda each: each is not first):
        with closing(socket.create_connection(address, timeout_s)) as plain:
            plain.settimeout(min(timeout_s, _LONGEST_ANSWER_S))
            try:
                with closing(_with_tls(plain, address, speech) if tls else plain) as connection:
                    if _ATTEMPTS[speech](connection, address):
                        return speech
            except OSError:  # no handshake, or it hung up, or did not answer
                continue
    if tls:
        other = what_speaks(address, tls=False, first=first, timeout_s=timeout_s)
        return Speech.PLAIN if other in _ATTEMPTS else Speech.NOTHING_KNOWN
    return Speech.TLS if _takes_tls(address, timeout_s) else Speech.NOTHING_KNOWN


def _speaks_grpc(connection: socket.socket, _address: Address) -> bool:
    connection.sendall(_PREFACE)
    header = _receive(connection, _HEADER_BYTES)
    return len(header) == _HEADER_BYTES and header[_TYPE_BYTE:] == _SETTINGS[_TYPE_BYTE:]


def _speaks_http(connection: socket.socket, address: Address) -> bool:
    connection.sendall(_REQUEST % str(address).encode("ascii", "replace"))
    return _receive(connection, len(b"HTTP/1.")) == b"HTTP/1."


_ATTEMPTS: Final = {Speech.GRPC: _speaks_grpc, Speech.HTTP: _speaks_http}


def _receive(connection: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        part = connection.recv(count - len(received))
        if not part:
            break
        received += part
    return received


def _takes_tls(address: Address, timeout_s: float) -> bool:
    try:
        with closing(socket.create_connection(address, timeout_s)) as plain:
            plain.settimeout(min(timeout_s, _LONGEST_ANSWER_S))
            _with_tls(plain, address, Speech.GRPC).close()
    except OSError:
        return False
    return True


def _with_tls(plain: socket.socket, address: Address, speech: Speech) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"] if speech is Speech.GRPC else ["http/1.1"])
    return context.wrap_socket(plain, server_hostname=address.host)
