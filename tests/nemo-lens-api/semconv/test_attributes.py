# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The constants of the semantic conventions."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nemo.lens import semconv
from nemo.lens.semconv import attributes

BOTH_VOCABULARIES = {
    "DL_RANK": "dl.rank",
    "DL_THROUGHPUT_TOKENS_PER_SEC": "dl.throughput_tokens_per_sec",
    "DL_MICROBATCH_ID": "dl.microbatch_id",
    "GENAI_TOKEN_TYPE": "gen_ai.token.type",
    "GYM_VERIFY_SUCCESS_RATE": "gym.verify.success_rate",
    "INVERTED_DELTA_SECONDS": "inverted.delta_seconds",
    "K8S_POD_UID": "k8s.pod.uid",
    "NEMO_RUN_ID": "nemo.run.id",
    "NV_DL_TRAINING_CONFIG_GLOBAL_BATCH_SIZE": "nv.dl.training.config.global_batch_size",
    "NV_DL_TOPOLOGY_SIZE_TP": "nv.dl.topology.size.tp",
    "NV_GPU_PCI_BUS_ID": "nv.gpu.pci_bus_id",
    "RL_GENERATION_BACKEND": "rl.generation.backend",
    "SLURM_JOB_ID_RAW": "slurm.job.id.raw",
    "SLURM_ARRAY_JOB_ID": "slurm.array.job_id",
    "SLURM_TORCHELASTIC_RESTART_COUNT": "slurm.torchelastic.restart_count",
    "WANDB_PROJECT": "wandb.project",
}


@pytest.mark.parametrize(("constant", "value"), BOTH_VOCABULARIES.items())
def test_both_vocabularies_are_importable_from_the_package(constant, value):
    """Code of either generation finds its names, with the values it always had."""
    assert getattr(semconv, constant) == value


def test_every_constant_is_exported_and_names_one_attribute():
    """A star import gives each constant, and no two constants share a value."""
    names = attributes.__all__
    values = [getattr(attributes, name) for name in names]
    assert len(names) == len(set(names)) == len(set(values))
    assert all(getattr(semconv, name) == getattr(attributes, name) for name in names)


def test_the_schema_url_names_a_version():
    """The schema URL ends in the version of the conventions."""
    address, _, version = semconv.SCHEMA_URL.rpartition("/")
    assert address == "https://docs.nvidia.com/nemo/lens/semconv"
    assert [part.isdecimal() for part in version.split(".")] == [True, True, True]


@pytest.mark.parametrize("module", ["semconv", "semconv.resources", "resources.composition"])
def test_importing_imports_no_opentelemetry(module):
    """Whoever needs a name, or the resource, does not pay for OpenTelemetry."""
    code = (
        f"import sys, nemo.lens.{module};"
        "sys.exit(any(name.split('.')[0] in ('opentelemetry', 'yaml') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
