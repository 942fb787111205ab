# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong only later: forked workers, compiled regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from packaging.version import InvalidVersion, Version

from nemo.lens.cli.doctor.endpoints import endpoints_of
from nemo.lens.cli.doctor.findings import Finding, Verdict
from nemo.lens.sdk.exporters.otlp_variables import GRPC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.cli.doctor.situation import Situation

_FORK_SUPPORT: Final = "GRPC_ENABLE_FORK_SUPPORT"
_FALSE: Final = frozenset({"0", "false", "no", "off"})
_FIRST_TORCH: Final = Version("2.1")


def forks(situation: Situation) -> Iterator[Finding]:
    """Can forked workers export, such as those of a DataLoader?"""
    if not situation.is_meant_to_record:
        return
    over_grpc = [each.signal for each in endpoints_of(situation) if each.protocol == GRPC]
    if over_grpc and situation.environ.get(_FORK_SUPPORT, "").strip().lower() in _FALSE:
        yield Finding(
            "forks",
            Verdict.WARNING,
            f"{_FORK_SUPPORT} is off: workers that are forked, as those of a DataLoader are, can "
            f"hang in gRPC when they export {', '.join(over_grpc)}",
            f"unset {_FORK_SUPPORT}, or export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        )


def torch(situation: Situation) -> Iterator[Finding]:
    """Does the installed torch say when it compiles? Spans keep out of compiled regions."""
    installed = situation.interpreter.installed("torch")
    try:
        version = None if installed is None else Version(installed.version)
    except InvalidVersion:
        return
    if version is not None and version < _FIRST_TORCH:
        yield Finding(
            "torch",
            Verdict.WARNING,
            f"torch {version} cannot be asked whether it compiles; spans inside of compiled "
            "regions break their graphs",
            f"Use torch {_FIRST_TORCH} or newer, or keep spans out of what is compiled.",
        )
