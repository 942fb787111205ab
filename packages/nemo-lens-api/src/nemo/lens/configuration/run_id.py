# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The run id: one name that all processes of a job agree on without talking to each other."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nemo.lens.configuration.settings import RUN_ID_VARIABLE
from nemo.lens.configuration.value_types import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemo.lens.config import NemoLensConfig

_RANDOM_BYTES = 6
_TEXT = Text()
_LAUNCHER_VARIABLES = (("TORCHELASTIC_RUN_ID", "none"), ("RAY_JOB_ID", "ffffffff"))
"""Variables that name a run, each with the value that means "no run"."""


def ensure_run_id(config: NemoLensConfig, environ: Mapping[str, str] | None = None) -> str:
    """Give the run id of `config`, filling it when it is empty.

    The first of these that is not empty decides: the config's own, `NEMO_LENS_RUN_ID`, the SLURM
    array job with its task, the SLURM job (of a heterogeneous job its leading one),
    `TORCHELASTIC_RUN_ID`, `RAY_JOB_ID`, 12 random hexadecimal digits. Placeholders do not count:
    torchrun's "none", and the "no job" of Ray's task workers. Random digits are written to
    `NEMO_LENS_RUN_ID` of this process, so that children started in any way share them.

    Args:
        config: Gets the run id, so that later calls give the same one.
        environ: Variables to look at in place of the process's own. Nothing is written to the
            process's environment then.

    Returns:
        The run id.
    """
    if config.run_id:
        return config.run_id
    variables = os.environ if environ is None else environ
    run_id, origin = _from_job(variables)
    if not run_id:
        run_id, origin = os.urandom(_RANDOM_BYTES).hex(), "random"
        if environ is None:
            os.environ[RUN_ID_VARIABLE] = run_id
    config.record_origin("run_id", run_id, origin)
    return run_id


def _from_job(environ: Mapping[str, str]) -> tuple[str, str]:
    """Find the id that the launcher or scheduler gave the job, with where it came from."""
    from nemo.lens.resources.slurm import find_slurm_job_id

    def text(variable: str) -> str:
        return _TEXT.parse(environ.get(variable, ""))

    if text(RUN_ID_VARIABLE):
        return text(RUN_ID_VARIABLE), f"environment:{RUN_ID_VARIABLE}"
    job, variable = find_slurm_job_id(environ)
    if job:
        return job, f"environment:{variable}"
    for variable, placeholder in _LAUNCHER_VARIABLES:
        run_id = text(variable)
        if run_id and run_id.lower() != placeholder:
            return run_id, f"environment:{variable}"
    return "", ""
