# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whether this process exports: what a strategy makes of its rank."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nemo.lens.config import NemoLensConfig

    ExportStrategy = str | Callable[[Any, int, int], bool]

# Messages about set-up come from one logger, whichever module holds the code.
_log = logging.getLogger("nemo.lens.handle")


def decides_to_export(
    config: NemoLensConfig,
    rank: int | None,
    world_size: int | None,
    resource_attributes: Mapping[str, Any] | None,
    strategy: ExportStrategy | None,
    *,
    load_strategies: Callable[[], Any],
) -> bool:
    """Decide as `setup_telemetry` documents it; arguments as there, ranks checked already.

    `load_strategies` gives the module of the strategies; it is called when one was chosen, or has
    to be asked.

    Raises:
        ValueError: No strategy has the chosen name.
        ImportError: The strategies are needed and `nemo-lens-sdk` is not installed.
    """
    chosen: ExportStrategy | None = strategy
    if chosen is None and config.is_explicit("export_strategy"):
        chosen = config.export_strategy
    if rank is None:
        if chosen is None:
            return True
        from nemo.lens.resources.stated_identity import stated_identity

        rank, world_size = stated_identity(resource_attributes)
        if rank is None:
            load_strategies().resolve_strategy(chosen)  # a typo is one without a rank, too
            _log.warning(
                "the export strategy %r needs a rank and none is known: this process exports. "
                "Pass rank= to setup_telemetry, or set nv.dl.rank in resource_attributes or in "
                "OTEL_RESOURCE_ATTRIBUTES",
                chosen if isinstance(chosen, str) else getattr(chosen, "__name__", chosen),
            )
            return True
    size = world_size if world_size is not None else _detected_world_size(rank)
    strategies = load_strategies()
    exports: bool = strategies.should_export(chosen or config.export_strategy, config, rank, size)
    return exports


def _detected_world_size(rank: int) -> int:
    from nemo.lens.resources.identity import detect_identity

    detected = detect_identity()
    return detected.world_size if detected.rank == rank and detected.world_size else 1
