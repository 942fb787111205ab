# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""GPU metrics read through NVML at every collection (extra `gpu`); no subprocess, no sampling thread."""

from __future__ import annotations

import logging
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.domain import OWNER, Domain
from nemo.lens.instruments.metric_spec import MetricSpec
from nemo.lens.instruments.recording import create_metric_instruments
from nemo.lens.resources.cuda import CUDA_VISIBLE_DEVICES, visible_devices
from nemo.lens.resources.identity import detect_identity
from nemo.lens.semconv import NV_GPU_INDEX, NV_GPU_UUID
from nemo.lens.spans.text import real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from opentelemetry.metrics import CallbackOptions, Meter, Observation

_logger = logging.getLogger(__name__)

# NVML's names differ between driver generations, its numbers do not.
_CORRECTED, _UNCORRECTED, _SINCE_DRIVER_LOAD = 0, 1, 0
_TEMPERATURE_OF_THE_GPU = 0
_THERMAL_REASONS = 0x20 | 0x40
_POWER_REASONS = 0x04 | 0x80


class ObservedGpus:
    """The GPUs that this process reports, opened again in a forked child."""

    def __init__(self) -> None:
        self.devices: tuple[str, ...] = ()
        self._nvml: Any = None
        self._opened_by = 0
        self._handles: list[tuple[Any, dict[str, str | int]]] = []

    def observe(self, read: Callable[[Any, Any], float]) -> list[Observation]:
        """Read one number of each GPU; a GPU that does not have it is left out."""
        from opentelemetry.metrics import Observation

        return [
            Observation(value, attributes)
            for handle, attributes in self._opened()
            if (value := self._read(read, handle)) is not None
        ]

    def close(self) -> None:
        """Forget the GPUs; NVML itself stays open, others in the process may use it."""
        self.devices = ()
        self._opened_by = 0
        self._handles = []

    def _opened(self) -> list[tuple[Any, dict[str, str | int]]]:
        if self.devices and self._opened_by != os.getpid():
            self._opened_by = os.getpid()
            self._handles = self._open_all()
        return self._handles

    def _open_all(self) -> list[tuple[Any, dict[str, str | int]]]:
        try:
            self._nvml = import_module("pynvml")
            self._nvml.nvmlInit()
        except Exception as reason:  # worked before, in the process that this one was forked from
            _logger.warning("NVML cannot be opened (%r); GPUs are not observed.", reason)
            return []
        opened = map(self._open, self.devices)
        return [handle for handle in opened if handle is not None]

    def _read(self, read: Callable[[Any, Any], float], handle: Any) -> float | None:
        try:
            return read(self._nvml, handle)
        except Exception:  # not every board has every number, and one may be lost
            _logger.debug("NVML has no answer to %s", read.__name__, exc_info=True)
            return None

    def _open(self, device: str) -> tuple[Any, dict[str, str | int]] | None:
        try:
            handle = (
                self._nvml.nvmlDeviceGetHandleByIndex(int(device))
                if device.isdecimal()
                else self._nvml.nvmlDeviceGetHandleByUUID(device)
            )
            uuid = self._nvml.nvmlDeviceGetUUID(handle)
            return handle, {
                NV_GPU_INDEX: int(self._nvml.nvmlDeviceGetIndex(handle)),
                NV_GPU_UUID: uuid.decode() if isinstance(uuid, bytes) else str(uuid),
            }
        except Exception as reason:
            _logger.warning("NVML cannot open GPU %s (%r); it is not observed.", device, reason)
            return None


_gpus = ObservedGpus()


def observe_gpus(meter: Meter, *, devices: Sequence[int | str] | None = None) -> bool:
    """Report GPUs at every collection from now on.

    Never raises and starts no process. Without the extra (`pip install
    'nemo-lens-instruments[gpu]'`) or a driver nothing is created, and one INFO line says so.

    Args:
        meter: The meter of the handle.
        devices: Indices (in NVML's order) or UUIDs of the GPUs to report. By default the one that
            this process works on: the entry of `CUDA_VISIBLE_DEVICES` at its local rank, or without
            that variable the GPU with the number of the local rank. So the ranks of a node report
            each GPU once.

    Returns:
        Whether GPUs are reported.
    """
    try:
        nvml: Any = import_module("pynvml")
        nvml.nvmlInit()
        count = int(nvml.nvmlDeviceGetCount())
    except Exception as reason:  # no bindings, no driver, no permission
        _logger.info(
            "GPU metrics are off: NVML is not available (%r). They need a driver and"
            " nemo-lens-instruments[gpu].",
            reason,
        )
        return False
    _gpus.close()
    _gpus.devices = tuple(d for d in _chosen(devices) if not d.isdecimal() or int(d) < count)
    if not _gpus.devices:
        _logger.info("GPU metrics are off: this process works on none of the %d GPUs.", count)
        return False
    create_metric_instruments(meter, _GPU.group)
    return True


