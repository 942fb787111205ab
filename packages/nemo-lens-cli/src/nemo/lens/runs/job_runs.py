# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The runs of one job: a job that is restarted under another run id keeps its `nv.dl.job.uuid`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.runs.locate import find_runs
from nemo.lens.runs.problems import Problems, RunError
from nemo.lens.runs.process import from_folder
from nemo.lens.runs.run import Run
from nemo.lens.semconv import NV_DL_JOB_UUID

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.locate import RunLocation
    from nemo.lens.runs.process import Process


def job_of(processes: Iterable[Process]) -> set[str]:
    """The job ids that processes name; more than one for processes of several jobs."""
    named = (process.resource.get(NV_DL_JOB_UUID) for process in processes)
    return {job for job in named if isinstance(job, str) and job}


def runs_of_job(run: Run) -> list[Run]:
    """A run and the other runs of its job that lie beside it, in order of their names.

    One manifest of each run in the same folder is read. A run that names no job stands alone.
    """
    jobs = job_of(run.processes)
    found = [run]
    for location in _beside(run) if jobs else ():
        if jobs & job_of([from_folder(location.folders[0], "", Problems())]):
            try:
                found.append(Run(location.path))
            except RunError:  # gone since it was listed
                continue
    return sorted(found, key=_path)


def _path(run: Run) -> str:
    return str(run.path)


def _beside(run: Run) -> list[RunLocation]:
    here = run.path.resolve()
    try:
        runs = find_runs(here.parent)
    except RunError:
        return []
    return [other for other in runs if other.folders and other.path != here]
