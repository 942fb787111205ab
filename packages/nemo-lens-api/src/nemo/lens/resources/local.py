# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The host and the process."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

from nemo.lens.resources.cuda import CUDA_VISIBLE_DEVICES, visible_devices
from nemo.lens.resources.environment import clean_text, environment_of
from nemo.lens.semconv import HOST_GPU_COUNT, HOST_NAME, PROCESS_PID

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["detect_local"]

DRIVER_GPUS = "/proc/driver/nvidia/gpus"
"""Where the NVIDIA driver lists the GPUs of the machine, one folder each."""


def detect_local(environ: Mapping[str, str] | None = None) -> dict[str, str | int]:
    """Detect the host and the process.

    No subprocess is started and no driver is called; it costs well below a millisecond.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        `host.name`, `process.pid`, and `host.gpu.count` where it is known: the devices that
        `CUDA_VISIBLE_DEVICES` shows, or without it those that the driver lists.
    """
    attributes: dict[str, str | int] = {PROCESS_PID: os.getpid()}
    name = _host_name()
    if name:
        attributes[HOST_NAME] = name
    gpus = _gpu_count(environment_of(environ))
    if gpus is not None:
        attributes[HOST_GPU_COUNT] = gpus
    return attributes


def _host_name() -> str:
    try:
        return clean_text(socket.gethostname())
    except OSError:
        return ""


def _gpu_count(environ: Mapping[str, str]) -> int | None:
    visible = environ.get(CUDA_VISIBLE_DEVICES)
    if visible is not None:
        return len(visible_devices(visible))
    try:
        return len(os.listdir(DRIVER_GPUS))  # noqa: PTH208 - pathlib costs an import at start-up
    except OSError:
        return None
