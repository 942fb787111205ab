# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The demo end to end: real processes, real files, real signals."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

COMMAND = [sys.executable, "-m", "nemo.lens.cli"]
TIMEOUT_S = 120
STEPS = 60


def environment(**changes):
    """The environment of a plain shell: nothing of the tests' own telemetry in it."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NEMO_LENS", "OTEL_", "SLURM_", "COLUMNS"))
    }
    return {**kept, **changes}


def lens(*arguments, **changes):
    """Run the command to its end, as a shell would with its output in pipes."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        env=environment(**changes),
    )


def manifests(folder):
    """The manifests below a folder, by rank."""
    found = [json.loads(path.read_text()) for path in Path(folder).rglob("manifest.json")]
    return {manifest["rank"]: manifest for manifest in found}


def wait_for(condition, what):
    """Give what the condition gives, as soon as it gives something."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.02)
    raise AssertionError(f"waited {TIMEOUT_S} s in vain for {what}")


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


class Training:
    """A long demo that is in the middle of its training."""

    def __init__(self, folder, *options, ranks=4):
        arguments = ["demo", "--steps", "100000", "--ranks", ranks, "--dir", folder, *options]
        self.folder = folder
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            start_new_session=True,
        )
        checkpoints = f"*/checkpoints/step-000020/rank-*-of-{ranks:05d}.json"
        wait_for(lambda: len(list(Path(folder).glob(checkpoints))) == ranks, "a checkpoint")
        self.pids = {rank: each["pid"] for rank, each in manifests(folder).items()}

    def end(self):
        """Wait for the end; gives exit status, standard output and standard error."""
        out, err = self.process.communicate(timeout=TIMEOUT_S)
        wait_for(lambda: not any(map(is_running, self.pids.values())), "the ranks' end")
        return self.process.returncode, out, err


@pytest.fixture
def training(tmp_path):
    """Start a long demo; what is left of it is killed after the test."""
    started = []

    def start(*options, **keywords):
        started.append(Training(tmp_path, *options, **keywords))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            os.killpg(each.process.pid, signal.SIGKILL)
            each.process.wait()


@pytest.fixture(scope="module")
def slow_run(tmp_path_factory):
    """A demo with a slow rank: its folder, and how the command ended."""
    folder = tmp_path_factory.mktemp("slow")
    return folder, lens("demo", "--slow-rank", 2, "--dir", folder, "--json")


@pytest.fixture(scope="module")
def even_run(tmp_path_factory):
    """A demo without a slow rank: its folder, and how the command ended."""
    folder = tmp_path_factory.mktemp("even")
    return folder, lens("demo", "--dir", folder)


def test_the_slow_rank_is_the_only_straggler_and_its_phase_is_named(slow_run):
    """The demo and `ranks` agree: rank 2, in forward_backward, in most steps."""
    folder, demo = slow_run
    ranks = lens("ranks", folder, "--json")

    assert (demo.returncode, ranks.returncode) == (0, 0)
    for answer in (json.loads(demo.stdout), json.loads(ranks.stdout)):
        (straggler,) = answer["stragglers"]
        assert (straggler["rank"], straggler["phase"]) == (2, "forward_backward")
        assert straggler["kind"] == "chronic"
        assert straggler["excess_s_per_step"] > 0
        assert "2" in answer["verdict"]
        assert "forward_backward" in answer["verdict"]


def test_in_wall_time_all_ranks_look_alike(slow_run):
    """Own work and waiting add up to about the same step on every rank: that is the point."""
    answer = json.loads(slow_run[1].stdout)

    totals = [row["own_s"]["p50"] + row["wait_s"]["p50"] for row in answer["ranks"]]
    slow = answer["ranks"][2]
    others = [row for row in answer["ranks"] if row["rank"] != 2]
    assert max(totals) < 1.3 * min(totals)
    assert all(slow["own_s"]["p50"] > row["own_s"]["p50"] for row in others)
    assert all(slow["wait_s"]["p50"] < row["wait_s"]["p50"] for row in others)


def test_check_turns_a_straggler_into_status_1(slow_run, even_run):
    """A pipeline can fail on a slow rank."""
    assert lens("ranks", slow_run[0], "--check").returncode == 1
    assert lens("ranks", even_run[0], "--check").returncode == 0


def test_without_a_slow_rank_there_is_no_straggler(even_run):
    """Four ranks that share two busy cores are not called slow."""
    folder, demo = even_run

    assert demo.returncode == 0
    assert json.loads(lens("ranks", folder, "--json").stdout)["stragglers"] == []


def test_training_converges_and_the_loss_is_the_models_own(slow_run, even_run):
    """The printed loss falls to that of a trained model, with or without a slow rank alike."""
    training = json.loads(slow_run[1].stdout)["training"]
    losses = [float(text) for text in re.findall(r"loss (\d\.\d+)", even_run[1].stderr)]

    assert training["steps"] == STEPS
    assert training["loss"] < 0.2
    assert training["accuracy"] > 0.9
    assert losses[0] > 2 * losses[-1]
    # The same seeds give the same training: waiting for a slow rank changes time, not numbers.
    assert losses[-1] == round(training["loss"], 4)
    assert f"The loss is {losses[-1]:.4f}" in even_run[1].stdout


def test_the_report_is_plain_text_of_80_columns(even_run):
    """Piped output has no escape codes, and only commands to copy may be longer than a line."""
    folder, demo = even_run
    report = lens("report", folder)

    assert report.returncode == 0
    assert report.stdout in demo.stdout
    for text in (demo.stdout, demo.stderr, lens("ranks", folder).stdout):
        assert "\x1b" not in text
        long_lines = [line for line in text.splitlines() if len(line) > 80]
        assert all(str(folder) in line for line in long_lines)


def test_a_terminal_gets_a_bar_and_colours(tmp_path):
    """On a terminal the progress moves and the report is coloured; NO_COLOR turns both off."""
    outputs = {}
    for no_color in ("", "1"):
        near, far = pty.openpty()
        arguments = [
            "demo",
            "--ranks",
            "1",
            "--steps",
            "2",
            "--dir",
            str(tmp_path / f"n{no_color}"),
        ]
        with subprocess.Popen(
            [*COMMAND, *arguments],
            stdout=far,
            stderr=far,
            env=environment(NO_COLOR=no_color, TERM="xterm-256color"),
        ) as process:
            os.close(far)
            outputs[no_color] = read_all(near)
            assert process.wait(TIMEOUT_S) == 0

    assert "\x1b[" in outputs[""]
    assert "training" in outputs[""]
    assert "\x1b" not in outputs["1"]
    assert "step 2 of 2, loss" in outputs["1"]


def read_all(descriptor):
    """What comes from a terminal until its other side is closed."""
    chunks = []
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        try:
            while chunk := stream.read(65536):
                chunks.append(chunk)
        except OSError:  # how a terminal says that nobody is left on the other side
            pass
    return b"".join(chunks).decode()


def test_every_rank_records_every_kind_of_span(slow_run):
    """Step parts are children of their step, on each rank, with its number."""
    from nemo.lens.runs import Run

    spans = list(Run(slow_run[0]).spans())

    names = {span.span_id: span.name for span in spans}
    parts = [span for span in spans if span.name.startswith("demo.train_step.")]
    assert {names[span.parent_span_id] for span in parts} == {"demo.train_step"}
    counts = Counter(span.name for span in spans)
    per_step = 4 * STEPS
    assert counts == {
        "demo.job": 4,
        "demo.model_init": 4,
        "demo.model_init.broadcast": 4,
        "demo.train_step": per_step,
        "demo.train_step.load_batch": per_step,
        "demo.train_step.forward_backward": per_step,
        "demo.train_step.all_reduce": per_step,
        "demo.train_step.optimizer": per_step,
        "demo.checkpoint": 12,
        "demo.evaluate": 12,
        "demo.evaluate.all_reduce": 12,
    }


def test_the_metrics_are_recorded(even_run):
    """Loss, accuracy, learning rate and step time are in the report, the loss falling."""
    answer = json.loads(lens("report", even_run[0], "--json").stdout)

    metrics = {row["name"]: row for row in answer["metrics"]}
    assert set(metrics) >= {
        "demo.loss",
        "demo.accuracy",
        "demo.learning_rate",
        "demo.step.duration",
    }
    assert metrics["demo.loss"]["last"] < 0.2
    assert metrics["demo.accuracy"]["last"] > 0.9
    assert metrics["demo.step.duration"]["ranks"] == 4


def test_checkpoints_hold_the_whole_model_in_shares(slow_run):
    """The ranks' shares of the last checkpoint add up to every parameter and its momentum."""
    shares = sorted(slow_run[0].glob(f"*/checkpoints/step-{STEPS:06d}/rank-*.json"))
    states = [json.loads(path.read_text()) for path in shares]

    assert len(states) == 4
    assert {state["step"] for state in states} == {STEPS}
    for part in ("parameters", "velocity"):
        assert sum(len(state[part]) for state in states) == 5 * 48 + 49 * 48 + 49 * 3


