# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Export strategies: which ranks of a job export. Imports no OpenTelemetry SDK.

A strategy is a callable `(config, rank, world_size) -> bool`, chosen by name through
`<PREFIX>_EXPORT_STRATEGY` or given to `setup_telemetry` as it is.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.resources.identity import detect_identity

if TYPE_CHECKING:
    from nemo.lens.config import NemoLensConfig

__all__ = [
    "ExportStrategy",
    "all_ranks",
    "every_nth",
    "first_rank_per_node",
    "register_export_strategy",
    "registered_strategies",
    "sampled",
    "single_rank",
    "unregister_export_strategy",
]

ExportStrategy = Callable[[Any, int, int], bool]

# Messages about set-up come from one logger, whichever module holds the code.
_log = logging.getLogger("nemo.lens.handle")

_HASH_STEPS = 10_000
_lock = threading.RLock()
_custom: dict[str, ExportStrategy] = {}


def rank_hash(rank: int) -> float:
    """The place of a rank in [0, 1): `md5(str(rank)) % 10000 / 10000`, the same everywhere."""
    digest = hashlib.md5(str(rank).encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % _HASH_STEPS / _HASH_STEPS


def all_ranks(config: NemoLensConfig, rank: int, world_size: int) -> bool:
    """Export from every rank."""
    del config, rank, world_size
    return True


def single_rank(config: NemoLensConfig, rank: int, world_size: int) -> bool:
    """Export from `config.export_rank`; a negative one counts from the last rank."""
    wanted = config.export_rank
    return rank == (wanted if wanted >= 0 else world_size + wanted)


def sampled(config: NemoLensConfig, rank: int, world_size: int) -> bool:
    """Export from the ranks whose hash is below `config.export_sample_rate`.

    Kept for compatibility: the hash may select no rank of a small job. Prefer `every_nth`.
    """
    del world_size
    return rank_hash(rank) < config.export_sample_rate


def first_rank_per_node(config: NemoLensConfig, rank: int, world_size: int) -> bool:
    """Export from the process with local rank 0 on each node, as the launcher says.

    When no launcher names a local rank, the process counts as the first of its node.
    """
    del config, rank, world_size
    return not detect_identity().local_rank


def every_nth(config: NemoLensConfig, rank: int, world_size: int) -> bool:
    """Export from evenly spread ranks, `config.export_sample_rate` of them, but at least one.

    With `n = round(1 / rate)` the ranks `offset, offset + n, ...` export; the offset comes from a
    hash of the run id, so different runs load different nodes.
    """
    rate = config.export_sample_rate
    every = world_size if rate * world_size <= 1 else max(1, round(1 / rate))
    digest = hashlib.sha256(config.run_id.encode("utf-8", "surrogatepass")).digest()
    return rank % every == int.from_bytes(digest[:8], "big") % every


_BUILT_IN: dict[str, ExportStrategy] = {
    strategy.__name__: strategy
    for strategy in (all_ranks, single_rank, sampled, first_rank_per_node, every_nth)
}


def register_export_strategy(
    name: str, strategy: ExportStrategy, *, allow_override: bool = False
) -> None:
    """Make a strategy selectable by name.

    Args:
        name: Name for `<PREFIX>_EXPORT_STRATEGY`.
        strategy: Callable `(config, rank, world_size) -> bool`.
        allow_override: Replace an existing strategy of that name.

    Raises:
        ValueError: The name is empty, or taken and `allow_override` is false.
        TypeError: `strategy` is not callable.
    """
    if not name.strip():
        raise ValueError(f"export strategy name must be a non-empty string, got {name!r}")
    if not callable(strategy):
        raise TypeError(f"export strategy {name!r} must be callable, got {strategy!r}")
    with _lock:
        if not allow_override and (name in _custom or name in _BUILT_IN):
            raise ValueError(
                f"export strategy {name!r} is already registered; "
                "pass allow_override=True to replace it"
            )
        _custom[name] = strategy


def unregister_export_strategy(name: str) -> None:
    """Remove a registered strategy.

    Raises:
        ValueError: The strategy is built in, or is not registered.
    """
    with _lock:
        if name in _custom:
            del _custom[name]
        elif name in _BUILT_IN:
            raise ValueError(f"export strategy {name!r} is built in and cannot be unregistered")
        else:
            raise ValueError(
                f"export strategy {name!r} is not registered; known: {registered_strategies()}"
            )


def registered_strategies() -> list[str]:
    """Names of all strategies, sorted."""
    return sorted({*_BUILT_IN, *_custom})


def resolve_strategy(strategy: str | ExportStrategy) -> ExportStrategy:
    """Find a strategy by name; a callable is returned as it is.

    Raises:
        ValueError: No strategy has that name.
    """
    if callable(strategy):
        return strategy
    found = _custom.get(strategy) or _BUILT_IN.get(strategy)
    if found is None:
        raise ValueError(
            f"Unknown export_strategy {str(strategy)!r}: expected one of "
            f"{', '.join(registered_strategies())}, or a callable (config, rank, world_size)"
        )
    return found


def should_export(
    strategy: str | ExportStrategy, config: NemoLensConfig, rank: int, world_size: int
) -> bool:
    """Say whether this rank exports.

    Raises:
        ValueError: No strategy has that name.
    """
    decide = resolve_strategy(strategy)
    if decide is single_rank and rank == 0:
        _tell_of_nobody(config.export_rank, world_size)
    return bool(decide(config, rank, world_size))


def _tell_of_nobody(export_rank: int, world_size: int) -> None:
    """Say, in one process of the job, that none of them exports."""
    if not -world_size <= export_rank < world_size:
        _log.warning(
            "export_rank=%d is no rank of a job of %d: none of its ranks exports. Give one from %d "
            "to %d, pass the world_size of the job, or choose another export strategy",
            export_rank,
            world_size,
            -world_size,
            world_size - 1,
        )


@run_in_forked_child
def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()
