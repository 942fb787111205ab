# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Scripts by which shells complete the command."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from nemo.lens.cli.commands import COMMANDS
from nemo.lens.cli.commands.completion import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_knows_every_command(call, shell):
    """And is sound for the shell, where that is installed."""
    status, script, err = call("completion", shell)

    assert (status, err) == (0, "")
    assert all(command.NAME in script for command in COMMANDS)
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, check=True, text=True)


def completed(script, folder, *words):
    """What a real bash offers for the last of the words."""
    line = " ".join(words)
    ask = (
        f"{script}\n"
        f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
        f"COMP_LINE={line!r}; COMP_POINT={len(line)}\n"
        "_shtab_nemo_lens nemo-lens\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "--norc"], input=ask, check=True, capture_output=True, text=True, cwd=folder
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["nemo-lens", "repo"], ["report"]),
        (["nemo-lens", "demo", "--slow"], ["--slow-rank"]),
        (["nemo-lens", "completion", "z"], ["zsh"]),
        (["nemo-lens", "report", "my"], ["my-run"]),
    ],
)
def test_bash_completes_commands_options_choices_and_folders(call, tmp_path, words, offered):
    """As a user would meet it behind the tabulator key."""
    (tmp_path / "my-run").mkdir()
    (tmp_path / "my-file").write_text("")
    script = call("completion", "bash")[1]

    assert completed(script, tmp_path, *words) == offered


def test_json_holds_the_script(call):
    """One line, as with every command."""
    answer = json.loads(call("completion", "fish", "--json")[1])

    assert answer["script"] == call("completion", "fish")[1].removesuffix("\n")
