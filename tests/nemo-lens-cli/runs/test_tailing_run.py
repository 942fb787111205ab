# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A running job at one moment: who is alive, how far it is, who is slow, what was lost."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

import orjson
import pytest
from synthetic_runs import (
    EPOCH,
    NANO,
    Scenario,
    lines,
    make_run,
    play,
    process_folder,
    quiet,
    resource,
    restarted,
    write_collector_file,
    write_run,
)

from nemo.lens.runs import RunError
from nemo.lens.runs.tailing_process import LOST_METRIC
from nemo.lens.runs.tailing_run import RunTail
from nemo.lens.sdk.losses import METRIC_NAME
from nemo.lens.semconv import NEMO_LENS_QUEUE, NEMO_LENS_REASON

SCENARIO = Scenario(ranks=4, steps=30, noise=quiet, slow={(2, "forward_backward"): 1.5})
LONG_AGO = 3600


def change(folder, **fields):
    """Change a manifest, as the process does at its end."""
    manifest = folder / "manifest.json"
    manifest.with_suffix(".part").write_bytes(
        orjson.dumps(orjson.loads(manifest.read_bytes()) | fields)
    )
    manifest.with_suffix(".part").replace(manifest)


def age(folder):
    """Nothing has been written there for an hour."""
    moment = time.time() - LONG_AGO
    for path in (*folder.iterdir(), folder):
        os.utime(path, (moment, moment))


@pytest.fixture
def running(tmp_path):
    """A run that has no end yet, and the folder of each rank."""
    path = write_run(tmp_path, SCENARIO)
    folders = [process_folder(tmp_path, SCENARIO, rank) for rank in range(4)]
    for folder in folders:
        change(folder, end=None, ended_unix_nano=None)
    return path, folders


def ended_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_running_job_is_told_from_its_files(running):
    """Step, rate, ranks alive, the slowest rank."""
    path, _folders = running
    live = RunTail(path).look()
    assert (live.step, live.ranks_alive, live.ranks_expected) == (30, 4, 4)
    assert live.steps_per_s == pytest.approx(1 / 0.065, rel=0.05)
    assert (live.ended, live.orderly) == (False, True)
    assert live.slowest is not None
    assert live.slowest.rank == 2
    assert live.slowest.excess_ratio == pytest.approx(0.02 / 0.045, rel=0.1)
    assert live.verdict.startswith("The run goes on at step 30. Rank 2 on host0 does 44% more")
    assert list(live.to_json())[:3] == ["schema", "run", "verdict"]
    json.dumps(live.to_json())


def test_a_later_look_sees_what_was_appended(running):
    """By any rank, and a process that joined."""
    path, folders = running
    tail = RunTail(path)
    tail.look()
    more = restarted(SCENARIO, 31, 10.0, steps=5, restart=0)
    appended = lines(more, 0, play(more)[0].spans)
    with (folders[0] / "traces-00000.jsonl").open("ab") as file:
        file.writelines(appended)
    live = tail.look()
    assert [row.step for row in live.ranks] == [35, 30, 30, 30]
    assert live.step == 35
    make_run(path.parent, Scenario(ranks=5, steps=3, run=path.name, restart=1))
    live = tail.look()
    assert [row.rank for row in live.ranks] == [0, 1, 2, 3, 4]
    assert live.ranks[4].step == 3


def test_it_has_ended_when_all_ends_are_recorded(running):
    """And was in order when all of them were."""
    path, folders = running
    tail = RunTail(path)
    tail.look()
    for folder in folders:
        change(folder, end="shutdown")
    live = tail.look()
    assert (live.ended, live.orderly, live.ranks_alive) == (True, True, 0)
    assert live.verdict == "The run has ended in order at step 30."


def test_a_rank_whose_process_is_gone_is_told(running):
    """On its own host its process id says so; then the run has not ended in order."""
    path, folders = running
    for folder in folders[1:]:
        change(folder, end="shutdown")
    change(folders[0], host=socket.gethostname(), pid=ended_pid())
    for folder in folders:
        age(folder)
    live = RunTail(path).look()
    assert live.ranks[0].state == "gone"
    assert (live.ended, live.orderly) == (True, False)
    assert "Rank 0 is gone without a recorded end." in live.verdict


