# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Trace context and configuration handed to programs: `subprocess`, `srun`, `torchrun`.

    subprocess.run(["torchrun", "train.py"], env=child_environment(config))

    with environment_context():      # in train.py, after set-up from the environment
        train()

The names follow OpenTelemetry's environment variables as context propagation carriers.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from nemo.lens.config import NemoLensConfig, ensure_run_id
from nemo.lens.configuration.settings import DEFAULT_PREFIX
from nemo.lens.contrib.own_telemetry import check_config, exports
from nemo.lens.helpers import attached_context
from nemo.lens.propagation import inject_context

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

_CARRIER_VARIABLES = ("TRACEPARENT", "TRACESTATE", "BAGGAGE")


def child_environment(
    config: NemoLensConfig | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    prefix: str = DEFAULT_PREFIX,
) -> dict[str, str]:
    """Return the environment for a program that is to continue the current trace.

    Args:
        config: The configuration to hand on as `<prefix>_*`, so that the child exports as this
            process does, into the same run; it gets a disabled one where this process does not
            export. Its `run_id` is filled here when it is empty. None to hand on nothing but the
            context and what the environment has.
        environ: What to start from; None for the environment of this process. Not changed.
        prefix: The prefix that the child's `NemoLensConfig.from_env` is called with.

    Returns:
        A new dictionary for `env=`. A context that `environ` holds is replaced, or removed when
        there is no current one, because it is not the child's.

    Raises:
        ValueError: A value of `config` is bad.
        TypeError: `config` is none.
    """
    if config is not None:
        check_config("child_environment", config)
    child = dict(os.environ if environ is None else environ)
    for variable in _CARRIER_VARIABLES:
        child.pop(variable, None)
    carrier: dict[str, str] = {}
    inject_context(carrier)
    child.update({name.upper().replace("-", "_"): value for name, value in carrier.items()})
    if config is not None:
        ensure_run_id(config)
        handed_on = replace(config, enabled=False) if exports() is False else config
        child.update(handed_on.to_env(prefix))
    return child


def environment_context(environ: Mapping[str, str] | None = None) -> AbstractContextManager[None]:
    """Return a context manager inside which the context that the parent handed on is current.

    Without one, or with a malformed one, the context stays what it is. Never raises.

    Args:
        environ: The variables; None for those of this process.
    """
    variables = os.environ if environ is None else environ
    return attached_context({name.replace("_", "-"): value for name, value in variables.items()})