@pytest.mark.parametrize("command", ["report", "ranks"])
def test_a_run_is_explained_without_opentelemetry(slow_run, command):
    """Reading starts fast: neither OpenTelemetry nor, for plain text, rich is imported."""
    code = (
        "import sys; from nemo.lens.cli import main; status = main(sys.argv[1:]); "
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'opentelemetry', 'rich'}), status)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, command, slow_run[0]],
        check=True,
        capture_output=True,
        text=True,
        env=environment(),
    )

    assert done.stdout.splitlines()[-1] == "[] 0"


@pytest.mark.parametrize("options", [["--ranks", 1], ["--ranks", 1, "--steps", 1], ["--steps", 1]])
def test_the_smallest_trainings_work(tmp_path, options):
    """One rank, one step, or both are recorded and explained."""
    demo = lens("demo", "--dir", tmp_path, "--json", *options)

    answer = json.loads(demo.stdout)
    assert demo.returncode == 0
    assert answer["stragglers"] == []
    assert answer["training"]["accuracy"] is not None
    assert lens("report", answer["path"]).returncode == 0


def test_more_ranks_than_cores_work(tmp_path):
    """Ranks beyond the cores take turns; the slow one is still found."""
    ranks = 2 * (os.cpu_count() or 1) + 2
    options = ["--ranks", ranks, "--steps", 20, "--slow-rank", ranks - 1]
    demo = lens("demo", "--dir", tmp_path, "--json", *options)

    answer = json.loads(demo.stdout)
    assert demo.returncode == 0
    assert len(answer["ranks"]) == ranks
    assert [each["rank"] for each in answer["stragglers"]] == [ranks - 1]


