# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The lock guard accepts what uv writes for its public default index, and nothing else."""

import check_lock
import pytest
import workspace

LOCK = (workspace.ROOT / "uv.lock").read_text(encoding="utf-8")


def test_the_lock_of_this_checkout_is_accepted():
    """The committed lock is clean."""
    assert check_lock.problems_in(LOCK) == []


@pytest.mark.parametrize(
    "line",
    [
        'source = { registry = "https://mirror.example/simple" }',
        'source = { registry = "../wheels" }',
        'source = { registry = "file:///opt/index/simple" }',
        'source = { git = "https://example.com/x.git?rev=1#abc" }',
        'source = { url = "https://example.com/x-1-py3-none-any.whl" }',
        'source = { path = "../x.whl" }',
        'source = { editable = "../elsewhere" }',
        '    { url = "https://mirror.example/packages/x-1-py3-none-any.whl", hash = "sha256:0" },',
        '    { url = "http://127.0.0.1:3141/x-1-py3-none-any.whl", hash = "sha256:0" },',
        '    { path = "x-1-py3-none-any.whl" },',
        'sdist = { url = "https://mirror.example/x-1.tar.gz", hash = "sha256:0", size = 1 }',
        '    { name = "x", source = { registry = "https://mirror.example/simple" } },',
    ],
)
def test_any_other_source_is_named_with_its_line(line):
    """A polluted line is found wherever it stands in the lock."""
    problems = check_lock.problems_in(f"{LOCK}\n{line}\n")
    assert len(problems) == 1
    assert problems[0].startswith(f"uv.lock:{len(LOCK.splitlines()) + 2}: ")


def test_no_other_file_names_the_registry():
    """What the lock names for uv stands nowhere else in the repository."""
    host = LOCK.partition('registry = "https://')[2].partition("/")[0]
    assert host
    tracked = [each for each in workspace.tracked_files() if each.name != "uv.lock"]
    naming = [each for each in tracked if host.encode() in each.read_bytes()]
    assert naming == []