def test_a_process_that_is_there_is_not_gone(running):
    """However long it writes nothing: it may be stuck."""
    path, folders = running
    change(folders[0], host=socket.gethostname(), pid=os.getpid())
    age(folders[0])
    live = RunTail(path).look()
    assert live.ranks[0].state == "silent"
    assert (live.ended, live.orderly, live.ranks_alive) == (False, False, 3)
    assert "Rank 0 is silent for a minute or more." in live.verdict


def test_a_rank_on_another_host_is_silent_and_not_gone(running):
    """Its process id says nothing here."""
    path, folders = running
    change(folders[1], pid=ended_pid())
    age(folders[1])
    assert RunTail(path).look().ranks[1].state == "silent"


def test_a_signal_is_no_orderly_end(running):
    """It is told; a restart may follow for some seconds."""
    path, folders = running
    for folder in folders:
        change(folder, end="signal:SIGTERM")
    live = RunTail(path).look()
    assert (live.ended, live.orderly) == (False, False)
    assert "Ranks 0 to 3 are ended by a signal." in live.verdict
    for folder in folders:
        age(folder)
    assert RunTail(path).look().ended is True


def test_the_latest_attempt_of_a_rank_counts(tmp_path):
    """Whatever became of the one before."""
    first = Scenario(ranks=2, steps=10, killed={1: 8})
    path, _truth = make_run(tmp_path, first, restarted(first, 6, 10.0, steps=7, killed={}))
    live = RunTail(path).look()
    assert [(row.rank, row.restart, row.step) for row in live.ranks] == [(0, 1, 12), (1, 1, 12)]
    assert (live.ended, live.orderly) == (True, True)


def test_losses_are_read_from_the_metric_and_at_the_end_from_the_manifest(running):
    """By reason, over all ranks; the writer's name of the metric is the reader's."""
    assert LOST_METRIC == METRIC_NAME
    path, folders = running
    tail = RunTail(path)
    for rank, count in ((0, 5), (1, 7), (0, 9)):
        pairs = {NEMO_LENS_QUEUE: "spans", NEMO_LENS_REASON: "queue_full"}
        point = {
            "timeUnixNano": str(EPOCH + NANO),
            "asInt": str(count),
            "attributes": [
                {"key": key, "value": {"stringValue": value}} for key, value in pairs.items()
            ],
        }
        metric = {"name": METRIC_NAME, "sum": {"dataPoints": [point]}}
        body = {"resource": resource(SCENARIO, rank), "scopeMetrics": [{"metrics": [metric]}]}
        with (folders[rank] / "metrics-00000.jsonl").open("ab") as file:
            file.write(orjson.dumps({"resourceMetrics": [body]}) + b"\n")
        tail.look()
    assert tail.look().lost == {"queue_full": 16}
    change(folders[0], end="shutdown", lost={"queue_full": 11})
    assert tail.look().lost == {"queue_full": 18}


def test_of_several_runs_the_newest_is_followed(tmp_path):
    """By the start that its first manifest tells."""
    write_run(tmp_path, Scenario(run="old", ranks=1, steps=2))
    write_run(tmp_path, Scenario(run="new", ranks=1, steps=2, begins_s=60.0))
    assert RunTail(tmp_path).look().run == "new"


def test_a_run_that_is_removed_stands_still(running):
    """Nothing is raised."""
    path, _folders = running
    tail = RunTail(path)
    tail.look()
    path.rename(path.with_name("elsewhere"))
    assert tail.look().step == 30


def test_files_of_a_collector_cannot_be_followed(tmp_path):
    """They do not say who is alive."""
    file = write_collector_file(tmp_path / "spans.jsonl", SCENARIO)
    with pytest.raises(RunError, match="holds files of a collector"):
        RunTail(file)
    with pytest.raises(RunError, match="no run at"):
        RunTail(tmp_path / "nowhere")
