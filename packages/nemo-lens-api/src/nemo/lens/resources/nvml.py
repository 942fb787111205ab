# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One GPU as NVML describes it, where the Python bindings of NVML are installed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nemo.lens import semconv
from nemo.lens.resources.environment import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable


def describe_with_nvml(device: str) -> dict[str, str | int] | None:
    """Describe a GPU by its ordinal or UUID.

    NVML is opened for this one call; that takes tens of milliseconds on a machine with GPUs, so
    `detect_resource` does not ask it.

    Args:
        device: An ordinal as digits, or a `GPU-...` UUID.

    Returns:
        `nv.gpu.*`, at least index, model and UUID; empty where NVML does not know the device; None
        where NVML is not installed.
    """
    try:
        nvml: Any = import_module("pynvml")
    except Exception:  # a broken installation shows as any error
        return None
    try:
        nvml.nvmlInit()
    except Exception:  # no driver, or no permission
        return {}
    try:
        return _described(nvml, device)
    except Exception:  # a device that NVML does not know or has lost
        return {}
    finally:
        _quietly(nvml.nvmlShutdown)


def _described(nvml: Any, device: str) -> dict[str, str | int]:
    handle = _handle(nvml, device)
    attributes: dict[str, str | int] = {
        semconv.NV_GPU_INDEX: int(nvml.nvmlDeviceGetIndex(handle)),
        semconv.NV_GPU_MODEL: _text(nvml.nvmlDeviceGetName(handle)),
        semconv.NV_GPU_UUID: _text(nvml.nvmlDeviceGetUUID(handle)),
    }
    optional: dict[str, Callable[[], str | int]] = {
        semconv.NV_GPU_SERIAL: lambda: _text(nvml.nvmlDeviceGetSerial(handle)),
        semconv.NV_GPU_PCI_BUS_ID: lambda: _text(nvml.nvmlDeviceGetPciInfo(handle).busId),
        semconv.NV_GPU_COMPUTE_CAPABILITY: lambda: _capability(nvml, handle),
        semconv.NV_GPU_MEMORY_TOTAL: lambda: int(nvml.nvmlDeviceGetMemoryInfo(handle).total),
        semconv.NV_GPU_DRIVER_VERSION: lambda: _text(nvml.nvmlSystemGetDriverVersion()),
    }
    for name, read in optional.items():
        value = _quietly(read)
        if value is not None:
            attributes[name] = value
    return attributes


def _handle(nvml: Any, device: str) -> Any:
    if device.isdecimal():
        return nvml.nvmlDeviceGetHandleByIndex(int(device))
    return nvml.nvmlDeviceGetHandleByUUID(device)


def _capability(nvml: Any, handle: Any) -> str:
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return f"{major}.{minor}"


def _text(value: str | bytes) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return clean_text(text)


def _quietly(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except Exception:  # each of these is optional: not every board has every number
        return None
