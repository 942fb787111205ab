# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Recording to a real filesystem that is full, fills up, gets room again, or goes away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from nemo.lens.runs import Run

pytestmark = pytest.mark.integration

_JOB = """
import logging, os, sys, threading, time
logging.basicConfig(format="%(message)s")
from nemo.lens import NemoLensConfig, get_meter, managed_span, setup_telemetry, span_cm
from nemo import lens
handle = setup_telemetry(NemoLensConfig.from_env(), rank=0, world_size=1)
gauge = get_meter().create_gauge("train.loss")
slowest = 0.0
def steps(first, last):
    global slowest
    for number in range(first, last):
        begun = time.perf_counter()
        with managed_span("step", "train.step", iteration=number, note="x" * 200): pass
        gauge.set(number)
        slowest = max(slowest, time.perf_counter() - begun)
def meet(word):
    print(word, flush=True)
    assert sys.stdin.readline().strip() == "go"
"""


@pytest.fixture
def small_disk(tmp_path):
    """A filesystem of 2 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        sys.stdout.write("\nNOT RUN: a small filesystem cannot be mounted (needs root)\n")
        if os.environ.get("CI_STRICT") == "1":
            pytest.fail(f"mount failed and CI_STRICT=1: {mounted.stderr.decode()}")
        pytest.skip("mount failed")
    yield place
    subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)


@pytest.fixture
def frozen_disk(tmp_path):
    """A filesystem, and what makes it hang: each write to it waits until it is thawed."""
    place, image = tmp_path / "disk", tmp_path / "image"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(16 * 1024 * 1024)
    steps = (["mkfs.ext4", "-q", str(image)], ["mount", "-o", "loop", str(image), str(place)])
    try:
        for step in steps:
            subprocess.run(step, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stdout.write("\nNOT RUN: a filesystem cannot be frozen (needs root and mkfs.ext4)\n")
        if os.environ.get("CI_STRICT") == "1":
            pytest.fail(f"{error} and CI_STRICT=1")
        pytest.skip("mount failed")
    yield place
    subprocess.run(["fsfreeze", "-u", str(place)], capture_output=True, check=False)
    subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)


@pytest.fixture
def start(tmp_path):
    """Start a job that meets the test wherever its script says so."""
    started = []

    def start(script, directory, node):
        kept = {key: value for key, value in os.environ.items() if "NEMO_LENS" not in key}
        process = subprocess.Popen(
            [sys.executable, "-c", _JOB + textwrap.dedent(script)],
            env={
                **kept,
                "NEMO_LENS_ENABLED": "1",
                "NEMO_LENS_EXPORTER": "file",
                "NEMO_LENS_SPAN_GROUPS": "all",
                "NEMO_LENS_LOGS_ENABLED": "1",
                "NEMO_LENS_RUN_ID": "r",
                "NEMO_LENS_DIR": str(directory),
                "NEMO_LENS_BLACKBOX_DIR": str(node),
                "OTEL_METRIC_EXPORT_INTERVAL": "100",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def _meet(process, word):
    line = process.stdout.readline().strip()
    assert line == word, line + process.stderr.read()


def _go(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def _fill(disk):
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


def test_a_disk_that_fills_up_and_gets_room_again_loses_nothing(tmp_path, small_disk, start):
    """One warning for the disk, no step that waits, and every span once there is room."""
    process = start(
        """
        steps(0, 100); meet("filled?")
        steps(100, 3000); time.sleep(1.5); meet("freed?")
        steps(3000, 3100)
        for _ in range(100):
            if handle.flush(): break
            time.sleep(0.1)
        handle.shutdown()
        print("slowest", slowest)
        """,
        small_disk / "runs",
        tmp_path / "node",
    )
    _meet(process, "filled?")
    _fill(small_disk)
    _go(process)
    _meet(process, "freed?")
    (small_disk / "filler").unlink()
    _go(process)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert err.count("recording to") == 1, err
    assert float(out.split()[-1]) < 2
    run = Run(small_disk / "runs" / "r")
    assert {span.attributes["iteration"] for span in run.spans()} == set(range(3100))
    assert run.problems == ()
    (process,) = run.processes
    assert process.end == "shutdown"
    assert process.black_box.ended == "shutdown"


def test_a_disk_that_is_full_at_the_start_gets_all_once_it_has_room(tmp_path, small_disk, start):
    """Manifest and spans, and where the black box is."""
    _fill(small_disk)
    process = start(
        """
        steps(0, 100); handle.flush(); meet("freed?")
        with span_cm("train.job"):
            steps(100, 200)
            while not handle.flush(): time.sleep(0.1)
            meet("kill")
        """,
        small_disk / "runs",
        tmp_path / "node",
    )
    _meet(process, "freed?")
    (small_disk / "filler").unlink()
    _go(process)
    _meet(process, "kill")
    process.kill()
    process.communicate(timeout=60)
    run = Run(small_disk / "runs" / "r")
    (left,) = run.processes
    assert left.manifest
    assert {span.attributes["iteration"] for span in run.spans()} == set(range(200))
    assert [span.name for span in left.black_box.open_spans] == ["train.job"]
    assert run.problems == ()


def test_a_disk_that_stays_full_never_stops_the_job(tmp_path, small_disk, start):
    """From the first step to the end: warnings, an exit in time, and status 0."""
    process = start(
        'meet("filled?"); steps(0, 3000); handle.shutdown(2000); print("slowest", slowest)',
        small_disk / "runs",
        tmp_path / "node",
    )
    _meet(process, "filled?")
    _fill(small_disk)
    _go(process)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert float(out.split()[-1]) < 2
    assert "recording to" in err
    assert "Traceback" not in err


def test_without_room_for_the_black_box_there_is_none(tmp_path, small_disk, start):
    """One warning, no SIGBUS, nothing left of it, and the run files are whole."""
    _fill(small_disk)
    (small_disk / "filler").write_bytes(bytes(1900 * 1024))
    process = start("steps(0, 500); handle.shutdown()", tmp_path / "runs", small_disk / "node")
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert err.count("there is no black box") == 1
    assert list((small_disk / "node").iterdir()) == []
    run = Run(tmp_path / "runs" / "r")
    assert sum(1 for _span in run.spans()) == 500
    assert run.processes[0].black_box is None


def test_a_black_box_on_a_disk_that_fills_up_goes_on(tmp_path, small_disk, start):
    """Its room was taken at the start: stores never meet the full disk."""
    process = start(
        """
        meet("filled?")
        with span_cm("train.job"):
            steps(0, 20_000)
            os.kill(os.getpid(), 9)
        """,
        tmp_path / "runs",
        small_disk / "node",
    )
    _meet(process, "filled?")
    _fill(small_disk)
    _go(process)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == -9, err
    (left,) = Run(tmp_path / "runs" / "r").processes
    assert [span.name for span in left.black_box.open_spans] == ["train.job"]
    assert left.black_box.step == 19_999


def test_a_disk_that_goes_away_never_stops_the_job(tmp_path, small_disk, start):
    """The folder is gone with all that was in it, and comes back empty in its place."""
    process = start(
        """
        steps(0, 100); handle.flush(); meet("gone?")
        steps(100, 200); handle.flush(); handle.shutdown()
        """,
        small_disk / "runs",
        small_disk / "node",
    )
    _meet(process, "gone?")
    subprocess.run(["umount", "-l", str(small_disk)], check=True)
    _go(process)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    left = {int(span.attributes["iteration"]) for span in Run(small_disk / "runs" / "r").spans()}
    assert left <= set(range(100, 200))


def test_a_folder_that_vanishes_is_made_again_with_what_belongs_to_it(tmp_path, start):
    """Manifest and pointer are back, so the black box of a killed process is found."""
    process = start(
        """
        steps(0, 100); handle.flush(); meet("gone?")
        with span_cm("train.job"):
            steps(100, 200); handle.flush(); meet("kill")
        """,
        tmp_path / "runs",
        tmp_path / "node",
    )
    _meet(process, "gone?")
    shutil.rmtree(tmp_path / "runs")
    _go(process)
    _meet(process, "kill")
    process.kill()
    process.communicate(timeout=60)
    run = Run(tmp_path / "runs" / "r")
    (left,) = run.processes
    assert left.manifest
    assert {span.attributes["iteration"] for span in run.spans()} == set(range(100, 200))
    assert [span.name for span in left.black_box.open_spans] == ["train.job"]


def test_a_disk_that_hangs_never_stops_the_job(tmp_path, frozen_disk, start):
    """Steps go on, the end keeps its deadline, and what was lost is said."""
    process = start(
        """
        steps(0, 100); handle.flush(); meet("frozen?")
        steps(100, 3000); begun = time.monotonic(); handle.shutdown(1000)
        print(time.monotonic() - begun, slowest, flush=True); meet("thawed?")
        """,
        frozen_disk / "runs",
        tmp_path / "node",
    )
    _meet(process, "frozen?")
    subprocess.run(["fsfreeze", "-f", str(frozen_disk)], check=True)
    _go(process)
    shutdown_s, slowest_s = map(float, process.stdout.readline().split())
    assert shutdown_s < 5
    assert slowest_s < 2
    subprocess.run(["fsfreeze", "-u", str(frozen_disk)], check=True)
    _meet(process, "thawed?")
    _go(process)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "telemetry was lost" in err


def test_a_disk_that_hangs_from_the_start_does_not_stop_set_up(tmp_path, frozen_disk, start):
    """When it answers, everything that was recorded meanwhile is there."""
    subprocess.run(["fsfreeze", "-f", str(frozen_disk)], check=True)
    process = start(
        """
        meet("set up")
        with span_cm("train.job"):
            steps(0, 100)
            while not handle.flush(): time.sleep(0.1)
            while "nemo-lens opening" in [thread.name for thread in threading.enumerate()]:
                time.sleep(0.1)
            meet("kill")
        """,
        frozen_disk / "runs",
        tmp_path / "node",
    )
    _meet(process, "set up")
    _go(process)
    subprocess.run(["fsfreeze", "-u", str(frozen_disk)], check=True)
    _meet(process, "kill")
    process.kill()
    process.communicate(timeout=60)
    run = Run(frozen_disk / "runs" / "r")
    (left,) = run.processes
    assert {span.attributes["iteration"] for span in run.spans()} == set(range(100))
    assert [span.name for span in left.black_box.open_spans] == ["train.job"]
