# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How the command is called, and how every call ends."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from nemo.lens.cli import exits
from nemo.lens.cli.commands import COMMANDS, report
from nemo.lens.cli.invocation import program

NAMES = [command.NAME for command in COMMANDS]


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

    assert all(re.search(rf"^    {name}\s+\w", out, re.MULTILINE) for name in NAMES)


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_examples_in_help_are_accepted_by_the_parser(monkeypatch, call, command):
    """No example shows an option that does not exist."""
    called = []
    monkeypatch.setattr(command, "run", lambda *_: called.append(True) or exits.DONE)
    examples = re.findall(r"^  nemo-lens (.+?)(?:  .*| [|>] .*)?$", command.EPILOG, re.MULTILINE)

    assert [call(*example.split()) for example in examples] == [(0, "", "")] * len(called)
    assert called


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["name a command", "demo"]),
        (["nonsense"], ["unknown command 'nonsense'", "there are demo,"]),
        (["repotr"], ["unknown command 'repotr'", "did you mean 'report'?"]),
        (["doctor", "--rank", "8", "--world-size", "8"], ["--rank", "8 ranks", "0 to 7"]),
        (["doctor", "--prefix", "NEMO LENS"], ["--prefix", "'NEMO LENS'", "NEMO_LENS"]),
        (["doctor", "--timeout", "0"], ["--timeout", "'0'", "seconds above 0"]),
        (["emit-spans", "--span", "a,1,2"], ["--service"]),
        (["set-slurm-resource-attrs", "--stage", "srun"], ["--stage", "'srun'", "task"]),
        (["schema", "spans"], ["'spans'", "groups"]),
        (["completion", "tcsh"], ["'tcsh'", "bash"]),
        (["--frobnicate"], ["--frobnicate"]),
        (["demo", "--rank", "4"], ["--rank"]),
        (["demo", "--ranks", "0"], ["--ranks", "'0'", "from 1 to 64"]),
        (["demo", "--ranks", "65"], ["--ranks", "'65'", "from 1 to 64"]),
        (["demo", "--ranks", "four"], ["--ranks", "'four'"]),
        (["demo", "--steps", "-1"], ["--steps"]),
        (["demo", "--slow-rank", "9"], ["--slow-rank", "9", "4 ranks", "0 to 3"]),
        (["demo", "--slow-rank", "-1"], ["--slow-rank", "-1", "(help: nemo-lens demo --help)"]),
        (["demo", "--slow-rank", "x"], ["--slow-rank", "'x' is not the number of a rank"]),
        (["demo", "--slow-rank", "1", "--ranks", "1"], ["1 is not one of the 1 rank; the only"]),
        (["demo", "--dir", ""], ["--dir", "empty", "(help: nemo-lens demo --help)"]),
        (["demo", "--frobnicate"], ["--frobnicate", "(help: nemo-lens demo --help)"]),
        (["report"], ["DIR"]),
        (["report", ""], ["DIR", "empty", "(help: nemo-lens report --help)"]),
        (["report", "a", "--all"], ["--all", "(help: nemo-lens report --help)"]),
        (["ranks", "a", "b"], ["b", "(help: nemo-lens ranks --help)"]),
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

    monkeypatch.setattr(report, "run", interrupted)

    assert call("report", "DIR") == (130, "", "nemo-lens: interrupted\n")


def test_an_interrupted_demo_without_a_record_names_none(monkeypatch, call, tmp_path):
    """Ctrl-C before the first rank has started: no command for a folder that does not exist."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("nemo.lens.cli.demo.launcher.launch", interrupted)
    status, out, err = call("demo", "--dir", str(tmp_path))

    assert (status, out) == (130, "")
    last = err.splitlines()[-1]
    assert last.endswith("interrupted before the first step was done; nothing was recorded")


def write_manifest(folder, started=1):
    process = folder / "0" / "trainer-0-host-1"
    process.mkdir(parents=True)
    run = folder.name.encode("utf-8", "replace").decode()  # as the writer does
    manifest = {"schema": 1, "run": run, "rank": 0, "started_unix_nano": started}
    (process / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_of_several_runs_the_newest_is_offered_first(call, tmp_path):
    """The second run of a newcomer: one line holds the command that works, and the other names."""
    for started, name in enumerate(["b", "c", "a"]):
        write_manifest(tmp_path / name, started + 1)

    for command in ("report", "ranks"):
        status, out, err = call(command, str(tmp_path))

        assert (status, out, err.count("\n")) == (1, "", 1)
        assert (
            f" holds 3 runs; for the newest: nemo-lens {command} {tmp_path}/a (others: c, b)"
            in (err.replace(program(), "nemo-lens"))
        )


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "the file is empty"), (b"hello\n", "the file holds no OTLP-JSON")],
)
def test_a_file_that_is_no_run_says_what_it_is(call, tmp_path, content, words):
    """Not merely that there is no run."""
    (tmp_path / "file.jsonl").write_bytes(content)

    status, _, err = call("report", str(tmp_path / "file.jsonl"))

    assert (status, err.count("\n")) == (1, 1)
    assert words in err


def test_a_device_is_no_run(call):
    """Neither a file nor a folder."""
    assert "neither a file nor a folder" in call("report", os.devnull)[2]


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


FULL = Path("/dev/full")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["report"], ["report", "--json"]])
def test_a_full_disk_is_one_clear_line(tmp_path, arguments):
    """What cannot be written is said, with status 1 and without a traceback."""
    if arguments[0] == "report":
        arguments = [*arguments, str(write_manifest(tmp_path / "run"))]
    with FULL.open("w") as full:
        done = run_module(*arguments, stdout=full)

    assert done.returncode == 1
    assert done.stderr == "nemo-lens: error: cannot print the answer: No space left on device\n"


def run_in_shell(line, *arguments, **changes):
    """Run the command as a shell would, with its redirections."""
    quoted = " ".join(map(shlex.quote, [sys.executable, "-m", "nemo.lens.cli", *arguments]))
    return subprocess.run(
        ["sh", "-c", f"{quoted} {line}"],
        check=False,
        capture_output=True,
        env={**os.environ, **changes},
    )


def test_a_closed_output_is_one_clear_line(tmp_path):
    """`>&-` in a shell."""
    done = run_in_shell(">&-", "report", str(write_manifest(tmp_path / "run")))

    assert (done.returncode, done.stderr) == (1, b"nemo-lens: error: standard output is closed\n")


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_complaints_that_nobody_can_read_do_not_change_the_status(redirection):
    """Standard error closed or full: wrong usage is still status 2."""
    done = run_in_shell(redirection, "report")

    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")


@pytest.mark.parametrize("name", ["läufe", os.fsdecode(b"l\xe4ufe")], ids=["unicode", "latin-1"])
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_path_can_be_printed(tmp_path, name, encoding):
    """Characters that the terminal lacks are escaped, in JSON as JSON."""
    folder = str(write_manifest(tmp_path / name))
    text = run_in_shell("", "report", folder, PYTHONIOENCODING=encoding)
    answer = run_in_shell("", "report", folder, "--json", PYTHONIOENCODING=encoding)
    nothing = run_in_shell("", "report", f"{folder}/missing", PYTHONIOENCODING=encoding)

    assert (text.returncode, text.stderr) == (0, b"")
    assert (answer.returncode, answer.stderr) == (0, b"")
    assert json.loads(answer.stdout)["path"] == folder
    assert nothing.returncode == 1
    assert b"Traceback" not in nothing.stderr
