# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102, N802 - the names of the stand-in are NVML's
"""GPUs are read through NVML at each collection; without NVML there is nothing."""

import logging
import os
import subprocess
import sys
import types

import pytest

from nemo.lens.instruments import gpu

UUIDS = ["GPU-aaa", b"GPU-bbb", "GPU-ccc", "GPU-ddd"]


class FakeNvml(types.ModuleType):
    """Four GPUs; the third has no ECC memory, and asking the fourth fails."""

    def __init__(self):
        super().__init__("pynvml")
        self.opened = 0
        self.reasons = 0

    def nvmlInit(self):
        self.opened += 1

    def nvmlDeviceGetCount(self):
        return 4

    def nvmlDeviceGetHandleByIndex(self, index):
        return index

    def nvmlDeviceGetHandleByUUID(self, uuid):
        return [text if isinstance(text, str) else text.decode() for text in UUIDS].index(uuid)

    def nvmlDeviceGetIndex(self, handle):
        return handle

    def nvmlDeviceGetUUID(self, handle):
        return UUIDS[handle]

    def nvmlDeviceGetUtilizationRates(self, handle):
        self._fail_if_lost(handle)
        return types.SimpleNamespace(gpu=50 + handle)

    def nvmlDeviceGetMemoryInfo(self, handle):
        self._fail_if_lost(handle)
        return types.SimpleNamespace(used=1024 * (handle + 1))

    def nvmlDeviceGetPowerUsage(self, handle):
        self._fail_if_lost(handle)
        return 350_500

    def nvmlDeviceGetTemperature(self, handle, sensor):
        self._fail_if_lost(handle)
        assert sensor == 0
        return 61

    def nvmlDeviceGetTotalEccErrors(self, handle, kind, since):
        self._fail_if_lost(handle)
        assert since == 0
        if handle == 2:
            raise RuntimeError("not supported")
        return (7, 1)[kind]

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle):
        self._fail_if_lost(handle)
        return self.reasons

    def _fail_if_lost(self, handle):
        if handle == 3:
            raise RuntimeError("GPU is lost")


@pytest.fixture
def nvml(monkeypatch):
    """Put a fake in the place of the bindings, and no rank into the environment."""
    fake = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", fake)
    for name in ("CUDA_VISIBLE_DEVICES", "LOCAL_RANK", "SLURM_LOCALID", "RANK"):
        monkeypatch.delenv(name, raising=False)
    return fake


def test_every_number_of_a_gpu_is_reported(meter, nvml):
    """With index and UUID; shares from 0 to 1, watts, degrees, bytes."""
    nvml.reasons = 0x40
    assert gpu.observe_gpus(meter, devices=[1])
    attributes = {"nv.gpu.index": 1, "nv.gpu.uuid": "GPU-bbb"}
    observed = {name: points for name, points in meter.collect().items() if points}
    assert observed == {
        "nv.gpu.utilization": [(0.51, attributes)],
        "nv.gpu.memory.used": [(2048, attributes)],
        "nv.gpu.power": [(350.5, attributes)],
        "nv.gpu.temperature": [(61, attributes)],
        "nv.gpu.ecc.corrected_errors": [(7, attributes)],
        "nv.gpu.ecc.uncorrected_errors": [(1, attributes)],
        "nv.gpu.throttled.thermal": [(1, attributes)],
        "nv.gpu.throttled.power": [(0, attributes)],
    }


