# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The whole resource of a process."""

from __future__ import annotations

import enum
import logging
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nemo.lens import NemoLensConfig, __version__
from nemo.lens.resources import composition
from nemo.lens.resources.composition import compose_resource
from nemo.lens.resources.gpu import detect_gpu
from nemo.lens.resources.slurm import derive_nv_dl_run_uuid
from nemo.lens.resources.variables import DETECTION_VARIABLES

TORCHRUN = {"RANK": "5", "WORLD_SIZE": "16", "LOCAL_RANK": "1"}


def _compose(environ=None, run_id="r", **arguments):
    config = NemoLensConfig(run_id=run_id, **arguments.pop("config", {}))
    return compose_resource(config, environ={} if environ is None else environ, **arguments)


def test_the_caller_wins_over_config_over_environment_over_detection():
    """Each attribute comes from the strongest source that has it."""
    environ = {
        "OTEL_RESOURCE_ATTRIBUTES": "host.name=env,process.pid=1,nemo.user.id=env,"
        "wandb.entity=env,team=env",
    }
    resource = _compose(
        environ,
        config={"user": "config", "wandb_entity": "config"},
        resource_attributes={"wandb.entity": "caller", "host.name": "caller"},
    )
    assert resource["wandb.entity"] == resource["host.name"] == "caller"
    assert resource["nemo.user.id"] == "config"
    assert resource["team"] == "env"
    assert resource["process.pid"] == "1"


def test_detection_counts_where_nobody_else_says_anything():
    """The host, the job and the pod."""
    resource = _compose({"SLURM_JOB_ID": "7"}, resource_attributes={"slurm.job.name": "mine"})
    assert resource["process.pid"] == os.getpid()
    assert resource["slurm.job.id"] == "7"
    assert resource["slurm.job.name"] == "mine"


def test_the_caller_wins_over_detected_slurm_attributes_too():
    """Detection never overwrites what somebody said."""
    environ = {"SLURM_JOB_ID": "7", "OTEL_RESOURCE_ATTRIBUTES": "slurm.job.id=8,slurm.nnodes=x"}
    assert _compose(environ)["slurm.job.id"] == "8"
    assert "slurm.nnodes" not in _compose(environ)
    given = _compose(environ, resource_attributes={"slurm.job.id": "9"})
    assert given["slurm.job.id"] == "9"


@pytest.mark.parametrize(
    ("config", "environ", "attributes", "name"),
    [
        ({}, {}, None, "nemo"),
        ({}, {"OTEL_RESOURCE_ATTRIBUTES": "service.name=a"}, None, "a"),
        (
            {},
            {"OTEL_RESOURCE_ATTRIBUTES": "service.name=a", "OTEL_SERVICE_NAME": " b "},
            None,
            "b",
        ),
        ({}, {"OTEL_SERVICE_NAME": "  "}, None, "nemo"),
        ({"service_name": "nemo"}, {"OTEL_SERVICE_NAME": "b"}, None, "nemo"),
        ({"service_name": "c"}, {"OTEL_SERVICE_NAME": "b"}, {"service.name": "d"}, "d"),
        ({"service_name": ""}, {}, {"service.name": ""}, "nemo"),
    ],
)
def test_a_service_name_that_was_chosen_wins_then_the_environment_then_the_default(
    config, environ, attributes, name
):
    """Also when the chosen name is the default one."""
    assert _compose(environ, config=config, resource_attributes=attributes)["service.name"] == name


def test_a_service_name_from_the_environment_of_the_config_counts():
    """`from_env` has read the variable already."""
    config = NemoLensConfig.from_env(environ={"OTEL_SERVICE_NAME": "svc"})
    assert compose_resource(config, environ={})["service.name"] == "svc"


def test_versions_are_told_apart():
    """service.version is that of the user's code, and only when it is given."""
    assert "service.version" not in _compose()
    assert _compose(config={"service_version": "1.2"})["service.version"] == "1.2"
    assert _compose()["nemo.lens.version"] == __version__


def test_fields_of_the_config_that_are_empty_are_left_out():
    """An empty attribute says nothing."""
    resource = _compose(run_id="")
    assert not resource.keys() & {"nemo.run.id", "nemo.user.id", "wandb.entity", "wandb.project"}


