# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The SLURM job of a process."""

from __future__ import annotations

import hashlib
import uuid

import pytest

from nemo.lens import derive_nv_dl_run_uuid as exported_derive_nv_dl_run_uuid
from nemo.lens.resources import detect_slurm
from nemo.lens.resources.slurm import (
    derive_nv_dl_job_uuid,
    derive_nv_dl_run_uuid,
    derive_slurm_job_id,
    derive_slurm_resource_attributes,
)

JOB = {"SLURM_JOB_ID": "4711", "SLURM_CLUSTER_NAME": "eos"}
ELEMENT = {
    "SLURM_JOB_ID": "38",
    "SLURM_ARRAY_JOB_ID": "36",
    "SLURM_ARRAY_TASK_ID": "2",
    "SLURM_ARRAY_TASK_COUNT": "10",
}
LEADER = {"SLURM_JOB_ID": "100", "SLURM_HET_JOB_ID": "100", "SLURM_HET_SIZE": "2"}


def _uuid(name):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def test_nothing_is_derived_outside_of_slurm():
    """A job id makes a SLURM job, and nothing else does."""
    assert detect_slurm({"SLURM_CLUSTER_NAME": "eos", "SLURM_JOB_ID": ""}) == {}


def test_a_plain_job_is_described():
    """Each attribute comes from its variable, with its type."""
    environ = {
        **JOB,
        "SLURM_JOB_NAME": "pretrain",
        "SLURM_JOB_PARTITION": "batch",
        "SLURM_JOB_NUM_NODES": "65",
        "SLURM_JOB_NODELIST": "gpu[001-064,100]",
        "SLURM_NTASKS": "520",
        "SLURM_JOB_USER": "jdoe",
        "SLURM_JOB_ACCOUNT": "llm",
        "SLURM_JOB_QOS": "normal",
        "SLURM_JOB_RESERVATION": "(null)",
        "SLURM_RESTART_COUNT": "3",
        "SLURM_SEGMENT": "16",
        "SLURM_TOPOLOGY_ADDR": "s0.n1",
        "SLURM_TOPOLOGY_ADDR_PATTERN": "switch.node",
        "SLURMD_NODENAME": "gpu001",
        "LENS_SLURM_SLUID": "s1",
        "NV_LAUNCH_ARRAY_SLUID": "s0",
    }
    assert detect_slurm(environ) == {
        "slurm.job.id": "4711",
        "slurm.job.id.raw": "4711",
        "slurm.array.job_id": "4711",
        "slurm.array.task_id": "0",
        "slurm.array.count": 1,
        "slurm.array.sluid": "s0",
        "slurm.sluid": "s1",
        "slurm.job.name": "pretrain",
        "slurm.job.user": "jdoe",
        "slurm.job.account": "llm",
        "slurm.job.qos": "normal",
        "slurm.cluster.name": "eos",
        "slurm.partition": "batch",
        "slurm.nodelist": "gpu[001-064,100]",
        "slurm.nnodes": 65,
        "slurm.ntasks": 520,
        "slurm.restart_count": 3,
        "slurm.segment": "16",
        "slurm.topology.addr": "s0.n1",
        "slurm.topology.addr_pattern": "switch.node",
        "slurm.head_node.name": "gpu001",
        "nv.dl.job.uuid": _uuid("nemo.lens.job/eos/4711"),
    }


@pytest.mark.parametrize(
    ("variable", "attribute", "value"),
    [
        ("SLURM_JOBID", "slurm.job.id", "9"),
        ("SLURM_NODELIST", "slurm.nodelist", "n[1-2]"),
        ("SLURM_NNODES", "slurm.nnodes", "2"),
        ("SLURM_PARTITION", "slurm.partition", "batch"),
        ("SLURM_NPROCS", "slurm.ntasks", "16"),
    ],
)
def test_the_other_spelling_counts_too(variable, attribute, value):
    """Older releases and srun spell variables differently."""
    job = {} if variable == "SLURM_JOBID" else {"SLURM_JOB_ID": "9"}
    assert str(detect_slurm({**job, variable: value})[attribute]) == value


