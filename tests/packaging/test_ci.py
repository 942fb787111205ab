# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The steps of CI: nothing that failed or did not run can be overlooked."""

import re
import subprocess
import sys

import ci
import pytest
import workspace


def step(*statuses):
    """A step whose commands exit with these statuses."""
    return ci.Step(
        "made",
        "statuses",
        lambda: ([sys.executable, "-c", f"raise SystemExit({s})"] for s in statuses),
    )


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        ((0,), "passed"),
        ((0, 0), "passed"),
        ((1, 0), "FAILED"),
        ((0, 5), "FAILED"),
        ((workspace.NOT_RUN, 0), "NOT RUN"),
        ((workspace.NOT_RUN, 2), "FAILED"),
        ((2, workspace.NOT_RUN), "FAILED"),
    ],
)
def test_the_worst_command_decides_a_step(tmp_path, statuses, outcome):
    """All commands run; one failure fails the step, and a missing part is not a pass."""
    with (tmp_path / "log").open("w") as log:
        assert ci.run(step(*statuses), log) == outcome


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_step_runs_and_shows_its_output_in_one_piece(jobs):
    """Side by side or one after another, in the order in which they are listed."""
    program = (
        "import sys; sys.path.insert(0, 'scripts'); import ci; "
        "made = lambda name: ci.Step(name, 'says its name twice', lambda: iter(["
        "[sys.executable, '-c', f'print({name!r}); import time; time.sleep(.2); print({name!r})']])); "
        f"ci.STEPS = tuple(made(name) for name in 'abc'); sys.argv = ['ci.py', '--jobs', '{jobs}']; "
        "sys.exit(ci.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        cwd=workspace.ROOT,
    )
    assert done.returncode == 0, done.stderr
    for name in "abc":
        assert f"{name}\n{name}\n" in done.stdout
    summary = done.stdout.rpartition("summary")[2]
    assert re.findall(r"^([abc]) +passed", summary, re.MULTILINE) == list("abc")


@pytest.mark.parametrize(
    ("outcomes", "strict", "status"),
    [
        (["passed", "passed"], "1", 0),
        (["passed", "FAILED"], "0", 1),
        (["NOT RUN", "passed"], "0", 0),
        (["NOT RUN", "passed"], "1", 1),
    ],
)
def test_a_part_that_did_not_run_fails_when_strict(monkeypatch, capsys, outcomes, strict, status):
    """And is named in any case."""
    monkeypatch.setenv("CI_STRICT", strict)
    results = [ci.Result(f"step{i}", outcome, 1.0) for i, outcome in enumerate(outcomes)]
    assert ci._summary(results) == status
    shown = capsys.readouterr().out
    assert ("NOT RUN: step0" in shown) == ("NOT RUN" in outcomes)
    assert ("all steps passed" in shown) == (set(outcomes) == {"passed"})


def test_an_unknown_step_is_refused(monkeypatch, capsys):
    """With the way to the right names."""
    monkeypatch.setattr(sys, "argv", ["ci.py", "lnit"])
    with pytest.raises(SystemExit, match="2"):
        ci.main()
    assert "unknown step 'lnit'" in capsys.readouterr().err
