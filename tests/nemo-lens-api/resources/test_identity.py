# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Who a process is among the ranks of its job."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.resources.identity import Identity, detect_identity

TORCHRUN = {
    "RANK": "5",
    "WORLD_SIZE": "16",
    "LOCAL_RANK": "1",
    "TORCHELASTIC_RESTART_COUNT": "0",
}
SRUN = {
    "SLURM_PROCID": "3",
    "SLURM_NTASKS": "8",
    "SLURM_LOCALID": "2",
    "SLURM_STEP_ID": "0",
}
OPEN_MPI = {
    "OMPI_COMM_WORLD_RANK": "7",
    "OMPI_COMM_WORLD_SIZE": "9",
    "OMPI_COMM_WORLD_LOCAL_RANK": "4",
}
MVAPICH = {
    "MV2_COMM_WORLD_RANK": "6",
    "MV2_COMM_WORLD_SIZE": "10",
    "MV2_COMM_WORLD_LOCAL_RANK": "3",
}
HYDRA = {"PMI_RANK": "2", "PMI_SIZE": "4", "MPI_LOCALRANKID": "0"}


@pytest.mark.parametrize(
    ("environ", "identity"),
    [
        ({}, Identity()),
        (TORCHRUN, Identity(5, 16, 1, restart=0)),
        (SRUN, Identity(3, 8, 2)),
        (OPEN_MPI, Identity(7, 9, 4)),
        (MVAPICH, Identity(6, 10, 3)),
        (HYDRA, Identity(2, 4, 0)),
    ],
)
def test_each_launcher_is_understood(environ, identity):
    """Each has its own variables."""
    assert detect_identity(environ) == identity


def test_an_inner_launcher_wins_over_an_outer_one():
    """The elastic launcher runs inside of mpirun and srun, and mpirun inside of srun."""
    assert detect_identity({**SRUN, **HYDRA, **OPEN_MPI, **TORCHRUN}).rank == 5
    assert detect_identity({**SRUN, **HYDRA, **OPEN_MPI}) == Identity(7, 9, 4)
    assert detect_identity({**SRUN, **HYDRA}) == Identity(2, 4, 0)


def test_an_outer_launcher_completes_the_rank_it_agrees_on():
    """Scripts often export RANK=$SLURM_PROCID and nothing else."""
    assert detect_identity({**SRUN, "RANK": "3"}) == Identity(3, 8, 2)


def test_an_outer_launcher_says_nothing_about_another_rank():
    """Sizes and local ranks are not mixed over launchers."""
    assert detect_identity({**SRUN, "RANK": "0"}) == Identity(0)


@pytest.mark.parametrize("outer", [SRUN, OPEN_MPI, MVAPICH, HYDRA])
def test_a_local_rank_without_a_rank_wins_over_that_of_an_outer_launcher(outer):
    """It was set for this very process, and nothing contradicts it."""
    alone, both = detect_identity(outer), detect_identity({**outer, "LOCAL_RANK": "6"})
    assert both == dataclasses.replace(alone, local_rank=6)


def test_a_local_rank_of_another_rank_says_nothing():
    """The published rank decides; who says RANK=5 talks about another process."""
    published = {"OTEL_RESOURCE_ATTRIBUTES": "nv.dl.rank=12"}
    assert detect_identity({**published, **TORCHRUN}).local_rank is None
    assert detect_identity({**published, "LOCAL_RANK": "2"}) == Identity(12, local_rank=2)


def test_a_batch_script_has_no_rank():
    """SLURM_PROCID is 0 there, whatever the job will start."""
    batch = {name: value for name, value in SRUN.items() if name != "SLURM_STEP_ID"}
    assert detect_identity({**batch, "SLURM_PROCID": "0", "SLURM_LOCALID": "0"}) == Identity(
        local_rank=0
    )


