# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A machine without GPUs, pods and containers, whatever machine the tests run on."""

from __future__ import annotations

import pytest

from nemo.lens.resources import environment, gpu, identity, kubernetes, local


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """Point every file that detection reads into an empty folder, and return that folder."""
    monkeypatch.setattr(local, "DRIVER_GPUS", str(tmp_path / "gpus"))
    monkeypatch.setattr(gpu, "DRIVER_GPUS", str(tmp_path / "gpus"))
    monkeypatch.setattr(gpu, "DRIVER_VERSION", str(tmp_path / "version"))
    for name in ("SECRETS", "PODINFO", "HOSTS", "CGROUP", "MOUNTINFO"):
        monkeypatch.setattr(kubernetes, name, str(tmp_path / name.lower()))
    environment.warn_unusable.cache_clear()
    identity.warn_contradiction.cache_clear()
    return tmp_path
