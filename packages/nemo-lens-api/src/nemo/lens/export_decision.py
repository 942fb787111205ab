# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whether this process exports: what set-up was told about ranks, and what a strategy makes of it."""

from __future__ import annotations

import logging
import operator
from typing import TYPE_CHECKING, Any

from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nemo.lens.config import NemoLensConfig

    ExportStrategy = str | Callable[[Any, int, int], bool]

# Messages about set-up come from one logger, whichever module holds the code.
_log = logging.getLogger("nemo.lens.handle")


class _NotGiven:
    """The default of `rank` and `world_size`, which tells "not given" from every value."""

    def __repr__(self) -> str:
        return "<not given>"


NOT_GIVEN: Any = _NotGiven()


def decides_to_export(
    config: NemoLensConfig,
    rank: int | None,
    world_size: int | None,
    resource_attributes: Mapping[str, Any] | None,
    strategy: ExportStrategy | None,
    *,
    load_strategies: Callable[[], Callable[..., bool]],
) -> bool:
    """Decide as `setup_telemetry` documents it; arguments as there, ranks checked already.

    `load_strategies` gives what asks a strategy; it is called when one has to be asked.

    Raises:
        ValueError: No strategy has the chosen name.
        ImportError: A strategy has to be asked and `nemo-lens-sdk` is not installed.
    """
    chosen: ExportStrategy | None = strategy
    if chosen is None and config.is_explicit("export_strategy"):
        chosen = config.export_strategy
    if rank is None:
        if chosen is None:
            return True
        rank, world_size = _known_rank(resource_attributes)
        if rank is None:
            _log.warning(
                "the export strategy %r needs a rank and none is known: this process exports. "
                "Pass rank= to setup_telemetry, or set nv.dl.rank in resource_attributes or in "
                "OTEL_RESOURCE_ATTRIBUTES",
                chosen if isinstance(chosen, str) else getattr(chosen, "__name__", chosen),
            )
            return True
    should_export = load_strategies()
    size = world_size if world_size is not None else _detected_world_size(rank)
    return should_export(chosen or config.export_strategy, config, rank, size)


def _known_rank(resource_attributes: Mapping[str, Any] | None) -> tuple[int | None, int | None]:
    from nemo.lens.resources.attributes import get_otel_resource_attributes

    known = {**get_otel_resource_attributes(), **(resource_attributes or {})}
    return _usable(known.get(NV_DL_RANK), 0), _usable(known.get(NV_DL_WORLD_SIZE), 1)


def _usable(value: Any, least: int) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError):
        return None
    return number if number >= least else None


def _detected_world_size(rank: int) -> int:
    from nemo.lens.resources.identity import detect_identity

    detected = detect_identity()
    return detected.world_size if detected.rank == rank and detected.world_size else 1


def checked_count(name: str, value: Any, *, least: int) -> int | None:
    """Read a rank or a number of ranks; digits as text count too.

    Args:
        name: Name of the argument of `setup_telemetry`.
        value: What was given; None counts as not given.
        least: The smallest usable number.

    Returns:
        The number, or None when none was given.

    Raises:
        ValueError: The value is no whole number of at least `least`.
    """
    if value is NOT_GIVEN or value is None:
        return None
    try:
        number = int(value) if isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError):
        number = least - 1
    if number < least:
        raise ValueError(
            f"setup_telemetry: {name}={value!r} is not usable; expected a whole number of at least "
            f"{least}, or leave {name} out"
        )
    return number