def test_the_environment_does_not_change_what_the_demo_records(tmp_path):
    """Variables of another job in the same shell neither disable nor redirect it."""
    demo = lens(
        "demo",
        "--ranks",
        2,
        "--steps",
        3,
        "--dir",
        tmp_path,
        "--json",
        NEMO_LENS_ENABLED="0",
        NEMO_LENS_EXPORTER="otlp",
        NEMO_LENS_SPAN_GROUPS="job",
        NEMO_LENS_RUN_ID="other",
        OTEL_SDK_DISABLED="true",
        OTEL_TRACES_SAMPLER="always_off",
        OTEL_RESOURCE_ATTRIBUTES="service.instance.id=one,nv.dl.rank=5",
        SLURM_JOB_ID="123",
        TORCHELASTIC_RESTART_COUNT="2",
        RANK="7",
        WORLD_SIZE="9",
    )

    answer = json.loads(demo.stdout)
    assert demo.returncode == 0
    assert [row["rank"] for row in answer["ranks"]] == [0, 1]
    assert answer["run"].startswith("demo-")


def test_too_many_processes_for_the_system_are_one_clear_line(tmp_path):
    """When ranks cannot be started, those that were started end, and the line says what to do."""
    demo = subprocess.run(
        [*COMMAND, "demo", "--ranks", "64", "--dir", str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)),
    )

    assert (demo.returncode, demo.stdout) == (1, "")
    assert "of 64 ranks could be started" in demo.stderr.splitlines()[-1]
    assert "Traceback" not in demo.stderr


