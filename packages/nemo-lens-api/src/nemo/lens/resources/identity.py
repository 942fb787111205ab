# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Who this process is among the ranks of its job.

Launchers are asked in this order, and the first that names a rank decides:

1. `OTEL_RESOURCE_ATTRIBUTES` (`nv.dl.rank` and its siblings): somebody said so on purpose.
2. torchrun, and everything that speaks its variables (`RANK`, `WORLD_SIZE`, `LOCAL_RANK`), such as
   the elastic launcher and Ray Train. It runs inside of the other launchers, so it wins over them.
3. `mpirun` of Open MPI, MVAPICH, and MPICH or Intel MPI. It runs inside of a SLURM job too.
4. `srun`, inside of a job step only: in the batch script, `SLURM_PROCID` is always 0.

A worker of Ray inherits the variables of 3 and 4 from the node daemon that started it. They
describe the daemon, so they do not count there.

Sizes and local ranks count only from sources that agree on the rank. A `LOCAL_RANK` without a
`RANK` agrees with all of them: it was set for this very process, inside of every other launcher.
"""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nemo.lens import semconv
from nemo.lens.resources import variables
from nemo.lens.resources.attributes import get_otel_resource_attributes
from nemo.lens.resources.environment import (
    clean_text,
    environment_of,
    parse_count,
    read_identity,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Identity", "detect_identity"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Identity:
    """The place of this process in its job; None where nothing tells."""

    rank: int | None = None
    """The rank in the whole job, counted from 0."""
    world_size: int | None = None
    """The number of ranks in the whole job; above `rank` where both are known."""
    local_rank: int | None = None
    """The rank among the processes of the node, counted from 0."""
    role: str | None = None
    """What the process does, as `nv.dl.role` in `OTEL_RESOURCE_ATTRIBUTES` says."""
    restart: int | None = None
    """How many times torchrun restarted the workers or, without torchrun, SLURM requeued the job."""
    attempt: str = ""
    """What tells this attempt from the others of the run; empty for the first.

    `2` is the second restart or requeue; `1.2` is the second restart after one requeue.
    """


@dataclass(frozen=True)
class _Launcher:
    """The variables by which one launcher tells a process who it is."""

    rank: tuple[str, ...]
    world_size: tuple[str, ...]
    local_rank: tuple[str, ...]

    def read(self, environ: Mapping[str, str]) -> Identity:
        return Identity(
            rank=read_identity(environ, *self.rank),
            world_size=read_identity(environ, *self.world_size),
            local_rank=read_identity(environ, *self.local_rank),
        )


_TORCHRUN = _Launcher(variables.RANK, variables.WORLD_SIZE, variables.LOCAL_RANK)
_MPI = (
    _Launcher(variables.OPEN_MPI_RANK, variables.OPEN_MPI_SIZE, variables.OPEN_MPI_LOCAL_RANK),
    _Launcher(variables.MVAPICH_RANK, variables.MVAPICH_SIZE, variables.MVAPICH_LOCAL_RANK),
    _Launcher(variables.PMI_RANK, variables.PMI_SIZE, variables.PMI_LOCAL_RANK),
)
_SRUN = _Launcher(
    variables.SRUN_RANK,
    (*variables.SRUN_STEP_SIZE, *variables.TASK_COUNT),
    variables.SRUN_LOCAL_RANK,
)


def detect_identity(environ: Mapping[str, str] | None = None) -> Identity:
    """Read the identity of this process from the variables of its launcher.

    Variables that hold no number of 0 or more count as absent, with one WARNING each. It costs some
    ten dict look-ups and never raises.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        What the launchers tell, in the order that stands at the top of this module.
    """
    environment = environment_of(environ)
    published = _published(environment)
    torchrun = _TORCHRUN.read(environment)
    outer = list(_launched_outside(environment))
    rank = next((s.rank for s in (published, torchrun, *outer) if s.rank is not None), None)
    agreeing = [published, *(source for source in (torchrun, *outer) if source.rank == rank)]
    near = [published, torchrun] if torchrun.rank is None else []
    restart, attempt = _restarts(environment)
    return Identity(
        rank=rank,
        world_size=_world_size(rank, agreeing),
        local_rank=_first_local_rank([*near, *agreeing]),
        role=published.role,
        restart=restart,
        attempt=attempt,
    )


def _published(environ: Mapping[str, str]) -> Identity:
    attributes = get_otel_resource_attributes(environ=environ)
    role = attributes.get(semconv.NV_DL_ROLE, "").strip()
    return Identity(
        rank=parse_count(attributes.get(semconv.NV_DL_RANK, "")),
        world_size=parse_count(attributes.get(semconv.NV_DL_WORLD_SIZE, "")) or None,
        local_rank=parse_count(attributes.get(semconv.NV_DL_LOCAL_RANK, "")),
        role=clean_text(role) or None,
    )


def _launched_outside(environ: Mapping[str, str]) -> Iterator[Identity]:
    """Ask the launchers inside of which torchrun runs."""
    if read_text(environ, *variables.RAY_WORKER) is not None:
        return
    for launcher in _MPI:
        yield launcher.read(environ)
    if read_text(environ, *variables.STEP_ID) is not None:
        yield _SRUN.read(environ)
    else:
        yield Identity(local_rank=read_identity(environ, *_SRUN.local_rank))


def _first_local_rank(sources: list[Identity]) -> int | None:
    return next((source.local_rank for source in sources if source.local_rank is not None), None)


def _world_size(rank: int | None, sources: list[Identity]) -> int | None:
    size = next((source.world_size for source in sources if source.world_size is not None), None)
    if size is not None and size <= (rank or 0):
        warn_contradiction(rank, size)
        return None
    return size


def _restarts(environ: Mapping[str, str]) -> tuple[int | None, str]:
    restart = read_identity(environ, *variables.RESTART_COUNT)
    requeue = read_identity(environ, *variables.REQUEUE_COUNT)
    if requeue and restart is not None:
        return restart, f"{requeue}.{restart}"
    latest = requeue if restart is None else restart
    return latest, str(latest) if latest else ""


@functools.lru_cache(maxsize=64)
def warn_contradiction(rank: int | None, world_size: int) -> None:
    _log.warning(
        "A world size of %d is ignored: it does not fit rank %s. "
        "Give the number of all ranks of the job.",
        world_size,
        rank,
    )
