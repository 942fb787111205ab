# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Printed commands work when they are copied."""

from __future__ import annotations

import sys

import pytest

from nemo.lens.cli.invocation import command_for, program


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """An environment in the current folder with the interpreter and the script in it."""
    for name in ("python", "nemo-lens"):
        file = tmp_path / "my env" / "bin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(file.parent / "python"))
    monkeypatch.setattr(sys, "argv", [str(file)])
    monkeypatch.delenv("UV_RUN_RECURSION_DEPTH", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return file.parent


def test_a_script_on_path_is_called_by_its_name(installed, monkeypatch):
    """An active environment or an installation for everybody."""
    monkeypatch.setenv("PATH", str(installed))
    assert command_for("report", "a run") == "nemo-lens report 'a run'"


def test_a_script_elsewhere_is_called_by_its_path(installed):
    """An environment that is not active: relative to here, quoted for a shell."""
    assert program() == "'my env/bin/nemo-lens'"


def test_from_another_folder_the_path_is_whole(installed, monkeypatch):
    """A relative path would lead nowhere."""
    monkeypatch.chdir("/")
    below_root = str(installed / "nemo-lens").lstrip("/")
    assert program() == f"'{below_root}'"


def test_another_script_of_that_name_on_path_is_not_mistaken_for_this_one(installed, monkeypatch):
    """The path of this one is named."""
    other = installed.parent.parent / "other"
    other.mkdir()
    (other / "nemo-lens").write_text("#!/bin/sh\n")
    (other / "nemo-lens").chmod(0o755)
    monkeypatch.setenv("PATH", str(other))
    assert program() == "'my env/bin/nemo-lens'"


def test_the_path_that_uv_run_lends_is_not_relied_on(installed, monkeypatch):
    """The shell around `uv run` does not have it."""
    monkeypatch.setenv("PATH", str(installed))
    monkeypatch.setenv("UV_RUN_RECURSION_DEPTH", "1")
    assert program() == "'my env/bin/nemo-lens'"


def test_python_dash_m_finds_the_script_beside_the_interpreter(installed, monkeypatch):
    """As does any other caller of the command."""
    monkeypatch.setattr(sys, "argv", ["/somewhere/nemo/lens/cli/__main__.py"])
    assert program() == "'my env/bin/nemo-lens'"


def test_without_a_script_the_module_is_called(installed, monkeypatch):
    """nemo-lens-cli alone has no console script."""
    (installed / "nemo-lens").unlink()
    assert program() == "'my env/bin/python' -m nemo.lens.cli"
    monkeypatch.setenv("PATH", str(installed))
    assert program() == "python -m nemo.lens.cli"
