# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The launcher finds uv and interpreters on machines that are not tidy."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import dev
import pytest


def executable(path, script):
    """Write a shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def no_uv(tmp_path, monkeypatch):
    """A machine without uv: an empty PATH and an empty .uv/."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(dev, "UV_HOME", tmp_path / ".uv")
    return tmp_path


def test_uv_on_path_is_used(no_uv):
    """A uv that is new enough needs no installation."""
    uv = executable(no_uv / "bin/uv", "echo uv 0.13.0")
    assert dev.find_uv() == str(uv)


@pytest.mark.parametrize("script", ["echo uv 0.4.30", "exit 127", "echo nonsense"])
def test_uv_that_is_too_old_or_broken_is_passed_over(no_uv, script):
    """The one in .uv/ is used instead."""
    executable(no_uv / "bin/uv", script)
    assert dev.find_uv() is None
    own = executable(no_uv / ".uv/bin/uv", "echo 'uv 0.13.9 (x86_64)'")
    assert dev.find_uv() == str(own)


def test_without_pip_and_venv_one_line_says_what_to_do(no_uv, monkeypatch, capsys):
    """No traceback: what is missing and how to get it."""
    bare = executable(no_uv / "python3", "exit 1")
    monkeypatch.setattr(sys, "executable", str(bare))
    assert dev.main(["test"]) == 1
    announcement, problem = capsys.readouterr().err.splitlines()
    assert announcement == "dev.py: installing uv into .uv/"
    assert f"{bare} has neither pip nor a working venv module" in problem


def test_a_failing_pip_is_one_line_too(no_uv, monkeypatch, capsys):
    """An unreachable index ends with the status of pip."""
    python = executable(no_uv / "python3", '[ "$3" = --version ] || exit 23')
    monkeypatch.setattr(sys, "executable", str(python))
    assert dev.main(["test"]) == 1
    assert "(exit 23)" in capsys.readouterr().err.splitlines()[-1]


def test_an_unknown_command_is_named(capsys):
    """With where to find the right ones."""
    assert dev.main(["tests"]) == 1
    assert "unknown command 'tests'; `python3 dev.py help`" in capsys.readouterr().err


def test_the_help_names_every_command(capsys):
    """`help`, also without any argument."""
    assert dev.main([]) == 0
    shown = capsys.readouterr().out
    assert [name for name in dev.COMMANDS if f"\n  {name} " not in shown] == []


def test_the_bare_demo_injects_a_slow_rank_and_arguments_replace_it():
    """So the newcomer's report has something to name."""
    assert dev.demo("uv", [])[-4:] == ["nemo-lens", "demo", "--slow-rank", "2"]
    assert dev.demo("uv", ["--ranks", "2"])[-4:] == ["nemo-lens", "demo", "--ranks", "2"]


def test_the_demo_stays_in_the_folder_of_its_caller(no_uv, tmp_path, monkeypatch, capfd):
    """A relative --dir means what it means for any command; everything else runs at the root."""
    executable(
        no_uv / "bin/uv", 'case "$1" in --version) echo uv 0.13.9;; *) pwd; echo "$@";; esac'
    )
    monkeypatch.chdir(tmp_path)
    dev.main(["demo", "--dir", "runs"])
    where, arguments = capfd.readouterr().out.splitlines()
    assert where == str(tmp_path)
    assert f"run --project {dev.ROOT} " in arguments
    dev.main(["test"])
    assert capfd.readouterr().out.splitlines()[0] == str(dev.ROOT)


def test_an_old_python_gets_one_line():
    """It is said before anything that it cannot read, and every line up to there parses on 3.6."""
    source = (dev.ROOT / "dev.py").read_text()
    ast.parse(source, feature_version=(3, 6))
    assert "from __future__" not in source
    code = (
        "import runpy, sys; sys.version_info = (3, 6, 9); sys.version = '3.6.9 (default)'; "
        f"runpy.run_path({str(dev.ROOT / 'dev.py')!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "dev.py: Python 3.10 or newer is needed, this is 3.6.9.\n"


def test_launchers_of_inactive_versions_are_left_out(tmp_path, monkeypatch):
    """A python3.12 on PATH that does not start is not handed to uv, nor is one too old."""
    folder = Path(sys.base_prefix) / "bin"
    executable(tmp_path / "shims/python3.12", "echo 'not installed' >&2; exit 127")
    executable(tmp_path / "old/python3", f"echo 3 9 {tmp_path}/old")
    executable(tmp_path / "new/python3.13", f"echo 3 13 '{tmp_path}/new one/bin'")
    paths = [tmp_path / name for name in ("shims", "old", "new", "absent")]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, paths)))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert dev.interpreter_folders() == [str(folder), f"{tmp_path}/new one/bin"]


def test_installed_versions_outside_path_are_found(tmp_path, monkeypatch):
    """Those that a version manager keeps in its own folders."""
    executable(tmp_path / "versions/3.13.0/bin/python3.13", f"echo 3 13 {tmp_path}/thirteen")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert f"{tmp_path}/thirteen" in dev.interpreter_folders()


def test_uv_never_downloads_an_interpreter_unless_told_to(monkeypatch):
    """What the person set stays; the rest gets our defaults."""
    for name in ("UV_PYTHON_DOWNLOADS", "UV_PYTHON", "UV_PYTHON_SEARCH_PATH"):
        monkeypatch.delenv(name, raising=False)
    env = dev.environment("/somewhere/uv")
    assert env["UV_PYTHON_DOWNLOADS"] == "never"
    assert env["UV_PYTHON"] == f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert env["UV"] == "/somewhere/uv"
    monkeypatch.setenv("UV_PYTHON", "3.12")
    assert dev.environment("/somewhere/uv")["UV_PYTHON"] == "3.12"


def test_the_exit_status_is_that_of_the_command(no_uv):
    """Scripts can rely on it."""
    executable(no_uv / "bin/uv", 'case "$1" in --version) echo uv 0.13.9;; *) exit 42;; esac')
    assert dev.main(["uv", "sync"]) == 42


def test_the_launcher_needs_the_standard_library_alone():
    """It starts without site-packages and outside the checkout."""
    command = [sys.executable, "-I", "-S", str(dev.ROOT / "dev.py"), "help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    assert shown.stdout == dev.USAGE
