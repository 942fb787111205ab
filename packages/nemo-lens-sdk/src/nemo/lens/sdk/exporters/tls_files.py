# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The certificate files of an OTLP exporter, looked at before OpenTelemetry reads them.

A missing file is a traceback over gRPC, an exception for a folder, and an abort of the process for
half of a client's pair; over HTTP every export fails.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from nemo.lens.configuration.foreign_variables import warn_once
from nemo.lens.configuration.problems import shown
from nemo.lens.sdk.exporters.otlp_variables import GRPC, names, uses_tls

if TYPE_CHECKING:
    from nemo.lens.sdk.exporters.otlp_variables import Signal

_PEM = "-----BEGIN"
_AUTHORITY, _CLIENT, _KEY = "CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"


def unusable_files(signal: Signal, protocol: str) -> dict[str, None]:
    """Find the variables of files that the exporter of a signal must not see.

    They are those with a bad file, one warning for each in a process, and all of them when the
    exporter speaks no TLS.

    Args:
        signal: The signal.
        protocol: The protocol that was chosen for it.
    """
    variables = {
        variable: setting
        for setting in (_AUTHORITY, _CLIENT, _KEY)
        for variable in names(signal, setting)
    }
    if not uses_tls(signal, protocol):
        return dict.fromkeys(variables)
    files = {name: path for name in variables if (path := os.environ.get(name))}
    bad = {
        name: problem
        for name, path in files.items()
        if (problem := _problem_of_file(path, variables[name], protocol))
    }
    for name, problem in bad.items():
        _refuse(name, files.pop(name), problem)
    hidden = dict.fromkeys(bad)
    problem = _problem_of_client(signal, protocol, files)
    if problem:
        client = (*names(signal, _CLIENT), *names(signal, _KEY))
        if not bad:
            first = next(name for name in client if name in files)
            _refuse(first, files[first], problem)
        hidden |= dict.fromkeys(client)
    return hidden


def _refuse(variable: str, path: str, problem: str) -> None:
    got = "[REDACTED]" if _PEM in path else shown(path)
    warn_once(variable, f"Invalid file for {variable}: {got}. {problem}")


def _problem_of_file(path: str, setting: str, protocol: str) -> str:
    if _PEM in path:
        return "Expected a path to a file in PEM format, and got what such a file holds."
    file = Path(path)
    may_be_folder = setting == _AUTHORITY and protocol != GRPC
    try:
        if file.is_fifo() or (may_be_folder and file.is_dir()):
            # What a shell hands over as `<(command)` can be read once.
            return ""
        with file.open("rb") as content:
            content.read(1)
        if setting == _AUTHORITY:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except (OSError, ValueError) as error:
        # Not the error itself, which repeats the path, however long.
        reason = getattr(error, "strerror", None) or error
        return f"Expected a readable file in PEM format ({reason})."
    return ""


def _problem_of_client(signal: Signal, protocol: str, files: dict[str, str]) -> str:
    """Say what is wrong with the pair of certificate and key that the exporter would take."""
    certificate, key = _client_files(signal, protocol, files)
    if protocol == GRPC and bool(certificate) != bool(key):
        return "Expected both a certificate and its key, and only one of them is there."
    if not certificate:
        return ""
    try:
        # Without the argument a terminal would be asked for the password of an encrypted key.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:
        return f"Expected a certificate and its key in PEM format, not encrypted ({error})."
    return ""


def _client_files(
    signal: Signal, protocol: str, files: dict[str, str]
) -> tuple[str | None, str | None]:
    authorities, certificates, keys = (
        [files.get(name) for name in names(signal, setting)]
        for setting in (_AUTHORITY, _CLIENT, _KEY)
    )
    if protocol != GRPC:
        return certificates[0] or certificates[1], keys[0] or keys[1]
    # Over gRPC the three go together, and count with an authority only.
    for authority, certificate, key in zip(authorities, certificates, keys, strict=True):
        if authority:
            return certificate, key
    return None, None
