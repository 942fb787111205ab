# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Every variable that detection reads: of launchers, schedulers, Kubernetes and CUDA.

Detection reads variables by the constants of this module alone. The third table of
`docs/reference/configuration.md` is written from it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from nemo.lens import semconv


class DetectionVariable(NamedTuple):
    """One row of the table.

    Attributes:
        names: The spellings of the variable, the preferred one first.
        used_for: What it is read for, in Markdown.
        per_component: Whether the components of a heterogeneous SLURM job have one each, with
            `_HET_GROUP_<n>` (or formerly `_PACK_GROUP_<n>`) at its end.
    """

    names: tuple[str, ...]
    used_for: str
    per_component: bool = False


_UUIDS: Final = f"`{semconv.NV_DL_JOB_UUID}`, `{semconv.NV_DL_RUN_UUID}`"
_IDS: Final = f"{_UUIDS}, run id"

_rows: list[DetectionVariable] = []


def _read(used_for: str, *names: str, per_component: bool = False) -> tuple[str, ...]:
    _rows.append(DetectionVariable(names, used_for, per_component))
    return names


def _attribute(attribute: str, *names: str, per_component: bool = False) -> tuple[str, ...]:
    return _read(f"`{attribute}`", *names, per_component=per_component)


# fmt: off
# One launcher, one block: rank, size, rank on the node.
RANK = _read("rank, under torchrun, Ray Train and others that speak its variables", "RANK")
WORLD_SIZE = _read("world size, likewise", "WORLD_SIZE")
LOCAL_RANK = _read("local rank, likewise, and beside any other launcher", "LOCAL_RANK")
OPEN_MPI_RANK = _read("rank, under Open MPI", "OMPI_COMM_WORLD_RANK")
OPEN_MPI_SIZE = _read("world size, under Open MPI", "OMPI_COMM_WORLD_SIZE")
OPEN_MPI_LOCAL_RANK = _read("local rank, under Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK")
MVAPICH_RANK = _read("rank, under MVAPICH", "MV2_COMM_WORLD_RANK")
MVAPICH_SIZE = _read("world size, under MVAPICH", "MV2_COMM_WORLD_SIZE")
MVAPICH_LOCAL_RANK = _read("local rank, under MVAPICH", "MV2_COMM_WORLD_LOCAL_RANK")
PMI_RANK = _read("rank, under MPICH and Intel MPI", "PMI_RANK")
PMI_SIZE = _read("world size, under MPICH and Intel MPI", "PMI_SIZE")
PMI_LOCAL_RANK = _read("local rank, under MPICH and Intel MPI", "MPI_LOCALRANKID")
SRUN_RANK = _read("rank, in a job step of `srun`", "SLURM_PROCID")
SRUN_LOCAL_RANK = _read("local rank, under SLURM", "SLURM_LOCALID")
SRUN_STEP_SIZE = _read("world size, in a job step of `srun`", "SLURM_STEP_NUM_TASKS")
STEP_ID = _read("whether `srun` started the process", "SLURM_STEP_ID", "SLURM_STEPID")
RAY_WORKER = _read("whether the process is a worker of Ray, run id", "RAY_JOB_ID", "RAY_RAYLET_PID")
RESTART_COUNT = _read(f"number of restarts by torchrun, `{semconv.NV_DL_RUN_UUID}`", "TORCHELASTIC_RESTART_COUNT")
TORCHELASTIC_RUN_ID = _read(f"`{semconv.NV_DL_RUN_UUID}` outside of SLURM, run id", "TORCHELASTIC_RUN_ID")

JOB_ID = _read(f"`{semconv.SLURM_JOB_ID}`, `{semconv.SLURM_JOB_ID_RAW}`, {_IDS}",
               "SLURM_JOB_ID", "SLURM_JOBID")
HETEROGENEOUS_JOB_ID = _read(f"`{semconv.SLURM_JOB_ID}` of a component of a heterogeneous job, {_IDS}",
                             "SLURM_HET_JOB_ID", "SLURM_PACK_JOB_ID")
HETEROGENEOUS_SIZE = _read("number of components of a heterogeneous job",
                           "SLURM_HET_SIZE", "SLURM_PACK_SIZE")