@pytest.mark.parametrize("mark", ["RAY_JOB_ID", "RAY_RAYLET_PID"])
def test_a_worker_of_ray_is_not_the_task_that_started_its_node(mark):
    """It inherits variables that describe the node daemon; torchrun's are set for the worker."""
    assert detect_identity({**SRUN, **OPEN_MPI, mark: "01000000"}) == Identity()
    assert detect_identity({**SRUN, **TORCHRUN, mark: "01000000"}).rank == 5


def test_a_published_identity_wins_over_every_launcher():
    """Somebody wrote it on purpose."""
    published = "nv.dl.rank=12,nv.dl.world_size=64,nv.dl.local_rank=4,nv.dl.role=generator"
    identity = detect_identity({**TORCHRUN, "OTEL_RESOURCE_ATTRIBUTES": published})
    assert identity == Identity(12, 64, 4, "generator", restart=0)


def test_a_published_role_keeps_the_rank_of_the_launcher():
    """Parts of an identity may come from both."""
    identity = detect_identity({**TORCHRUN, "OTEL_RESOURCE_ATTRIBUTES": "nv.dl.role=launcher"})
    assert identity == Identity(5, 16, 1, "launcher", restart=0)


@pytest.mark.parametrize("value", ["abc", "0.0", "-1"])
def test_an_unusable_variable_is_absent_with_one_warning(value, caplog):
    """The job goes on, and the next launcher decides."""
    environ = {**SRUN, "LOCAL_RANK": value, "RANK": "3"}
    assert detect_identity(environ) == detect_identity(environ) == Identity(3, 8, 2)
    (record,) = caplog.records
    assert record.name == "nemo.lens.resources.identity"
    assert "LOCAL_RANK" in record.getMessage()
    assert value in record.getMessage()


def test_blank_variables_are_absent_in_silence(caplog):
    """Templates leave them so."""
    assert detect_identity(dict.fromkeys(TORCHRUN, "")) == Identity()
    assert detect_identity({"LOCAL_RANK": " 0 "}) == Identity(local_rank=0)
    assert not caplog.records


@pytest.mark.parametrize("size", ["5", "3", "0"])
def test_a_world_that_does_not_hold_the_rank_is_refused(size, caplog):
    """A wrong size would make strategies pick ranks that are not there."""
    assert detect_identity({"RANK": "5", "WORLD_SIZE": size}) == Identity(5)
    (record,) = caplog.records
    assert f"world size of {size}" in record.getMessage()


@pytest.mark.parametrize(
    ("torchelastic", "slurm", "restart", "attempt"),
    [
        (None, None, None, ""),
        ("0", None, 0, ""),
        ("2", "0", 2, "2"),
        (None, "3", 3, "3"),
        ("0", "1", 0, "1.0"),
        ("2", "1", 2, "1.2"),
    ],
)
def test_attempts_are_told_apart_over_both_kinds_of_restart(torchelastic, slurm, restart, attempt):
    """Each pair of requeues and restarts has its own name."""
    counts = {"TORCHELASTIC_RESTART_COUNT": torchelastic, "SLURM_RESTART_COUNT": slurm}
    environ = {name: count for name, count in counts.items() if count is not None}
    identity = detect_identity(environ)
    assert (identity.restart, identity.attempt) == (restart, attempt)


def test_the_environment_of_this_process_is_the_default(monkeypatch):
    """No argument is needed."""
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert detect_identity().rank == 1


@given(
    st.dictionaries(
        st.sampled_from(sorted({*TORCHRUN, *SRUN, *OPEN_MPI, *MVAPICH, *HYDRA, "RAY_JOB_ID"})),
        st.sampled_from(["", "0", "1", "7", "-1", "x", "\udc80", "9" * 30]),
    )
)
def test_an_identity_is_always_consistent(environ):
    """Whatever launchers left, a rank is not negative and lies in its world."""
    identity = detect_identity(environ)
    numbers = (identity.rank, identity.world_size, identity.local_rank, identity.restart)
    assert all(number is None or number >= 0 for number in numbers)
    if identity.rank is not None and identity.world_size is not None:
        assert identity.rank < identity.world_size
