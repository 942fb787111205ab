# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The version script keeps every version and sibling pin in lock-step."""

import re
import shutil

import pytest
import versions
import workspace


@pytest.fixture
def copied_workspace(tmp_path):
    """The project files of the workspace, in a folder that a test may change."""
    shutil.copy(workspace.ROOT / "pyproject.toml", tmp_path)
    for distribution in workspace.DISTRIBUTIONS:
        folder = tmp_path / "packages" / distribution.name
        folder.mkdir(parents=True)
        shutil.copy(distribution.folder / "pyproject.toml", folder)
    return tmp_path


def test_this_checkout_is_in_lock_step():
    """Nobody forgot a pin."""
    assert versions.problems_in(workspace.ROOT) == []


@pytest.mark.parametrize("version", ["1.2.3", "0.4.0rc1", "10.0.0.dev5"])
def test_setting_a_version_leaves_nothing_behind(copied_workspace, version):
    """After `set` every version and pin is the new one and the old one is nowhere."""
    old = versions.version_of(copied_workspace / "pyproject.toml")
    versions.set_version(copied_workspace, version)
    assert versions.problems_in(copied_workspace) == []
    for path in copied_workspace.rglob("pyproject.toml"):
        text = path.read_text()
        assert f'version = "{version}"' in text
        assert not re.search(rf"nemo-lens[^\"]*=={re.escape(old)}\"", text)


@pytest.mark.parametrize("distribution", workspace.DISTRIBUTIONS, ids=lambda each: each.name)
def test_a_version_that_differs_is_named(copied_workspace, distribution):
    """One distribution ahead of the others fails the check, by path."""
    path = copied_workspace / "packages" / distribution.name / "pyproject.toml"
    text = path.read_text()
    path.write_text(re.sub(r"^version = .*$", 'version = "9.9.9"', text, flags=re.MULTILINE))
    problems = versions.problems_in(copied_workspace)
    assert f"packages/{distribution.name}/pyproject.toml: version 9.9.9" in problems[0]


@pytest.mark.parametrize("pin", ["", ">=0.1", "==0.0.1", "~=0.3.0"])
@pytest.mark.parametrize("name", ["nemo-lens-api", "nemo-lens-sdk"])
def test_a_sibling_that_is_not_pinned_exactly_is_named(copied_workspace, name, pin):
    """Any requirement on a sibling other than `==` this version fails the check."""
    path = copied_workspace / "packages" / "nemo-lens" / "pyproject.toml"
    path.write_text(re.sub(rf'"{name}==[^"]*"', f'"{name}{pin}"', path.read_text()))
    assert any(
        f"{name}{pin} must be pinned" in each for each in versions.problems_in(copied_workspace)
    )