@pytest.mark.parametrize(
    ("environ", "environment"),
    [
        ({"DEPLOYMENT_ENV": "prod", "ENVIRONMENT": "dev"}, "prod"),
        ({"DEPLOYMENT_ENV": "", "ENVIRONMENT": "dev"}, "dev"),
        (
            {"DEPLOYMENT_ENV": "prod", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=qa"},
            "qa",
        ),
        (
            {"ENVIRONMENT": "x", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=qa"},
            "qa",
        ),
    ],
)
def test_both_names_of_the_deployment_environment_agree(environ, environment):
    """Whoever sets one of them, dashboards of both generations see it."""
    resource = _compose(environ)
    assert resource["deployment.environment.name"] == environment
    assert resource["deployment.environment"] == environment


def test_without_a_deployment_environment_there_is_no_attribute():
    """An empty value is not a value."""
    resource = _compose({"DEPLOYMENT_ENV": " "})
    assert not any(name.startswith("deployment.") for name in resource)


@pytest.mark.parametrize("rank", [3, "3", " 3 ", np.int64(3)])
def test_a_rank_that_is_handed_over_shows_in_both_vocabularies(rank):
    """As an integer, however it was written."""
    resource = _compose(rank=rank, world_size="8")
    assert resource["dl.rank"] == resource["nv.dl.rank"] == 3
    assert resource["dl.world_size"] == resource["nv.dl.world_size"] == 8
    assert resource["service.instance.id"] == "r-rank3"


def test_rank_zero_is_a_rank(caplog):
    """Nothing is tested for truth."""
    resource = _compose(rank=0, world_size=1)
    assert (resource["dl.rank"], resource["service.instance.id"]) == (0, "r-rank0")
    assert not caplog.records


@pytest.mark.parametrize(
    ("environ", "attributes"),
    [
        (TORCHRUN, None),
        ({"OTEL_RESOURCE_ATTRIBUTES": "nv.dl.rank=5,nv.dl.world_size=16"}, None),
        ({}, {"nv.dl.rank": "5", "nv.dl.world_size": 16}),
    ],
)
def test_a_rank_from_elsewhere_shows_in_the_newer_vocabulary_only(environ, attributes):
    """From a launcher, the environment or the caller's attributes, always as an integer."""
    resource = _compose(environ, resource_attributes=attributes)
    assert (resource["nv.dl.rank"], resource["nv.dl.world_size"]) == (5, 16)
    assert not resource.keys() & {"dl.rank", "dl.world_size"}
    assert resource["service.instance.id"] == "r-rank5"


def test_the_launcher_completes_the_rank_that_it_agrees_on():
    """A world size need not be handed over under torchrun."""
    resource = _compose(TORCHRUN, rank=5)
    assert resource["dl.world_size"] == resource["nv.dl.world_size"] == 16
    assert resource["nv.dl.local_rank"] == 1


def test_the_launcher_says_nothing_about_another_rank():
    """Ranks that a framework numbers itself have their own sizes."""
    resource = _compose(TORCHRUN, rank=0)
    assert not resource.keys() & {"dl.world_size", "nv.dl.world_size", "nv.dl.local_rank"}


def test_the_rank_argument_wins_over_the_attributes():
    """It is the newer of two explicit values."""
    resource = _compose(rank=1, resource_attributes={"nv.dl.rank": 2, "dl.rank": 2})
    assert resource["dl.rank"] == resource["nv.dl.rank"] == 1


@pytest.mark.parametrize("rank", ["abc", "", -1, True, 1.5, [3], 2**63])
def test_a_rank_that_is_none_is_refused_with_a_warning(rank, caplog):
    """A wrong identity is worse than no identity."""
    resource = _compose(rank=rank)
    assert not resource.keys() & {"dl.rank", "nv.dl.rank", "service.instance.id"}
    first, second = caplog.records
    assert "nv.dl.rank requires a base-10 integer of 0 or more" in first.getMessage()
    assert "No nv.dl.rank resource attribute was supplied" in second.getMessage()


def test_a_refused_rank_gives_way_to_a_weaker_source():
    """What the launcher says is still true."""
    assert _compose(TORCHRUN, rank="abc")["nv.dl.rank"] == 5
    environ = {**TORCHRUN, "OTEL_RESOURCE_ATTRIBUTES": "nv.dl.rank=abc,nv.dl.world_size=0"}
    resource = _compose(environ)
    assert (resource["nv.dl.rank"], resource["nv.dl.world_size"]) == (5, 16)


def test_without_a_rank_one_warning_says_how_to_give_one(caplog):
    """Under the name by which consumers filter."""
    assert "service.instance.id" not in _compose()
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("nemo.lens.providers", logging.WARNING)
    for fragment in (
        "No nv.dl.rank resource attribute was supplied",
        "cannot be filtered by rank",
        "service.instance.id is not rank-derived",
    ):
        assert fragment in record.getMessage()


@pytest.mark.parametrize(
    ("environ", "attributes", "name"),
    [
        ({}, {"service.instance.id": "mine"}, "mine"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.instance.id=env"}, None, "env"),
        (
            {"OTEL_RESOURCE_ATTRIBUTES": "service.instance.id=env"},
            {"service.instance.id": "mine"},
            "mine",
        ),
    ],
)
def test_an_explicit_instance_stays_and_quiets_the_warning(environ, attributes, name, caplog):
    """The caller's wins over the environment's; both win over the derived one."""
    caplog.set_level(logging.DEBUG)
    resource = _compose(environ, resource_attributes=attributes)
    assert resource["service.instance.id"] == name
    assert [record.levelno for record in caplog.records] == [logging.DEBUG]
    assert _compose(environ, resource_attributes=attributes, rank=1)["service.instance.id"] == name


def test_an_empty_explicit_instance_is_none():
    """The derived one is better than an empty one."""
    resource = _compose(rank=1, resource_attributes={"service.instance.id": ""})
    assert resource["service.instance.id"] == "r-rank1"


def test_without_a_run_id_no_instance_is_derived():
    """A rank alone names processes of many runs."""
    assert "service.instance.id" not in _compose(run_id="", rank=1)


def test_the_instance_follows_the_run_id_that_is_emitted():
    """Also when the caller gives it."""
    resource = _compose(rank=1, resource_attributes={"nemo.run.id": "other"})
    assert resource["service.instance.id"] == "other-rank1"


def test_roles_and_attempts_are_told_apart():
    """A worker beside the trainer, and the trainer after a restart, are other instances."""
    restarted = {**TORCHRUN, "TORCHELASTIC_RESTART_COUNT": "2"}
    assert _compose(restarted)["service.instance.id"] == "r-rank5-r2"
    worker = _compose(TORCHRUN, resource_attributes={"nv.dl.role": "ckpt_worker"})
    assert worker["service.instance.id"] == "r-rank5-ckpt_worker"
    trainer = _compose(TORCHRUN, resource_attributes={"nv.dl.role": "trainer"})
    assert trainer["service.instance.id"] == "r-rank5"


def test_a_child_that_inherited_its_rank_is_told_apart(monkeypatch):
    """A worker of a data loader is not the trainer; a rank that is handed over is one."""
    own = f"r-rank5-p{os.getpid()}"
    assert _compose(TORCHRUN, child=True)["service.instance.id"] == own
    monkeypatch.setattr(composition, "started_by_multiprocessing", lambda: True)
    assert _compose(TORCHRUN)["service.instance.id"] == own
    assert _compose(TORCHRUN, rank=5)["service.instance.id"] == "r-rank5"
    handed_over = _compose(TORCHRUN, resource_attributes={"nv.dl.rank": 5})
    assert handed_over["service.instance.id"] == "r-rank5"
    assert _compose(TORCHRUN, child=False)["service.instance.id"] == "r-rank5"


class _Color(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "exported"),
    [
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (pathlib.PurePosixPath("/a"), "/a"),
        (_Color.RED, "red"),
        ((1, 2), [1, 2]),
        (2**70, str(2**70)),
        (2**63, str(2**63)),
        ("\udc80", "\\udc80"),
    ],
)
def test_values_of_the_caller_are_made_fit_for_export(value, exported, caplog):
    """What training code has at hand becomes what exporters take."""
    resource = _compose(rank=0, resource_attributes={"key": value})
    assert resource["key"] == exported
    assert type(resource["key"]) is type(exported)
    assert not caplog.records


class _Hostile:
    def __str__(self):
        raise RuntimeError

    __repr__ = __fspath__ = __str__


@pytest.mark.parametrize("attributes", [{"k": {}}, {"k": object()}, {"k": _Hostile()}, {3: 1}])
def test_what_no_exporter_takes_is_left_out_with_a_warning(attributes, caplog):
    """The other attributes arrive."""
    resource = _compose(rank=0, resource_attributes={**attributes, "ok": 1})
    assert resource["ok"] == 1
    assert not attributes.keys() & resource.keys()
    (record,) = caplog.records
    assert "is left out" in record.getMessage()


def test_none_means_that_nothing_was_given(caplog):
    """Callers pass on what they may not have."""
    resource = _compose(rank=0, resource_attributes={"host.name": None, "nv.dl.rank": None})
    assert resource["host.name"]
    assert not caplog.records


def test_attributes_that_are_no_mapping_are_refused():
    """A programmer's error shows at once, with what to do."""
    with pytest.raises(TypeError, match=r"resource_attributes must be a mapping.*got list"):
        _compose(resource_attributes=[("a", 1)])


def test_the_environment_of_this_process_is_the_default(monkeypatch):
    """No argument is needed."""
    monkeypatch.setenv("RANK", "2")
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert compose_resource(NemoLensConfig(run_id="r"))["nv.dl.rank"] == 2


OTHER_VARIABLES = ("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "DEPLOYMENT_ENV", "ENVIRONMENT")
READ_VARIABLES = (
    *OTHER_VARIABLES,
    *(name for row in DETECTION_VARIABLES for name in row.names),
    *(
        f"{name}_{kind}_GROUP_{number}"
        for row in DETECTION_VARIABLES
        if row.per_component
        for name in row.names
        for kind in ("HET", "PACK")
        for number in (0, 1, 2)
    ),
)
RAW_VALUES = st.binary(max_size=24).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
LIKELY_VALUES = st.sampled_from(
    ["", " ", "0", "3", "-1", "abc", "(null)", "$(X)", "9" * 40, "1", "a=1,nv.dl.rank=x,=,%"]
)


class _Recording(dict):
    """An environment that remembers which variables were looked at."""

    def __init__(self, environ):
        super().__init__(environ)
        self.read = set()

    def get(self, name, default=None):
        self.read.add(name)
        return super().get(name, default)

    def __getitem__(self, name):
        self.read.add(name)
        return super().__getitem__(name)

    def __contains__(self, name):
        self.read.add(name)
        return super().__contains__(name)


def test_each_variable_of_the_table_is_read():
    """No row of the documentation is about nothing, and no variable is missing there."""
    step = {"SLURM_STEP_ID": "0"}
    parts = {"SLURM_JOB_ID": "1", "SLURM_HET_SIZE": "3", "KUBERNETES_SERVICE_HOST": "k"}
    read = set()
    for environ in ({}, {"SLURM_JOB_ID": "1"}, parts, {**parts, **step}):
        recorded = _Recording(environ)
        _compose(recorded)
        derive_nv_dl_run_uuid(recorded)
        detect_gpu(0, recorded)
        read |= recorded.read
    assert read == set(READ_VARIABLES)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(environ={"OTEL_RESOURCE_ATTRIBUTES": f"nv.gpu.index={2**63}"}, rank=2**63)
@given(
    environ=st.dictionaries(st.sampled_from(READ_VARIABLES), RAW_VALUES | LIKELY_VALUES),
    rank=st.none() | RAW_VALUES | st.integers(),
)
def test_any_environment_gives_a_resource_that_can_be_exported(environ, rank, caplog):
    """Arbitrary bytes in any variable cause warnings at most."""
    caplog.clear()
    resource = _compose(environ, rank=rank)
    for name, value in resource.items():
        name.encode()
        assert type(value) in (str, int)
        if type(value) is str:
            value.encode()
        else:
            assert -(2**63) <= value < 2**63
    assert resource.get("nv.dl.rank", 0) >= 0
    assert all(record.levelno <= logging.WARNING for record in caplog.records)
    assert all(record.exc_info is None for record in caplog.records)


def test_a_real_process_with_bytes_in_every_variable_composes_its_resource():
    """What the operating system hands over is not always text."""
    code = (
        "from nemo.lens import NemoLensConfig\n"
        "from nemo.lens.resources.composition import compose_resource\n"
        "print(len(compose_resource(NemoLensConfig(run_id='r'))))"
    )
    garbage = {name.encode(): b"\xff\x80,\xc3=%f0\n" for name in READ_VARIABLES}
    environ = {name: value for name, value in os.environb.items() if name not in garbage}
    run = subprocess.run(
        [sys.executable, "-c", code], env={**environ, **garbage}, capture_output=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert b"Traceback" not in run.stderr
    assert int(run.stdout) > 0
