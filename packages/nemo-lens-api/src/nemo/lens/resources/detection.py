# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""All detectors together."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from nemo.lens.resources.environment import environment_of
from nemo.lens.resources.kubernetes import detect_kubernetes
from nemo.lens.resources.local import detect_local
from nemo.lens.resources.slurm import detect_slurm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["detect_resource"]

_log = logging.getLogger(__name__)


def detect_resource(environ: Mapping[str, str] | None = None) -> dict[str, str | int]:
    """Detect the host, the SLURM job and the Kubernetes pod of this process.

    It takes less than 5 ms and never raises: a detector that fails is left out with a WARNING. The
    GPU is not part of it, because asking NVML takes longer; a worker calls `detect_gpu`.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        Attributes by name. Where detectors name the same attribute, Kubernetes wins over SLURM and
        SLURM over the host.
    """
    environment = environment_of(environ)
    return {
        **_guarded(detect_local, environment),
        **_guarded(detect_slurm, environment),
        **_guarded(detect_kubernetes, environment),
    }


def _guarded(
    detect: Callable[[Mapping[str, str]], Mapping[str, str | int]], environ: Mapping[str, str]
) -> Mapping[str, str | int]:
    try:
        return detect(environ)
    except Exception:  # detection must not stop a job, whatever the machine holds
        _log.warning("%s failed: its attributes are left out.", detect, exc_info=True)
        return {}
