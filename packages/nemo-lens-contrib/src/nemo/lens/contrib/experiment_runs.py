# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""From telemetry to the run in Weights & Biases or MLflow.

    wandb.init(...)
    setup_telemetry(config, resource_attributes=experiment_run_attributes())
    with managed_span("job", "trainer.run") as span:
        link_experiment_runs(span)

Neither package is imported: a run is found where the application has started one, or where the
launcher names it in `WANDB_RUN_ID` or `MLFLOW_RUN_ID`, as it does for ranks without one.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from nemo.lens.helpers import safe_set_span_attributes
from nemo.lens.semconv import (
    NEMO_MLFLOW_RUN_ID,
    NEMO_MLFLOW_RUN_URL,
    WANDB_ENTITY,
    WANDB_PROJECT,
    WANDB_RUN_ID,
    WANDB_RUN_URL,
)
from nemo.lens.spans.discards import discard

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.trace import Span

_SPAN_ONLY = (WANDB_RUN_URL, NEMO_MLFLOW_RUN_URL)


def experiment_run_attributes(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return resource attributes that name the runs of this process; empty without one.

    Call it after the tracker has begun its run and before set-up. Never raises, and never starts a
    run or talks to a server.

    Args:
        environ: The variables; None for those of this process.

    Returns:
        `wandb.run.id`, `wandb.entity`, `wandb.project` and `nemo.mlflow.run.id`, where known.
    """
    found = _found(os.environ if environ is None else environ)
    return {name: value for name, value in found.items() if name not in _SPAN_ONLY}


def link_experiment_runs(span: Span | None = None) -> None:
    """Put ids and addresses of the runs of this process on a span; never raises.

    Credentials and queries, such as the API key in the address of an anonymous run, are left out.

    Args:
        span: The span, or None of a `managed_span` whose group is off: then nothing is done.
    """
    if span is not None and span.is_recording():
        safe_set_span_attributes(span, _found(os.environ))


def _found(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what is known of the runs, under the names of attributes."""
    named = {
        WANDB_RUN_ID: environ.get("WANDB_RUN_ID"),
        NEMO_MLFLOW_RUN_ID: environ.get("MLFLOW_RUN_ID"),
        **_asked("wandb", _wandb_run),
        **_asked("mlflow", _mlflow_run),
    }
    return {name: str(value) for name, value in named.items() if value}


def _asked(package: str, run_of: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    module = sys.modules.get(package)
    if module is None:
        return {}
    try:
        return run_of(module)
    except Exception as error:  # another version of the package, or a tracker that is broken
        discard("experiment run", "The run of %s is not named: %s.", package, error)
        return {}


def _wandb_run(wandb: Any) -> dict[str, Any]:
    run = getattr(wandb, "run", None)
    if run is None:
        return {}
    from nemo.lens.contrib.http_spans import bare_url

    return {
        WANDB_RUN_ID: run.id,
        WANDB_ENTITY: run.entity,
        WANDB_PROJECT: run.project,
        WANDB_RUN_URL: run.url and bare_url(run.url),
    }


def _mlflow_run(mlflow: Any) -> dict[str, Any]:
    run = mlflow.active_run()
    if run is None:
        return {}
    run_id = run.info.run_id
    server = str(mlflow.get_tracking_uri())
    if not server.startswith(("http://", "https://")):
        return {NEMO_MLFLOW_RUN_ID: run_id}
    from nemo.lens.contrib.http_spans import bare_url

    page = f"{bare_url(server).rstrip('/')}/#/experiments/{run.info.experiment_id}/runs/{run_id}"
    return {NEMO_MLFLOW_RUN_ID: run_id, NEMO_MLFLOW_RUN_URL: page}
