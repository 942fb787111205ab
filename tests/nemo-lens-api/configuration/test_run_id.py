# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The run id, on which all processes of a job agree without talking to each other."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from nemo.lens.config import NemoLensConfig, ensure_run_id
from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES

RANDOM_ID = re.compile(r"[0-9a-f]{12}")
JOB_VARIABLES = {
    "SLURM_ARRAY_JOB_ID": "36",
    "SLURM_ARRAY_TASK_ID": "2",
    "SLURM_JOB_ID": "37",
    "SLURM_JOBID": "38",
    "TORCHELASTIC_RUN_ID": "exp-9",
    "RAY_JOB_ID": "01000000",
}


@pytest.fixture
def no_job(monkeypatch):
    """A process that no launcher started; what a test exports is removed after it."""
    for name in ("NEMO_LENS_RUN_ID", *JOB_VARIABLES):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def job(*removed, **variables):
    """The variables of a job that has all there is, but for those removed."""
    return {k: v for k, v in {**JOB_VARIABLES, **variables}.items() if k not in removed}


ARRAY = ("SLURM_ARRAY_TASK_ID",)
SLURM = (*ARRAY, "SLURM_JOB_ID")
SLURM_BOTH = (*SLURM, "SLURM_JOBID")
TORCH = (*SLURM_BOTH, "TORCHELASTIC_RUN_ID")


@pytest.mark.parametrize(
    ("environ", "run_id", "origin"),
    [
        (job(NEMO_LENS_RUN_ID=" given "), "given", "environment:NEMO_LENS_RUN_ID"),
        (job(), "36_2", "environment:SLURM_ARRAY_JOB_ID"),
        (job(SLURM_ARRAY_TASK_ID="0"), "36_0", "environment:SLURM_ARRAY_JOB_ID"),
        (job(*ARRAY), "37", "environment:SLURM_JOB_ID"),
        (job(*ARRAY, SLURM_HET_JOB_ID="35"), "35", "environment:SLURM_HET_JOB_ID"),
        (job(*SLURM), "38", "environment:SLURM_JOBID"),
        (job(*ARRAY, SLURM_JOB_ID=" "), "38", "environment:SLURM_JOBID"),
        (job(*SLURM_BOTH), "exp-9", "environment:TORCHELASTIC_RUN_ID"),
        (job(*SLURM_BOTH, TORCHELASTIC_RUN_ID="none"), "01000000", "environment:RAY_JOB_ID"),
        (job(*TORCH), "01000000", "environment:RAY_JOB_ID"),
    ],
)
def test_the_launcher_that_knows_most_names_the_run(environ, run_id, origin):
    """The order of the documentation; restarts of a job keep its id."""
    config = NemoLensConfig()
    assert ensure_run_id(config, environ) == run_id
    assert config.run_id == run_id
    assert config.provenance()["run_id"] == origin


PUBLISHED = {"OTEL_RESOURCE_ATTRIBUTES": "service.name=x,nemo.run.id=pub%20lished"}


@pytest.mark.parametrize("launched", [{}, JOB_VARIABLES])
def test_an_id_that_somebody_published_names_the_run(launched):
    """The environment wins over detection, and the resource must say what the run files say."""
    config = NemoLensConfig()
    assert ensure_run_id(config, {**PUBLISHED, **launched}) == "pub lished"
    assert config.provenance()["run_id"] == "environment:OTEL_RESOURCE_ATTRIBUTES"


def test_the_variable_of_the_run_id_wins_over_what_is_published():
    """It is the more specific one."""
    environ = {**PUBLISHED, "NEMO_LENS_RUN_ID": "mine"}
    assert ensure_run_id(NemoLensConfig(), environ) == "mine"


@pytest.mark.parametrize("text", ["nemo.run.id=", "nemo.run.id=%20", "nemo.run.id", "\udc80"])
def test_a_published_id_that_is_empty_does_not_count(text):
    """The launcher names the run then."""
    environ = {**JOB_VARIABLES, "OTEL_RESOURCE_ATTRIBUTES": text}
    assert ensure_run_id(NemoLensConfig(), environ) == "36_2"


def test_the_id_of_the_configuration_wins():
    """What code or the environment gave `from_env` is not questioned."""
    assert ensure_run_id(NemoLensConfig(run_id="mine"), JOB_VARIABLES) == "mine"


def test_the_id_is_kept_in_the_configuration(no_job):
    """Later calls give the same id, whatever the environment is then."""
    config = NemoLensConfig()
    assert ensure_run_id(config) == ensure_run_id(config, JOB_VARIABLES)


def test_without_a_launcher_the_id_is_random_and_exported(no_job):
    """Every later set-up and every child of this process shares it."""
    config = NemoLensConfig()
    run_id = ensure_run_id(config)
    assert RANDOM_ID.fullmatch(run_id)
    assert config.provenance()["run_id"] == "random"
    assert os.environ["NEMO_LENS_RUN_ID"] == run_id
    assert ensure_run_id(NemoLensConfig()) == run_id
    assert NemoLensConfig.from_env("MEGATRON_OTEL").run_id == run_id


def test_an_id_that_a_launcher_gave_is_not_exported(no_job, monkeypatch):
    """A batch job that this one submits has a name of its own."""
    monkeypatch.setenv("SLURM_JOB_ID", "37")
    assert ensure_run_id(NemoLensConfig()) == "37"
    assert "NEMO_LENS_RUN_ID" not in os.environ


def test_a_given_environment_is_neither_written_nor_exported(no_job):
    """Asking about other variables changes nothing."""
    environ = {}
    first = ensure_run_id(NemoLensConfig(), environ)
    assert environ == {}
    assert "NEMO_LENS_RUN_ID" not in os.environ
    assert first != ensure_run_id(NemoLensConfig(), environ)


def test_a_random_id_does_not_touch_the_random_stream(no_job):
    """Telemetry never changes what training draws."""
    import random

    random.seed(7)
    expected = random.random()
    random.seed(7)
    ensure_run_id(NemoLensConfig(), {})
    assert random.random() == expected


CHILDREN = """
import multiprocessing, sys
from nemo.lens.config import NemoLensConfig, ensure_run_id

def child(queue):
    queue.put((ensure_run_id(NemoLensConfig()), NemoLensConfig.from_env("NVRX_OTEL").run_id))

if __name__ == "__main__":
    mine = ensure_run_id(NemoLensConfig())
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.SimpleQueue()
    children = [context.Process(target=child, args=(queue,)) for _ in range(2)]
    for process in children:
        process.start()
    seen = {run_id for _ in children for run_id in queue.get()}
    for process in children:
        process.join()
    print(seen == {mine}, [process.exitcode for process in children])
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_started_in_any_way_agree_with_their_parent(tmp_path, method):
    """Real processes, each with a configuration of its own."""
    script = tmp_path / "job.py"
    script.write_text(CHILDREN)
    environ = {k: v for k, v in os.environ.items() if k not in {"NEMO_LENS_RUN_ID", *JOB_VARIABLES}}
    result = subprocess.run(
        [sys.executable, str(script), method],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert result.stdout.strip() == "True [0, 0]", result.stderr


def test_the_variables_of_the_run_id_are_documented():
    """The table of the documentation names each of them."""
    assert JOB_VARIABLES.keys() <= {row.name for row in FOREIGN_VARIABLES}


def test_a_ray_worker_without_a_job_does_not_name_the_run():
    """Ray's task workers carry a placeholder where its actors carry the job."""
    config = NemoLensConfig()
    ensure_run_id(config, {"RAY_JOB_ID": "ffffffff"})
    assert RANDOM_ID.fullmatch(config.run_id)
