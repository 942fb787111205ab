# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The whole resource of a process, composed in one order of precedence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def compose_resource(
    config: Any,
    *,
    rank: int | None = None,
    world_size: int | None = None,
    resource_attributes: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> dict[str, str | bool | int | float]:
    """Compose the resource: caller, then config, then environment, then detection."""
    environment = os.environ if environ is None else environ
    resource: dict[str, str | bool | int | float] = {"process.pid": os.getpid()}
    resource["service.name"] = environment.get("OTEL_SERVICE_NAME") or config.service_name
    if rank is not None:
        resource |= {"dl.rank": rank, "nv.dl.rank": rank}
        resource["service.instance.id"] = f"{config.run_id}-rank{rank}"
    if world_size is not None:
        resource |= {"dl.world_size": world_size, "nv.dl.world_size": world_size}
    return resource | dict(resource_attributes or {})
