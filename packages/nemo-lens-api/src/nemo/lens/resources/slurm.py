# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The SLURM job that a process belongs to.

SLURM spells many of its variables in two ways, in the shell of `sbatch` or `salloc` and in the
tasks of `srun`; both count everywhere. The variables are described in the manual pages of `sbatch`
and `srun`.
"""

from __future__ import annotations

import hashlib
import uuid
from typing import TYPE_CHECKING

from nemo.lens import semconv
from nemo.lens.resources.attributes import get_otel_resource_attributes
from nemo.lens.resources.environment import (
    clean_text,
    environment_of,
    parse_count,
    read_count,
    read_text,
)
from nemo.lens.semconv.encoding import convert_attribute
from nemo.lens.semconv.resources import SLURM_RESOURCE_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "derive_nv_dl_job_uuid",
    "derive_nv_dl_run_uuid",
    "derive_slurm_job_id",
    "derive_slurm_resource_attributes",
    "detect_slurm",
]

# SLURM allows fewer than 128 components in a heterogeneous job.
_MOST_COMPONENTS = 128
_LONGEST_NAME = 8192

# What torchrun says when nobody gave it an id; all such runs would share one UUID.
_NO_RUN_ID = "none"

_JOB_ID = ("SLURM_JOB_ID", "SLURM_JOBID")
_HETEROGENEOUS_JOB_ID = ("SLURM_HET_JOB_ID", "SLURM_PACK_JOB_ID")
_NODE_LIST = ("SLURM_JOB_NODELIST", "SLURM_NODELIST")
_STEP_ID = ("SLURM_STEP_ID", "SLURM_STEPID")

_TEXTS = {
    semconv.SLURM_SLUID: ("LENS_SLURM_SLUID", "NV_LAUNCH_SLUID"),
    semconv.SLURM_ARRAY_SLUID: ("LENS_SLURM_ARRAY_SLUID", "NV_LAUNCH_ARRAY_SLUID"),
    semconv.SLURM_JOB_NAME: ("SLURM_JOB_NAME",),
    semconv.SLURM_CLUSTER_NAME: ("SLURM_CLUSTER_NAME",),
    semconv.SLURM_PARTITION: ("SLURM_JOB_PARTITION", "SLURM_PARTITION"),
    semconv.SLURM_JOB_USER: ("SLURM_JOB_USER",),
    semconv.SLURM_JOB_ACCOUNT: ("SLURM_JOB_ACCOUNT",),
    semconv.SLURM_JOB_QOS: ("SLURM_JOB_QOS",),
    semconv.SLURM_JOB_RESERVATION: ("SLURM_JOB_RESERVATION",),
    semconv.SLURM_SEGMENT: ("SLURM_SEGMENT",),
    semconv.SLURM_TOPOLOGY_ADDR: ("SLURM_TOPOLOGY_ADDR",),
    semconv.SLURM_TOPOLOGY_ADDR_PATTERN: ("SLURM_TOPOLOGY_ADDR_PATTERN",),
}
_TOTALS = {
    semconv.SLURM_NNODES: ("SLURM_JOB_NUM_NODES", "SLURM_NNODES"),
    semconv.SLURM_NTASKS: ("SLURM_NTASKS", "SLURM_NPROCS"),
}


def detect_slurm(environ: Mapping[str, str] | None = None) -> dict[str, str | int]:
    """Detect the SLURM job of this process.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        What `derive_slurm_resource_attributes` derives, and over it what a parent process handed
        on in `OTEL_RESOURCE_ATTRIBUTES`, which counts outside of SLURM too. Inherited values that
        are empty or of the wrong type are left out. Empty outside of SLURM.
    """
    environment = environment_of(environ)
    return {**derive_slurm_resource_attributes(environment), **_inherited(environment)}


def derive_slurm_resource_attributes(
    environ: Mapping[str, str] | None = None,
) -> dict[str, str | int]:
    """Derive the attributes of the SLURM job from its own variables.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        `slurm.*` and `nv.dl.job.uuid`; empty without a job id. What SLURM does not say, or says in
        the wrong type, is left out.
    """
    environment = environment_of(environ)
    raw_id = read_text(environment, *_JOB_ID)
    job_id = derive_slurm_job_id(environment)
    if raw_id is None or job_id is None:
        return {}
    attributes: dict[str, str | int | None] = {
        semconv.SLURM_JOB_ID: job_id,
        semconv.SLURM_JOB_ID_RAW: raw_id,
        semconv.SLURM_ARRAY_JOB_ID: read_text(environment, "SLURM_ARRAY_JOB_ID") or raw_id,
        semconv.SLURM_ARRAY_TASK_ID: read_text(environment, "SLURM_ARRAY_TASK_ID") or "0",
        semconv.SLURM_ARRAY_COUNT: _count_or(environment, "SLURM_ARRAY_TASK_COUNT", 1),
        semconv.SLURM_RESTART_COUNT: _count_or(environment, "SLURM_RESTART_COUNT", 0),
        semconv.SLURM_NODELIST: _node_list(environment),
        semconv.SLURM_HEAD_NODE_NAME: _head_node(environment),
        semconv.NV_DL_JOB_UUID: derive_nv_dl_job_uuid(environment),
    }
    attributes |= {name: read_text(environment, *_TEXTS[name]) for name in _TEXTS}
    attributes |= {name: _total(environment, _TOTALS[name]) for name in _TOTALS}
    return {name: value for name, value in attributes.items() if value is not None}


def derive_slurm_job_id(environ: Mapping[str, str] | None = None) -> str | None:
    """Derive the id by which people name this job.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        `<array job>_<task>` for an element of a job array, the leading job for a component of a
        heterogeneous job, else the job id, which a requeued job keeps; None outside of SLURM.
    """
    return find_slurm_job_id(environment_of(environ))[0]


def find_slurm_job_id(environment: Mapping[str, str]) -> tuple[str | None, str]:
    """Return what `derive_slurm_job_id` does, and the variable that decided ("" for none)."""
    array_job = read_text(environment, "SLURM_ARRAY_JOB_ID")
    task = read_text(environment, "SLURM_ARRAY_TASK_ID")
    if array_job and task:
        return f"{array_job}_{task}", "SLURM_ARRAY_JOB_ID"
    for variable in (*_HETEROGENEOUS_JOB_ID, *_JOB_ID):
        job = read_text(environment, variable)
        if job:
            return job, variable
    return None, ""


def derive_nv_dl_job_uuid(environ: Mapping[str, str] | None = None) -> str:
    """Derive the UUID of the job from the cluster and the job id, with no communication.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        A version 5 UUID that is the same in all processes and over all restarts of a job, and for
        all elements of a job array.
    """
    environment = environment_of(environ)
    if read_text(environment, "SLURM_ARRAY_TASK_ID"):
        job = read_text(environment, "SLURM_ARRAY_JOB_ID")
    else:
        job = read_text(environment, *_HETEROGENEOUS_JOB_ID, *_JOB_ID)
    return _uuid(f"nemo.lens.job/{_cluster(environment)}/{job or 'nojob'}")


def derive_nv_dl_run_uuid(
    environ: Mapping[str, str] | None = None, *, run_id: str | None = None
) -> str | None:
    """Derive the UUID of this attempt of the job, with no communication.

    Under SLURM it follows from the job and from the numbers of requeues and of torchrun restarts;
    elsewhere from the run id and the number of torchrun restarts. Set-up does not emit it: pass it
    as `nv.dl.run.uuid` where it is wanted.

    Args:
        environ: The environment; that of this process by default.
        run_id: The run id outside of SLURM; `TORCHELASTIC_RUN_ID` by default.

    Returns:
        A version 5 UUID that is the same in all processes of the attempt, or None where neither
        SLURM nor a run id tells the attempts apart.
    """
    environment = environment_of(environ)
    restarts = read_text(environment, "TORCHELASTIC_RESTART_COUNT")
    job = derive_slurm_job_id(environment)
    if job is None:
        run = run_id or _torchelastic_run_id(environment)
        return _uuid(f"nemo.lens.run/local/{run}/te{restarts or 0}") if run else None
    name = f"nemo.lens.run/{_cluster(environment)}/{job}"
    if not read_text(environment, "SLURM_ARRAY_TASK_ID"):
        name += f"/sr{read_text(environment, 'SLURM_RESTART_COUNT') or 0}"
    return _uuid(name if restarts is None else f"{name}/te{restarts}")


def _torchelastic_run_id(environ: Mapping[str, str]) -> str | None:
    run_id = read_text(environ, "TORCHELASTIC_RUN_ID")
    return None if run_id == _NO_RUN_ID else run_id


def _inherited(environ: Mapping[str, str]) -> dict[str, str | int]:
    attributes: dict[str, str | int] = {}
    for key, value in get_otel_resource_attributes(environ=environ).items():
        if key not in SLURM_RESOURCE_TYPES or not value:
            continue
        try:
            attributes[key] = convert_attribute(key, clean_text(value), SLURM_RESOURCE_TYPES)
        except ValueError:
            continue
    return attributes


def _count_or(environ: Mapping[str, str], variable: str, default: int) -> int | None:
    text = read_text(environ, variable)
    return default if text is None else parse_count(text)


def _components(environ: Mapping[str, str], variables: tuple[str, ...]) -> list[str]:
    """Read a variable once per component of a heterogeneous job, or once for a plain job."""
    size = read_count(environ, "SLURM_HET_SIZE", "SLURM_PACK_SIZE") or 0
    groups = range(size if size <= _MOST_COMPONENTS else 0)
    values = [
        read_text(
            environ,
            *(f"{variable}_HET_GROUP_{group}" for variable in variables),
            *(f"{variable}_PACK_GROUP_{group}" for variable in variables),
        )
        for group in groups
    ]
    complete = [value for value in values if value is not None]
    if complete and len(complete) == len(values):
        return complete
    value = read_text(environ, *variables)
    return [] if value is None else [value]


def _node_list(environ: Mapping[str, str]) -> str | None:
    return clean_text(",".join(_components(environ, _NODE_LIST))) or None


def _total(environ: Mapping[str, str], variables: tuple[str, ...]) -> int | None:
    counts = [parse_count(value) for value in _components(environ, variables)]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _head_node(environ: Mapping[str, str]) -> str | None:
    if read_text(environ, *_STEP_ID) is not None:
        return None
    return read_text(environ, "SLURMD_NODENAME")


def _cluster(environ: Mapping[str, str]) -> str:
    return read_text(environ, "SLURM_CLUSTER_NAME") or "nocluster"


def _uuid(name: str) -> str:
    # uuid.uuid5 in full, because it fails on FIPS hosts that refuse SHA-1 for security.
    text = uuid.NAMESPACE_URL.bytes + clean_text(name, _LONGEST_NAME).encode()
    digest = hashlib.sha1(text, usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest[:16], version=5))