ARRAY_JOB_ID = _read(f"`{semconv.SLURM_ARRAY_JOB_ID}`, {_IDS}", "SLURM_ARRAY_JOB_ID")
ARRAY_TASK_ID = _read(f"`{semconv.SLURM_ARRAY_TASK_ID}`, {_IDS}", "SLURM_ARRAY_TASK_ID")
ARRAY_TASK_COUNT = _attribute(semconv.SLURM_ARRAY_COUNT, "SLURM_ARRAY_TASK_COUNT")
REQUEUE_COUNT = _read(f"`{semconv.SLURM_RESTART_COUNT}`, number of requeues", "SLURM_RESTART_COUNT")
NODE_LIST = _attribute(semconv.SLURM_NODELIST, "SLURM_JOB_NODELIST", "SLURM_NODELIST",
                       per_component=True)
NODE_NAME = _read(f"`{semconv.SLURM_HEAD_NODE_NAME}`, in a batch script", "SLURMD_NODENAME")
NODE_COUNT = _attribute(semconv.SLURM_NNODES, "SLURM_JOB_NUM_NODES", "SLURM_NNODES",
                        per_component=True)
TASK_COUNT = _read(f"`{semconv.SLURM_NTASKS}`, world size", "SLURM_NTASKS", "SLURM_NPROCS",
                   per_component=True)
CLUSTER_NAME = _read(f"`{semconv.SLURM_CLUSTER_NAME}`, {_UUIDS}", "SLURM_CLUSTER_NAME")
SLURM_TEXTS: Final = {
    semconv.SLURM_CLUSTER_NAME: CLUSTER_NAME,
    **{attribute: _attribute(attribute, *names) for attribute, names in {
        semconv.SLURM_SLUID: ("LENS_SLURM_SLUID", "NV_LAUNCH_SLUID"),
        semconv.SLURM_ARRAY_SLUID: ("LENS_SLURM_ARRAY_SLUID", "NV_LAUNCH_ARRAY_SLUID"),
        semconv.SLURM_JOB_NAME: ("SLURM_JOB_NAME",),
        semconv.SLURM_PARTITION: ("SLURM_JOB_PARTITION", "SLURM_PARTITION"),
        semconv.SLURM_JOB_USER: ("SLURM_JOB_USER",),
        semconv.SLURM_JOB_ACCOUNT: ("SLURM_JOB_ACCOUNT",),
        semconv.SLURM_JOB_QOS: ("SLURM_JOB_QOS",),
        semconv.SLURM_JOB_RESERVATION: ("SLURM_JOB_RESERVATION",),
        semconv.SLURM_SEGMENT: ("SLURM_SEGMENT",),
        semconv.SLURM_TOPOLOGY_ADDR: ("SLURM_TOPOLOGY_ADDR",),
        semconv.SLURM_TOPOLOGY_ADDR_PATTERN: ("SLURM_TOPOLOGY_ADDR_PATTERN",),
    }.items()},
}
"""Attributes of the SLURM job that are the text of a variable."""

KUBERNETES_HOST = _read("whether the process runs in a pod", "KUBERNETES_SERVICE_HOST")
HOSTNAME = _read(f"`{semconv.K8S_POD_NAME}`, where nothing else names the pod", "HOSTNAME")
KUBERNETES_TEXTS: Final = {
    attribute: _attribute(attribute, *names) for attribute, names in {
        semconv.K8S_NAMESPACE_NAME: ("K8S_NAMESPACE", "K8S_NAMESPACE_NAME", "POD_NAMESPACE"),
        semconv.K8S_POD_NAME: ("K8S_POD_NAME", "POD_NAME"),
        semconv.K8S_POD_UID: ("K8S_POD_UID", "POD_UID"),
        semconv.K8S_NODE_NAME: ("K8S_NODE_NAME", "NODE_NAME"),
        semconv.K8S_CONTAINER_NAME: ("K8S_CONTAINER_NAME",),
        semconv.K8S_JOB_NAME: ("K8S_JOB_NAME",),
    }.items()
}
"""Attributes of the pod that are the text of a variable."""

VISIBLE_DEVICES = _read(f"`{semconv.HOST_GPU_COUNT}`, and which GPU `detect_gpu` describes",
                        "CUDA_VISIBLE_DEVICES")
# fmt: on

DETECTION_VARIABLES: Final = tuple(_rows)
"""The rows, in the order of the documentation."""