def test_the_spelling_of_the_job_wins_over_that_of_the_step():
    """Inside a step, SLURM_NNODES is the size of the step."""
    environ = {**JOB, "SLURM_JOB_NUM_NODES": "8", "SLURM_NNODES": "1"}
    assert detect_slurm(environ)["slurm.nnodes"] == 8


def test_an_element_of_an_array_has_its_own_id_and_the_uuid_of_the_array():
    """Elements are told apart by id and belong together by UUID."""
    attributes = detect_slurm(ELEMENT)
    assert attributes["slurm.job.id"] == "36_2"
    assert attributes["slurm.job.id.raw"] == "38"
    assert attributes["slurm.array.count"] == 10
    other = detect_slurm({**ELEMENT, "SLURM_JOB_ID": "39", "SLURM_ARRAY_TASK_ID": "3"})
    assert other["slurm.job.id"] == "36_3"
    assert other["nv.dl.job.uuid"] == attributes["nv.dl.job.uuid"]


def test_components_of_a_heterogeneous_job_are_one_job():
    """They share id and UUID, and nodes and tasks are those of all components."""
    whole = {
        **LEADER,
        "SLURM_JOB_NODELIST_HET_GROUP_0": "cpu1",
        "SLURM_JOB_NODELIST_HET_GROUP_1": "gpu[1-4]",
        "SLURM_JOB_NUM_NODES_HET_GROUP_0": "1",
        "SLURM_JOB_NUM_NODES_HET_GROUP_1": "4",
        "SLURM_NTASKS_HET_GROUP_0": "2",
        "SLURM_NTASKS_HET_GROUP_1": "32",
        "SLURM_JOB_NUM_NODES": "1",
    }
    first, second = detect_slurm(whole), detect_slurm({**whole, "SLURM_JOB_ID": "101"})
    assert first["slurm.job.id"] == second["slurm.job.id"] == "100"
    assert first["nv.dl.job.uuid"] == second["nv.dl.job.uuid"]
    assert second["slurm.job.id.raw"] == "101"
    assert second["slurm.nodelist"] == "cpu1,gpu[1-4]"
    assert (second["slurm.nnodes"], second["slurm.ntasks"]) == (5, 34)


@pytest.mark.parametrize("size", ["2", "1000000000", "x"])
def test_a_heterogeneous_job_without_its_components_keeps_the_plain_values(size):
    """Part of a sum would be a wrong number, and a broken size costs no time."""
    environ = {
        **LEADER,
        "SLURM_HET_SIZE": size,
        "SLURM_JOB_NUM_NODES_HET_GROUP_0": "1",
        "SLURM_JOB_NUM_NODES": "3",
    }
    assert detect_slurm(environ)["slurm.nnodes"] == 3


def test_a_huge_node_list_is_cut_at_one_kibibyte():
    """A job of 10,000 odd nodes must not bloat every export."""
    nodes = ",".join(f"node{number}" for number in range(10_000))
    value = detect_slurm({**JOB, "SLURM_JOB_NODELIST": nodes})["slurm.nodelist"]
    assert len(value) == 1024
    assert value.endswith("...")
    assert nodes.startswith(value[:-3])


def test_wrong_numbers_are_left_out():
    """An attribute is right or absent."""
    environ = {
        **JOB,
        "SLURM_JOB_NUM_NODES": "two",
        "SLURM_NTASKS": "-4",
        "SLURM_ARRAY_TASK_COUNT": "",
        "SLURM_RESTART_COUNT": "1.5",
    }
    attributes = detect_slurm(environ)
    assert attributes["slurm.array.count"] == 1
    assert not attributes.keys() & {"slurm.nnodes", "slurm.ntasks", "slurm.restart_count"}


@pytest.mark.parametrize("step", ["SLURM_STEP_ID", "SLURM_STEPID"])
def test_the_head_node_is_named_outside_of_steps_only(step):
    """Inside of a step the variable names the node of the task."""
    environ = {**JOB, "SLURMD_NODENAME": "gpu001"}
    assert "slurm.head_node.name" in detect_slurm(environ)
    assert "slurm.head_node.name" not in detect_slurm({**environ, step: "0"})


