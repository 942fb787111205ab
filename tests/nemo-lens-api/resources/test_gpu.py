# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102, N802 - the fake has the names of NVML
"""The GPU of a process."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemo.lens.resources import detect_gpu

UUIDS = ("GPU-0000aaaa", "GPU-1111bbbb")


class FakeNvml:
    """Two boards, as the Python bindings of NVML present them; the real ones need hardware."""

    def __init__(self):
        self.is_open = False

    def nvmlInit(self):
        self.is_open = True

    def nvmlShutdown(self):
        self.is_open = False

    def nvmlDeviceGetHandleByIndex(self, index):
        return range(2)[index]

    def nvmlDeviceGetHandleByUUID(self, uuid):
        return UUIDS.index(uuid)

    def nvmlDeviceGetIndex(self, handle):
        return handle

    def nvmlDeviceGetName(self, _handle):
        return b"NVIDIA H100"

    def nvmlDeviceGetUUID(self, handle):
        return UUIDS[handle]

    def nvmlDeviceGetSerial(self, _handle):
        raise RuntimeError("not supported")

    def nvmlDeviceGetPciInfo(self, _handle):
        return SimpleNamespace(busId=b"00000000:1B:00.0")

    def nvmlDeviceGetCudaComputeCapability(self, _handle):
        return 9, 0

    def nvmlDeviceGetMemoryInfo(self, _handle):
        return SimpleNamespace(total=85520809984)

    def nvmlSystemGetDriverVersion(self):
        return "570.86.15"


@pytest.fixture
def nvml(monkeypatch):
    """Install the fake bindings."""
    bindings = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", bindings)
    return bindings


@pytest.fixture
def _no_nvml(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)


@pytest.fixture
def _driver(machine, _no_nvml):
    for address, uuid in (("0000:43:00.0", UUIDS[1]), ("0000:1b:00.0", UUIDS[0])):
        folder = machine / "gpus" / address
        folder.mkdir(parents=True)
        (folder / "information").write_text(
            f"Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 18\nGPU UUID: \t {uuid}\n"
            f"Bus Type: \t PCIe\nBus Location: \t {address}\nDevice Minor: \t 0\n"
        )
    (machine / "version").write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n"
        "GCC version:  gcc version 12.3.0\n"
    )


def test_nvml_describes_the_gpu_as_far_as_it_can(nvml):
    """What a board does not have is left out; the library is closed again."""
    assert detect_gpu(1, {}) == {
        "nv.gpu.index": 1,
        "nv.gpu.model": "NVIDIA H100",
        "nv.gpu.uuid": UUIDS[1],
        "nv.gpu.pci_bus_id": "00000000:1B:00.0",
        "nv.gpu.compute_capability": "9.0",
        "nv.gpu.memory_total": 85520809984,
        "nv.gpu.driver_version": "570.86.15",
    }
    assert not nvml.is_open


@pytest.mark.parametrize(
    ("environ", "index"),
    [
        ({}, 0),
        ({"LOCAL_RANK": "1"}, 1),
        ({"SLURM_LOCALID": "1"}, 1),
        ({"LOCAL_RANK": "abc"}, 0),
        ({"LOCAL_RANK": "0", "CUDA_VISIBLE_DEVICES": "1,0"}, 1),
        ({"CUDA_VISIBLE_DEVICES": UUIDS[1]}, 1),
    ],
)
@pytest.mark.usefixtures("nvml")
def test_the_local_rank_picks_a_visible_device(environ, index):
    """By ordinal or UUID, in the order of CUDA_VISIBLE_DEVICES."""
    assert detect_gpu(environ=environ)["nv.gpu.index"] == index


@pytest.mark.parametrize(
    ("local_rank", "environ"),
    [
        (2, {}),
        (-1, {}),
        (-1, {"CUDA_VISIBLE_DEVICES": "0,1"}),
        (2, {"CUDA_VISIBLE_DEVICES": "0,1"}),
        (1, {"CUDA_VISIBLE_DEVICES": "0,-1,1"}),
        (0, {"CUDA_VISIBLE_DEVICES": ""}),
        (0, {"CUDA_VISIBLE_DEVICES": "MIG-1"}),
        (0, {"CUDA_VISIBLE_DEVICES": "GPU-unknown"}),
    ],
)
def test_without_such_a_gpu_nothing_is_described(nvml, local_rank, environ):
    """An attribute of another GPU would be worse than none."""
    assert detect_gpu(local_rank, environ) == {}
    assert not nvml.is_open


def test_a_library_that_does_not_open_describes_nothing(nvml, monkeypatch):
    """The bindings may be installed where there is no driver."""

    def fail():
        raise RuntimeError("driver not loaded")

    monkeypatch.setattr(nvml, "nvmlInit", fail)
    assert detect_gpu(0, {}) == {}


@pytest.mark.usefixtures("_driver")
def test_without_nvml_the_driver_describes_the_gpu():
    """In the order of the PCI bus, which is that of NVML."""
    assert detect_gpu(1, {}) == {
        "nv.gpu.index": 1,
        "nv.gpu.model": "NVIDIA H100 80GB HBM3",
        "nv.gpu.uuid": UUIDS[1],
        "nv.gpu.pci_bus_id": "0000:43:00.0",
        "nv.gpu.driver_version": "570.86.15",
    }
    assert detect_gpu(0, {"CUDA_VISIBLE_DEVICES": UUIDS[1]})["nv.gpu.index"] == 1
    assert detect_gpu(2, {}) == {}


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19", "535.104.05"),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.65.06  X", "580.65.06"),
        ("something else", None),
        ("", None),
    ],
)
@pytest.mark.usefixtures("_driver")
def test_the_version_of_the_driver_is_read_in_its_spellings(machine, text, version):
    """Open and closed kernel modules present themselves differently."""
    (machine / "version").write_text(text)
    assert detect_gpu(0, {}).get("nv.gpu.driver_version") == version


@pytest.mark.usefixtures("_driver")
def test_a_driver_that_hides_the_bus_still_describes_the_gpu(machine):
    """Model and UUID are what counts."""
    facts = f"Model: NVIDIA H100\nGPU UUID: {UUIDS[0]}\n"
    (machine / "gpus" / "0000:1b:00.0" / "information").write_text(facts)
    assert "nv.gpu.pci_bus_id" not in detect_gpu(0, {})
    assert detect_gpu(0, {})["nv.gpu.uuid"] == UUIDS[0]


@pytest.mark.usefixtures("_driver")
def test_a_driver_folder_without_facts_describes_nothing(machine):
    """The folder may be there and unreadable."""
    (machine / "gpus" / "0000:1b:00.0" / "information").unlink()
    assert detect_gpu(0, {}) == {}


@pytest.mark.usefixtures("_no_nvml")
def test_without_driver_and_nvml_nothing_is_described(monkeypatch):
    """The usual case on a machine without GPUs; the environment of this process is the default."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert detect_gpu() == {}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(visible=st.text(max_size=6), local_rank=st.integers(-3, 3))
def test_detection_never_raises(nvml, visible, local_rank):
    """Whatever the variable holds, the library is closed again."""
    detect_gpu(local_rank, {"CUDA_VISIBLE_DEVICES": visible})
    assert not nvml.is_open
