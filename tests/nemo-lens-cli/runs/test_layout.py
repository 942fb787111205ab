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
@pytest.mark.parametrize("role", ["trainer", "ckpt_worker", "ckpt-worker-2", "a-x", "3"])
def test_what_the_sdk_writes_is_what_is_read_here(tmp_path, role, rank):
    """Folder name, manifest name and the schema of the manifest."""
    identity = ProcessIdentity(run_id="r", role=role, rank=rank)
    folder = RunFolder(tmp_path, identity, config={}, resource={}).open()

    named = PROCESS_FOLDER.fullmatch(folder.name)
    assert named is not None
    assert named["rank"] == ("x" if rank is None else str(rank))
    assert named["pid"] == str(os.getpid())
    assert named["role"].replace("_", "-") == role.replace("_", "-")
    assert named["host"] == socket.gethostname()
    assert json.loads((folder / MANIFEST).read_text())["schema"] == MANIFEST_SCHEMA


def test_a_repeated_folder_keeps_the_process_id(tmp_path):
    """The same process records twice: the number of the folder is not taken for the pid."""
    identity = ProcessIdentity(run_id="r", role="trainer", rank=1)
    names = [RunFolder(tmp_path, identity, config={}, resource={}).open().name for _ in range(3)]
    assert len(set(names)) == 3
    assert {PROCESS_FOLDER.fullmatch(name)["pid"] for name in names} == {str(os.getpid())}