def test_what_a_gpu_does_not_know_is_left_out(meter, nvml):
    """A board without ECC, or one that was lost, costs its own numbers only."""
    assert gpu.observe_gpus(meter, devices=["GPU-aaa", 2, 3])
    observed = meter.collect()
    assert [point[1]["nv.gpu.index"] for point in observed["nv.gpu.power"]] == [0, 2]
    assert [point[1]["nv.gpu.index"] for point in observed["nv.gpu.ecc.corrected_errors"]] == [0]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, [0]),
        ({"LOCAL_RANK": "2"}, [2]),
        ({"LOCAL_RANK": "1", "CUDA_VISIBLE_DEVICES": "2,0"}, [0]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-ccc"}, [2]),
    ],
)
def test_a_process_reports_its_own_gpu(meter, nvml, monkeypatch, environment, expected):
    """So the ranks of a node report each GPU once."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert gpu.observe_gpus(meter)
    points = meter.collect()["nv.gpu.power"]
    assert [attributes["nv.gpu.index"] for _, attributes in points] == expected


@pytest.mark.parametrize("environment", [{"CUDA_VISIBLE_DEVICES": ""}, {"LOCAL_RANK": "4"}])
def test_a_process_without_a_gpu_reports_none(meter, nvml, monkeypatch, environment):
    """Nothing is created then."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert not gpu.observe_gpus(meter)
    assert meter.instruments == {}


@pytest.mark.parametrize(
    ("devices", "expected"), [("GPU-aaa", [0]), (2, [2]), ((1, "0"), [1, 0]), ({0}, [0])]
)
def test_gpus_are_named_by_index_or_uuid(meter, nvml, devices, expected):
    """One of them needs no list."""
    assert gpu.observe_gpus(meter, devices=devices)
    points = meter.collect()["nv.gpu.power"]
    assert [attributes["nv.gpu.index"] for _, attributes in points] == expected


@pytest.mark.parametrize("devices", [5.0, object(), (), [99]])
def test_what_names_no_gpu_reports_none(meter, nvml, devices):
    """Nothing is raised, nothing is created."""
    assert not gpu.observe_gpus(meter, devices=devices)
    assert meter.instruments == {}


def test_an_unknown_gpu_is_told_and_left_out(meter, nvml, caplog):
    """The others are reported."""
    assert gpu.observe_gpus(meter, devices=["GPU-nobody", 0])
    assert len(meter.collect()["nv.gpu.power"]) == 1
    assert "cannot open GPU GPU-nobody" in caplog.text


def test_without_the_bindings_nothing_is_created(meter, monkeypatch, caplog):
    """One line says what would be needed."""
    monkeypatch.setitem(sys.modules, "pynvml", None)
    caplog.set_level(logging.INFO, "nemo.lens")
    assert not gpu.observe_gpus(meter)
    assert meter.instruments == {}
    assert "nemo-lens-instruments[gpu]" in caplog.text


def test_without_a_driver_nothing_is_created(meter, nvml, monkeypatch):
    """The bindings are often installed on machines without GPUs."""

    def no_driver():
        raise RuntimeError("driver not loaded")

    monkeypatch.setattr(nvml, "nvmlInit", no_driver)
    assert not gpu.observe_gpus(meter)


def test_a_forked_child_opens_nvml_anew(meter, nvml):
    """NVML does not survive a fork."""
    assert gpu.observe_gpus(meter, devices=[0])
    meter.collect()
    meter.collect()
    before = nvml.opened
    child = os.fork()
    if child == 0:
        points = meter.collect()["nv.gpu.power"]
        os._exit(0 if len(points) == 1 and nvml.opened == before + 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert nvml.opened == before


def test_a_driver_that_is_gone_later_is_told_once(meter, nvml, monkeypatch, caplog):
    """Collections go on without GPUs."""
    assert gpu.observe_gpus(meter, devices=[0])

    def gone():
        raise RuntimeError("driver is gone")

    monkeypatch.setattr(nvml, "nvmlInit", gone)
    assert meter.collect()["nv.gpu.power"] == []
    assert meter.collect()["nv.gpu.power"] == []
    assert caplog.text.count("NVML cannot be opened") == 1


def test_no_process_is_started(meter, nvml, monkeypatch):
    """Neither at the start nor at a collection."""

    def refuse(*arguments, **options):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(os, "posix_spawn", refuse)
    assert gpu.observe_gpus(meter, devices=[0])
    assert meter.collect()["nv.gpu.power"]
