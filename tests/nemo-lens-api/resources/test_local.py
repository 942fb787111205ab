# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The host and the process."""

from __future__ import annotations

import os
import socket

import pytest

from nemo.lens.resources import detect_local


def test_the_host_and_the_process_are_named():
    """Every process has both."""
    attributes = detect_local({})
    assert attributes == {"host.name": socket.gethostname(), "process.pid": os.getpid()}


@pytest.mark.parametrize(("value", "count"), [("", 0), ("-1", 0), ("0,1,-1,2", 2), ("GPU-1", 1)])
def test_gpus_are_counted_as_cuda_sees_them(value, count):
    """The variable decides, not the machine."""
    assert detect_local({"CUDA_VISIBLE_DEVICES": value})["host.gpu.count"] == count


def test_without_the_variable_the_gpus_of_the_driver_are_counted(machine):
    """The driver lists them as folders; no subprocess is needed."""
    for address in ("0000:1b:00.0", "0000:43:00.0"):
        (machine / "gpus" / address).mkdir(parents=True)
    assert detect_local({})["host.gpu.count"] == 2


def test_the_environment_of_this_process_is_the_default(monkeypatch):
    """No argument is needed."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2")
    assert detect_local()["host.gpu.count"] == 3


def test_a_host_without_a_name_has_no_name(monkeypatch):
    """The system call may fail."""

    def fail():
        raise OSError

    monkeypatch.setattr(socket, "gethostname", fail)
    assert "host.name" not in detect_local({})
