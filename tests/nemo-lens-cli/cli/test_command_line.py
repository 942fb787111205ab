# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How the command is called, and how every call ends."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from nemo.lens.cli import exits, main
from nemo.lens.cli.commands import COMMANDS

NAMES = [command.NAME for command in COMMANDS]


@pytest.fixture
def call(capsys):
    """Run the command in this process; gives status, standard output and standard error."""

    def run(*arguments):
        status = main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in NAMES)])
def test_help_teaches_by_example_within_80_columns(call, arguments):
    """Every help page has examples that can be copied, and lists the exit statuses."""
    status, out, err = call(*arguments)

    assert (status, err) == (0, "")
    assert "examples:\n  nemo-lens" in out
    assert "exit status:\n  0 " in out
    assert max(map(len, out.splitlines())) <= 80


def test_help_lists_every_command(call):
    """A newcomer sees all there is from the first page."""
    _, out, _ = call("--help")

    assert all(re.search(rf"^    {name} +\w", out, re.MULTILINE) for name in NAMES)


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_examples_in_help_are_accepted_by_the_parser(monkeypatch, call, command):
    """No example shows an option that does not exist."""
    called = []
    monkeypatch.setattr(command, "run", lambda *_: called.append(True) or exits.DONE)
    examples = re.findall(r"^  nemo-lens (.+?)(?:  .*| \| .*)?$", command.EPILOG, re.MULTILINE)

    assert [call(*example.split()) for example in examples] == [(0, "", "")] * len(called)
    assert called


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["name a command", "demo"]),
        (["nonsense"], ["nonsense", "demo"]),
        (["--frobnicate"], ["--frobnicate"]),
        (["demo", "--rank", "4"], ["--rank"]),
        (["demo", "--ranks", "0"], ["--ranks", "'0'", "from 1 to 64"]),
        (["demo", "--ranks", "65"], ["--ranks", "'65'", "from 1 to 64"]),
        (["demo", "--ranks", "four"], ["--ranks", "'four'"]),
        (["demo", "--steps", "-1"], ["--steps"]),
        (["demo", "--slow-rank", "9"], ["--slow-rank", "9", "4 ranks", "0 to 3"]),
        (["demo", "--slow-rank", "-1"], ["--slow-rank", "-1"]),
        (["demo", "--slow-rank", "x"], ["--slow-rank", "'x'"]),
        (["report"], ["DIR"]),
        (["ranks", "a", "b"], ["b"]),
    ],
)
def test_wrong_usage_is_one_clear_line_and_status_2(call, arguments, words):
    """The line names what was wrong and where help is; nothing goes to standard output."""
    status, out, err = call(*arguments)

    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("nemo-lens")
    assert all(word in err for word in words)


@pytest.mark.parametrize("where", ["a-file", "a-file/below"])
def test_a_directory_that_cannot_be_written_is_refused_before_training(call, tmp_path, where):
    """The demo says so at once instead of training for nothing."""
    (tmp_path / "a-file").write_text("")

    status, out, err = call("demo", "--dir", str(tmp_path / where))

    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "--dir" in err
    assert str(tmp_path / where) in err


@pytest.mark.parametrize("command", ["report", "ranks"])
def test_nothing_readable_is_one_line_and_status_1(call, tmp_path, command):
    """A path without a run names itself; JSON is not printed either."""
    for arguments in ([str(tmp_path)], [str(tmp_path / "missing"), "--json"]):
        status, out, err = call(command, *arguments)

        assert (status, out) == (1, "")
        assert err.count("\n") == 1
        assert arguments[0] in err


def test_version_is_one_line(call):
    """The version of the command, of OpenTelemetry and of Python."""
    status, out, err = call("--version")

    assert (status, err) == (0, "")
    assert re.fullmatch(r"nemo-lens \S+ \(opentelemetry-sdk \S+, Python 3\.\d+\.\S+\)\n", out)


def test_an_interrupt_is_status_130(monkeypatch, call):
    """Ctrl-C ends a command with one line, not with a traceback."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(COMMANDS[1], "run", interrupted)

    assert call("report", "DIR") == (130, "", "nemo-lens: interrupted\n")


def run_module(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "nemo.lens.cli", *arguments],
        check=False,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_python_dash_m_is_the_command():
    """The module runs where the console script is not installed."""
    done = run_module("demo", "--ranks", "0", stdout=subprocess.PIPE)

    assert (done.returncode, done.stdout) == (2, "")
    assert "--ranks" in done.stderr


def test_a_reader_that_went_away_is_quiet():
    """Status 141 as after SIGPIPE, and no traceback, when nobody reads the output."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = run_module("--help", stdout=write)
    finally:
        os.close(write)

    assert (done.returncode, done.stderr) == (141, "")


def test_reading_a_run_loads_neither_opentelemetry_nor_rich(tmp_path):
    """Reading starts fast: what plain text does not need is not imported."""
    code = (
        "import sys; from nemo.lens.cli import main; main(['report', sys.argv[1]]); "
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'opentelemetry', 'rich'}))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], check=True, capture_output=True, text=True
    )

    assert done.stdout == "[]\n"
