# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What this process's telemetry is, for the processes that it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens import handle
from nemo.lens.config import NemoLensConfig
from nemo.lens.configuration.problems import shown
from nemo.lens.semconv import (
    DL_RANK,
    DL_WORLD_SIZE,
    NV_DL_LOCAL_RANK,
    NV_DL_RANK,
    NV_DL_WORLD_SIZE,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemo.lens.handle import TelemetryHandle

_IDENTITY = (NV_DL_RANK, NV_DL_WORLD_SIZE, NV_DL_LOCAL_RANK, DL_RANK, DL_WORLD_SIZE)


def is_set_up() -> bool:
    """Say whether telemetry is set up in this process, and not shut down."""
    return _running() is not None


def exports() -> bool | None:
    """Say whether this process exports; None while its telemetry is not set up."""
    running = _running()
    return None if running is None else running.is_exporting


def check_config(caller: str, config: object) -> None:
    """Raise for what is no configuration.

    Raises:
        TypeError: It names the caller, what was given, and what is accepted.
    """
    if not isinstance(config, NemoLensConfig):
        raise TypeError(
            f"{caller}: `config` must be a NemoLensConfig, such as NemoLensConfig.from_env() "
            f"gives, got {shown(config)}"
        )


def own_identity() -> dict[str, Any]:
    """Return rank and size as the resource of this process has them; empty without a rank."""
    from opentelemetry.trace import get_tracer_provider

    resource = getattr(get_tracer_provider(), "resource", None)
    attributes: Mapping[str, Any] = getattr(resource, "attributes", {})
    if NV_DL_RANK not in attributes:
        return {}
    return {name: attributes[name] for name in _IDENTITY if name in attributes}


def _running() -> TelemetryHandle | None:
    running: TelemetryHandle | None = vars(handle)["_running"]()
    return running