def test_what_a_parent_handed_on_wins_and_counts_outside_of_slurm():
    """A process in another container still knows its job."""
    published = "slurm.job.id=7,slurm.nnodes=2,nv.dl.run.uuid=u,team=a,slurm.cluster=x"
    inherited = {"slurm.job.id": "7", "slurm.nnodes": 2, "nv.dl.run.uuid": "u"}
    assert detect_slurm({"OTEL_RESOURCE_ATTRIBUTES": published}) == inherited
    both = detect_slurm({**JOB, "OTEL_RESOURCE_ATTRIBUTES": published})
    assert both == {**derive_slurm_resource_attributes(JOB), **inherited}


def test_an_inherited_value_that_is_empty_or_wrong_gives_way():
    """What SLURM itself says shows through."""
    environ = {
        **JOB,
        "SLURM_NNODES": "2",
        "OTEL_RESOURCE_ATTRIBUTES": "slurm.job.id=,slurm.nnodes=many",
    }
    assert detect_slurm(environ) == derive_slurm_resource_attributes(environ)


def test_a_requeued_job_keeps_its_id():
    """The run id that follows from it is shared by all attempts."""
    assert derive_slurm_job_id({**JOB, "SLURM_RESTART_COUNT": "1"}) == "4711"
    assert derive_slurm_job_id({"SLURM_PACK_JOB_ID": "5", "SLURM_JOB_ID": "6"}) == "5"
    assert derive_slurm_job_id({}) is None


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, "nemo.lens.job/nocluster/nojob"),
        (JOB, "nemo.lens.job/eos/4711"),
        (ELEMENT, "nemo.lens.job/nocluster/36"),
        ({"SLURM_ARRAY_TASK_ID": "1", "SLURM_JOB_ID": "3"}, "nemo.lens.job/nocluster/nojob"),
        (LEADER, "nemo.lens.job/nocluster/100"),
    ],
)
def test_the_job_uuid_follows_from_cluster_and_job(environ, name):
    """Any process derives it alone, over all restarts."""
    assert derive_nv_dl_job_uuid(environ) == _uuid(name)
    assert derive_nv_dl_job_uuid({**environ, "SLURM_RESTART_COUNT": "2"}) == _uuid(name)


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        (JOB, "nemo.lens.run/eos/4711/sr0"),
        ({**JOB, "SLURM_RESTART_COUNT": "2"}, "nemo.lens.run/eos/4711/sr2"),
        ({**JOB, "TORCHELASTIC_RESTART_COUNT": "1"}, "nemo.lens.run/eos/4711/sr0/te1"),
        (ELEMENT, "nemo.lens.run/nocluster/36_2"),
        ({"TORCHELASTIC_RUN_ID": "exp"}, "nemo.lens.run/local/exp/te0"),
        (
            {"TORCHELASTIC_RUN_ID": "exp", "TORCHELASTIC_RESTART_COUNT": "4"},
            "nemo.lens.run/local/exp/te4",
        ),
    ],
)
def test_the_run_uuid_tells_attempts_apart(environ, name):
    """It follows from the job and the numbers of restarts."""
    assert derive_nv_dl_run_uuid(environ) == _uuid(name)


def test_outside_of_slurm_the_run_uuid_follows_from_the_run_id():
    """Without anything that names the run, there is none."""
    assert derive_nv_dl_run_uuid({}, run_id="r") == _uuid("nemo.lens.run/local/r/te0")
    assert derive_nv_dl_run_uuid({}) is None
    assert derive_nv_dl_run_uuid({"TORCHELASTIC_RUN_ID": "none"}) is None
    assert exported_derive_nv_dl_run_uuid is derive_nv_dl_run_uuid


def test_uuids_are_derived_on_a_fips_host(monkeypatch):
    """SHA-1 is refused there unless it is declared to be no security."""
    real = hashlib.sha1

    def sha1(data=b"", *, usedforsecurity=True):
        if usedforsecurity:
            raise ValueError("disabled for FIPS")
        return real(data, usedforsecurity=False)

    expected = derive_nv_dl_job_uuid(JOB)
    monkeypatch.setattr(hashlib, "sha1", sha1)
    assert derive_nv_dl_job_uuid(JOB) == expected
