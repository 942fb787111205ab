# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The attributes of a SLURM job on their way to the processes that a script starts."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess

import pytest

from nemo.lens.resources.attributes import parse_otel_resource_attributes

JOB = {
    "SLURM_JOB_ID": "123",
    "SLURM_JOB_NAME": 'o\'ne, two=$HOME `id` "x"',
    "SLURM_TOPOLOGY_ADDR": "switch1.node7",
    "SLURM_TOPOLOGY_ADDR_PATTERN": "switch.node",
}


@pytest.fixture
def job(monkeypatch):
    """A SLURM job, and nothing else that names resource attributes."""
    for name in list(os.environ):
        if name.startswith("SLURM"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("OTEL_RESOURCE_ATTRIBUTES", raising=False)
    for name, value in JOB.items():
        monkeypatch.setenv(name, value)


def exported(line):
    """What a real shell exports when it evaluates the line."""
    script = f'{line}\nprintf %s "$OTEL_RESOURCE_ATTRIBUTES"'
    text = subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True).stdout
    return parse_otel_resource_attributes(text)


def test_a_shell_evaluates_the_line_whatever_the_job_is_called(job, call):
    """One line, quoted; values come out as they are, and nothing in them is run."""
    status, out, err = call("set-slurm-resource-attrs", "--stage", "sbatch")

    assert (status, err, out.count("\n")) == (0, "", 1)
    assert out.startswith("export OTEL_RESOURCE_ATTRIBUTES=")
    attributes = exported(out)
    assert attributes["slurm.job.id"] == "123"
    assert attributes["slurm.job.name"] == JOB["SLURM_JOB_NAME"]


def test_the_batch_script_says_nothing_about_its_own_node(job, call):
    """Every task would inherit it."""
    attributes = exported(call("set-slurm-resource-attrs", "--stage", "sbatch")[1])

    assert not {"host.name", "slurm.topology.addr", "slurm.topology.addr_pattern"} & set(attributes)


def test_a_task_adds_its_host_and_image(job, call):
    """And the topology of its node."""
    out = call(
        "set-slurm-resource-attrs", "--stage", "task", "--container-image", "registry/image:1"
    )[1]

    attributes = exported(out)
    assert attributes["host.name"] == socket.gethostname()
    assert attributes["nv.dl.launch.container.image"] == "registry/image:1"
    assert "switch1.node7" in attributes.values()


def test_what_the_variable_says_already_wins(job, call, monkeypatch):
    """The user's attributes stay, and win over what is derived."""
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "team=a%20b,slurm.job.id=mine,host.name=h")

    attributes = exported(call("set-slurm-resource-attrs", "--stage", "task")[1])

    assert attributes["team"] == "a b"
    assert (attributes["slurm.job.id"], attributes["host.name"]) == ("mine", "h")


def test_outside_of_slurm_the_variable_stays(call, monkeypatch):
    """Scripts run on a laptop too."""
    for name in list(os.environ):
        if name.startswith("SLURM"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "team=a")
    before = dict(os.environ)

    assert exported(call("set-slurm-resource-attrs", "--stage", "sbatch")[1]) == {"team": "a"}
    assert set(exported(call("set-slurm-resource-attrs", "--stage", "task")[1])) == {
        "team",
        "host.name",
    }
    assert dict(os.environ) == before


def test_an_image_of_the_batch_script_is_refused(job, call):
    """Nothing is printed that eval could take."""
    status, out, err = call(
        "set-slurm-resource-attrs", "--stage", "sbatch", "--container-image", "image"
    )

    assert (status, out) == (2, "")
    assert "error: --container-image requires --stage task" in err


def test_an_empty_image_is_none(job, call):
    """`--container-image "$IMAGE"` where there is no container."""
    out = call("set-slurm-resource-attrs", "--stage", "task", "--container-image", "")[1]

    assert "nv.dl.launch.container.image" not in exported(out)


def test_json_holds_the_same(job, call):
    """For launchers that are no shells."""
    answer = json.loads(call("set-slurm-resource-attrs", "--stage", "sbatch", "--json")[1])
    line = call("set-slurm-resource-attrs", "--stage", "sbatch")[1]

    assert shlex.split(line)[1] == f"OTEL_RESOURCE_ATTRIBUTES={answer['value']}"
    assert answer["attributes"]["slurm.job.id"] == "123"