def _chosen(devices: Any) -> tuple[str, ...]:
    if devices is None:
        return own_devices()
    if isinstance(devices, (int, str)):
        return (str(devices),)
    try:
        return tuple(map(str, devices))
    except Exception:
        _logger.warning(
            "observe_gpus: devices is of type %s and names no GPU; give indices or UUIDs.",
            type_name(real_type(devices)),
        )
        return ()


def own_devices() -> tuple[str, ...]:
    """Return the GPU that this process works on, as NVML index or UUID; empty for none."""
    local_rank = detect_identity().local_rank or 0
    visible = os.environ.get(CUDA_VISIBLE_DEVICES)
    if visible is None:
        return (str(local_rank),)
    return visible_devices(visible)[local_rank : local_rank + 1]


def _utilization(nvml: Any, handle: Any) -> float:
    return int(nvml.nvmlDeviceGetUtilizationRates(handle).gpu) / 100


def _memory_used(nvml: Any, handle: Any) -> int:
    return int(nvml.nvmlDeviceGetMemoryInfo(handle).used)


def _power(nvml: Any, handle: Any) -> float:
    return int(nvml.nvmlDeviceGetPowerUsage(handle)) / 1000


def _temperature(nvml: Any, handle: Any) -> int:
    return int(nvml.nvmlDeviceGetTemperature(handle, _TEMPERATURE_OF_THE_GPU))


def _corrected_errors(nvml: Any, handle: Any) -> int:
    return int(nvml.nvmlDeviceGetTotalEccErrors(handle, _CORRECTED, _SINCE_DRIVER_LOAD))


def _uncorrected_errors(nvml: Any, handle: Any) -> int:
    return int(nvml.nvmlDeviceGetTotalEccErrors(handle, _UNCORRECTED, _SINCE_DRIVER_LOAD))


def _held_down_by(reasons: int) -> Callable[[Any, Any], int]:
    def read(nvml: Any, handle: Any) -> int:
        return int(bool(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle) & reasons))

    return read


def _observable(
    key: str,
    unit: str,
    description: str,
    read: Callable[[Any, Any], float],
    kind: str = "observable_gauge",
) -> MetricSpec:
    def callback(_options: CallbackOptions) -> Iterable[Observation]:
        return _gpus.observe(read)

    return MetricSpec(
        key.replace(".", "_"),
        f"nv.gpu.{key}",
        kind,
        unit,
        description,
        callback=callback,
        attributes=(NV_GPU_INDEX, NV_GPU_UUID),
        owner=OWNER,
    )


_GPU = Domain(
    "nemo.lens.gpu",
    _observable(
        "utilization",
        "1",
        "Share of the last sample period during which a kernel ran on the GPU, 0 to 1.",
        _utilization,
    ),
    _observable(
        "memory.used", "By", "Memory of the GPU that is in use, by any process.", _memory_used
    ),
    _observable("power", "W", "Power that the board draws.", _power),
    _observable("temperature", "Cel", "Temperature of the GPU's core.", _temperature),
    _observable(
        "ecc.corrected_errors",
        "{error}",
        "Memory errors that were corrected since the driver was loaded.",
        _corrected_errors,
        "observable_counter",
    ),
    _observable(
        "ecc.uncorrected_errors",
        "{error}",
        "Memory errors that could not be corrected since the driver was loaded.",
        _uncorrected_errors,
        "observable_counter",
    ),
    _observable(
        "throttled.thermal",
        "1",
        "Whether heat holds the clocks down at the moment: 1 if so, else 0.",
        _held_down_by(_THERMAL_REASONS),
    ),
    _observable(
        "throttled.power",
        "1",
        "Whether a power limit holds the clocks down at the moment: 1 if so, else 0.",
        _held_down_by(_POWER_REASONS),
    ),
)


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction]
    _gpus.close()
