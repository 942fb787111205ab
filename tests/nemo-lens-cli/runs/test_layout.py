# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The layout of process folders, compared with what writes them."""

from __future__ import annotations

import json
import os
import socket

import pytest

from nemo.lens.runs.layout import MANIFEST, MANIFEST_SCHEMA, PROCESS_FOLDER
from nemo.lens.sdk.files.folder import ProcessIdentity, RunFolder


@pytest.mark.parametrize("rank", [None, 0, 70_000])
@pytest.mark.parametrize("role", ["trainer", "ckpt_worker"])
def test_what_the_sdk_writes_is_what_is_read_here(tmp_path, role, rank):
    """Folder name, manifest name and the schema of the manifest."""
    identity = ProcessIdentity(run_id="r", role=role, rank=rank)
    folder = RunFolder(tmp_path, identity, config={}, resource={}).open()

    named = PROCESS_FOLDER.fullmatch(folder.name)
    assert named is not None
    assert named["rank"] == ("x" if rank is None else str(rank))
    assert named["pid"] == str(os.getpid())
    assert named["role"] == role
    assert named["host"] == socket.gethostname()
    assert json.loads((folder / MANIFEST).read_text())["schema"] == MANIFEST_SCHEMA
