# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How this command can be called again: printed commands work when they are copied."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

_SCRIPT = "nemo-lens"
# `uv run` puts the environment on the PATH of what it runs, not on that of the shell around it.
_PATH_IS_BORROWED = "UV_RUN_RECURSION_DEPTH"


def command_for(command: str, path: str) -> str:
    """How to call a command of this program on a run, ready for a shell."""
    return f"{program()} {command} {shlex.quote(path)}"


def program() -> str:
    """What a shell in this folder has to be told to run this program, quoted.

    The bare name where PATH leads to it, else the path of the script, else the interpreter with
    ``-m nemo.lens.cli`` where no script is installed.
    """
    called = Path(sys.argv[0]) if sys.argv else Path()
    beside = Path(sys.executable).with_name(_SCRIPT)
    for script in (called, beside):
        if script.name == _SCRIPT and script.is_file():
            return _callable(script, _SCRIPT)
    return f"{_callable(Path(sys.executable), 'python')} -m nemo.lens.cli"


def _callable(file: Path, name: str) -> str:
    found = None if _PATH_IS_BORROWED in os.environ else shutil.which(name)
    # Not resolved: the interpreter of an environment is a link to the one that it was made from.
    if found is not None and Path(found).absolute() == file.absolute():
        return name
    below = file.absolute()
    try:
        return shlex.quote(str(below.relative_to(Path.cwd())))
    except (ValueError, OSError):  # elsewhere, or the working directory is gone
        return shlex.quote(str(below))
