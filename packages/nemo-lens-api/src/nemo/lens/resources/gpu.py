# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The GPU that a process works on."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from nemo.lens import semconv
from nemo.lens.resources.cuda import CUDA_VISIBLE_DEVICES, visible_devices
from nemo.lens.resources.environment import clean_text, environment_of, read_file
from nemo.lens.resources.identity import detect_identity
from nemo.lens.resources.local import DRIVER_GPUS
from nemo.lens.resources.nvml import describe_with_nvml

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["detect_gpu"]

DRIVER_VERSION = "/proc/driver/nvidia/version"

_VERSION = re.compile(r"Module\S*\s+(?:for \S+\s+)?(\d+(?:\.\d+)+)")


def detect_gpu(
    local_rank: int | None = None, environ: Mapping[str, str] | None = None
) -> dict[str, str | int]:
    """Detect the GPU of this process. It is not part of `detect_resource`: a worker asks for it.

    The rank on the node picks an entry of `CUDA_VISIBLE_DEVICES`, which is read as the CUDA runtime
    reads it, or without that variable a GPU of the machine. NVML describes it where its Python
    bindings are installed (the extra `gpu` of nemo-lens-instruments), else what the driver shows
    under `/proc`. No subprocess is started. Ordinals are those of NVML, which orders by PCI bus;
    CUDA does so with `CUDA_DEVICE_ORDER=PCI_BUS_ID` and on machines with GPUs of one kind.

    Args:
        local_rank: The rank on the node, 0 or more; by default that of `detect_identity`, or 0.
        environ: The environment; that of this process by default.

    Returns:
        `nv.gpu.*`: always index, model and UUID, the others as far as they can be read. Empty
        where the process sees no such GPU, for MIG devices, and without a driver.
    """
    environment = environment_of(environ)
    if local_rank is None:
        local_rank = detect_identity(environment).local_rank or 0
    device = _device(environment, local_rank)
    if device is None:
        return {}
    described = describe_with_nvml(device)
    return _from_driver(device) if described is None else described


def _device(environ: Mapping[str, str], local_rank: int) -> str | None:
    if local_rank < 0:
        return None
    visible = environ.get(CUDA_VISIBLE_DEVICES)
    if visible is None:
        return str(local_rank)
    devices = visible_devices(visible)
    if local_rank >= len(devices) or devices[local_rank].startswith("MIG-"):
        return None
    return devices[local_rank]


def _from_driver(device: str) -> dict[str, str | int]:
    for index, facts in enumerate(_driver_gpus()):
        if device in {str(index), facts.get("GPU UUID")} and {"GPU UUID", "Model"} <= facts.keys():
            attributes: dict[str, str | int] = {
                semconv.NV_GPU_INDEX: index,
                semconv.NV_GPU_MODEL: facts["Model"],
                semconv.NV_GPU_UUID: facts["GPU UUID"],
            }
            if "Bus Location" in facts:
                attributes[semconv.NV_GPU_PCI_BUS_ID] = facts["Bus Location"]
            version = _VERSION.search(read_file(DRIVER_VERSION))
            if version:
                attributes[semconv.NV_GPU_DRIVER_VERSION] = version.group(1)
            return attributes
    return {}


def _driver_gpus() -> list[dict[str, str]]:
    try:
        folders = sorted(os.listdir(DRIVER_GPUS))  # noqa: PTH208 - as in local
    except OSError:
        return []
    return [_facts(read_file(f"{DRIVER_GPUS}/{folder}/information")) for folder in folders]


def _facts(text: str) -> dict[str, str]:
    """Parse lines of a name, a colon and a value."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {key.strip(): clean_text(value.strip()) for key, _, value in pairs if value.strip()}