@pytest.mark.parametrize("victim", [0, 2])
def test_a_killed_rank_ends_the_demo_and_leaves_a_readable_run(training, victim):
    """Within seconds the others stop, a sentence says who was killed, and the run can be read."""
    demo = training()
    killed_at = time.monotonic()

    os.kill(demo.pids[victim], signal.SIGKILL)
    status, out, err = demo.end()

    assert time.monotonic() - killed_at < 15
    assert status == 1
    assert f"Rank {victim} was killed by SIGKILL." in out
    assert "Traceback" not in out + err
    report = lens("report", demo.folder)
    answer = json.loads(lens("report", demo.folder, "--json").stdout)
    orderly = {row["rank"]: row["orderly"] for row in answer["processes"]}
    assert report.returncode == 0
    assert f"rank {victim} (" in report.stdout
    assert orderly == {rank: rank != victim for rank in range(4)}
    assert all(row["steps"] > 0 for row in answer["processes"])


def test_ctrl_c_ends_everything_and_keeps_what_was_recorded(training):
    """The whole foreground group gets SIGINT; status 130, one sentence, no traceback."""
    demo = training(ranks=2)

    os.killpg(demo.process.pid, signal.SIGINT)
    status, out, err = demo.end()

    assert (status, out) == (130, "")
    assert "interrupted after step" in err
    assert "ended with SIGTERM" in err
    assert "Traceback" not in err
    report = lens("report", demo.folder)
    assert report.returncode == 0
    assert report.stdout.startswith("Ranks 0, 1 were ended by SIGTERM.")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_rank_survives_the_launcher(training, number):
    """Ranks notice that the launching process is gone; there are no orphans."""
    demo = training(ranks=2)

    os.kill(demo.process.pid, number)
    status, _, err = demo.end()

    assert status == -number
    assert "Traceback" not in err
    report = lens("report", demo.folder).stdout
    assert report.startswith("The job ended early with an error: demo.job failed on ranks 0, 1.")


def test_a_crash_and_a_restart_are_told_with_what_they_cost(tmp_path):
    """A rank is killed; the job goes on from its checkpoint, and goodput counts what is lost."""
    done = lens(
        "demo", "--ranks", 2, "--steps", 45, "--crash-after", 30, "--dir", tmp_path, "--json"
    )
    assert done.returncode == 0, done.stderr
    assert "Rank 1 was killed by SIGKILL. Starting again from the checkpoint after step 20." in (
        done.stderr
    )
    assert json.loads(done.stdout)["training"]["steps"] == 45
    answer = json.loads(lens("goodput", tmp_path, "--json").stdout)
    first, second = answer["attempts"]
    assert (first["restart"], second["restart"]) == (0, 1)
    assert second["first_step"] == 21
    assert second["last_step"] == 45
    assert first["last_step"] == 30
    assert first["lost_steps"] == 10
    assert second["lost_steps"] == 0
    assert first["total_s"]["wasted"] > 0
    assert answer["between_attempts_s"] > 0
    for row in answer["processes"]:
        assert sum(row["buckets_nano"].values()) == row["wall_nano"]
        assert (row["buckets_nano"]["wasted"] > 0) == (row["restart"] == 0)


def test_a_step_to_crash_after_has_to_be_there(tmp_path):
    """The last step would leave nothing to do again."""
    done = lens("demo", "--steps", 10, "--crash-after", 10, "--dir", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "accepted are 1 to 9" in done.stderr
