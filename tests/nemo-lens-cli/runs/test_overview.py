# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A run at a glance."""

from __future__ import annotations

import orjson
import pytest
from synthetic_runs import (
    EPOCH,
    Scenario,
    SpanRow,
    job_id,
    log_line,
    manifest,
    metric_line,
    process_folder,
    request,
    write_run,
)

from nemo.lens.runs import Run, summarise
from nemo.lens.runs.overview import ending
from nemo.lens.runs.process import Process

SMALL = Scenario(ranks=4, steps=20)


def change_manifest(tmp_path, rank, **fields):
    path = process_folder(tmp_path, SMALL, rank) / "manifest.json"
    path.write_bytes(orjson.dumps(manifest(SMALL, rank, []) | fields))


def test_a_whole_run_is_summed_up(tmp_path):
    """Identity, ranks, steps, times and versions."""
    answer = summarise(Run(write_run(tmp_path, SMALL)))
    assert answer.run == "synthetic"
    assert (answer.ranks_expected, answer.ranks_present, answer.ranks_missing) == (
        4,
        (0, 1, 2, 3),
        (),
    )
    assert (answer.steps_done, answer.last_step, answer.spans) == (20, 20, 4 * 20 * 5)
    assert answer.started_unix_nano == EPOCH
    assert answer.duration_s == pytest.approx(20 * 0.0465, rel=0.1)
    assert answer.step_s.count == 80
    assert answer.command[0] == "train.py"
    assert answer.versions == {"nemo-lens-api": "0.3.0"}
    assert all(row.orderly and row.ending == "orderly shutdown" for row in answer.processes)
    assert answer.problems == ()
    assert answer.verdict == "No rank stands out among 4 ranks in 19 compared steps."
    assert orjson.loads(orjson.dumps(answer.to_json()))["schema"] == 1


def test_a_killed_rank_is_described_honestly(tmp_path):
    """What it did last, that its end is unknown, and that the others ended."""
    answer = summarise(Run(write_run(tmp_path, Scenario(steps=30, killed={2: 17}))))
    row = answer.processes[2]
    assert row.ending == "no end recorded: killed or still running"
    assert (row.last_step, row.last_span, row.steps) == (16, "demo.data_loading", 16)
    assert row.last_span_unix_nano is not None
    assert [row.orderly for row in answer.processes] == [True, True, False, True]
    assert answer.verdict.startswith(
        "Rank 2 on host0 has no recorded end (killed or still running): the last span seen is "
        "demo.data_loading; its last recorded step is 16."
    )
    [problem] = answer.problems
    assert "the last line is torn" in problem


def test_many_open_ends_are_not_all_listed(tmp_path):
    """A run in which everything was killed still gets a short verdict."""
    scenario = Scenario(ranks=8, steps=10, killed=dict.fromkeys(range(8), 5))
    answer = summarise(Run(write_run(tmp_path, scenario)))
    assert "4 more processes have no recorded end." in answer.verdict


def test_ranks_that_left_nothing_are_missing(tmp_path):
    """The world size says who should be there."""
    write_run(tmp_path, SMALL)
    change_manifest(tmp_path, 0, world_size=6)
    answer = summarise(Run(tmp_path))
    assert (answer.ranks_expected, answer.ranks_missing) == (6, (4, 5))


def test_lost_telemetry_is_added_up(tmp_path):
    """By reason, over all processes."""
    write_run(tmp_path, SMALL)
    change_manifest(tmp_path, 0, lost={"queue_full": 3, "disk_full": 0})
    change_manifest(tmp_path, 1, lost={"queue_full": 4})
    answer = summarise(Run(tmp_path))
    assert answer.lost == {"queue_full": 7}
    assert answer.processes[0].lost == {"queue_full": 3}


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (None, "no end recorded: killed or still running"),
        ("shutdown", "orderly shutdown"),
        ("exit", "orderly end at interpreter exit"),
        ("signal:SIGTERM", "ended by SIGTERM, telemetry flushed"),
        ("reboot", "ended: reboot"),
    ],
)
def test_ends_are_told_in_words(end, words):
    """Each way in which a manifest may end."""
    assert ending(Process(end=end, manifest=True)) == words


def test_an_end_that_cannot_be_read_is_not_called_a_kill(tmp_path):
    """A damaged manifest leads the verdict as what it is."""
    write_run(tmp_path, SMALL)
    manifest_file = process_folder(tmp_path, SMALL, 1) / "manifest.json"
    manifest_file.unlink()
    manifest_file.mkdir()
    answer = summarise(Run(tmp_path))
    assert answer.verdict.startswith(
        "Of rank 1 on host0 it is not known how it ended: no manifest could be read."
    )
    assert "killed" not in answer.verdict
    assert answer.processes[1].ending == "not known how it ended: no manifest could be read"
    assert any("manifest.json: could not be read: Is a directory" in one for one in answer.problems)


def test_a_run_ended_by_a_signal_says_so_first(tmp_path):
    """Who was ended by which signal, before anything about slow ranks."""
    write_run(tmp_path, SMALL)
    for rank in range(4):
        change_manifest(tmp_path, rank, end="signal:SIGTERM")
    verdict = summarise(Run(tmp_path)).verdict
    assert verdict.startswith("Ranks 0 to 3 were ended by SIGTERM. No rank stands out")


def job_line(scenario, rank, status=b'"status":{"code":2}', attributes=None):
    span = SpanRow("demo.job", "job", "a" * 16, "", EPOCH, EPOCH + 10**10, attributes or {})
    return request(scenario, rank, [span]).replace(b'"status":{}', status)


def append_traces(tmp_path, rank, data):
    with (process_folder(tmp_path, SMALL, rank) / "traces-00000.jsonl").open("ab") as stream:
        stream.write(data)


def test_a_failed_job_leads_the_verdict(tmp_path):
    """Telemetry that shut down in order does not hide an error of the job."""
    write_run(tmp_path, SMALL)
    for rank in (0, 2):
        append_traces(tmp_path, rank, job_line(SMALL, rank))
    verdict = summarise(Run(tmp_path)).verdict
    assert verdict.startswith(
        "The job ended early with an error: demo.job failed on ranks 0, 2. No rank stands out"
    )


def test_a_failed_root_around_the_steps_is_a_failed_job(tmp_path):
    """A span without a group, opened by `span_cm` around the loop, is the job as well."""
    scenario = Scenario(ranks=1, steps=10)
    path = write_run(tmp_path, scenario)
    root = SpanRow("train.job", None, job_id(0), "", EPOCH, EPOCH + 10**10, {})
    beside = root._replace(name="export", span_id="b" * 16)
    line = request(scenario, 0, [root, beside]).replace(b'"status":{}', b'"status":{"code":2}')
    with (process_folder(tmp_path, scenario, 0) / "traces-00000.jsonl").open("ab") as stream:
        stream.write(line)
    answer = summarise(Run(path))
    assert answer.failed_jobs == 1
    assert answer.verdict.startswith(
        "The job ended early with an error: train.job failed on rank 0. Only one rank"
    )


def test_a_span_that_was_still_open_is_not_the_last_one_finished(tmp_path):
    """What shutdown closed was cut off: it is told as open, and as nothing else."""
    write_run(tmp_path, SMALL)
    truncated = {"nemo.span.truncated": {"boolValue": True}}
    append_traces(tmp_path, 1, job_line(SMALL, 1, b'"status":{}', truncated))
    answer = summarise(Run(tmp_path))
    assert answer.processes[1].last_span in {"demo.step", "demo.optimizer"}
    assert answer.processes[1].last_span_unix_nano < EPOCH + 10**10
    assert [row.name for row in answer.truncated] == ["demo.job"]
    assert answer.duration_s == pytest.approx(10.0)


def test_metrics_show_first_last_and_extent(tmp_path):
    """First and last of the lowest rank, minimum and maximum of all."""
    write_run(tmp_path, SMALL)
    for rank, values in ((0, [3.0, 2.0, 1.5]), (2, [4.0, 0.5])):
        folder = process_folder(tmp_path, SMALL, rank)
        data = metric_line(SMALL, rank, "train.loss", values)
        (folder / "metrics-00000.jsonl").write_bytes(data)
    [row] = summarise(Run(tmp_path)).metrics
    assert (row.name, row.unit, row.kind) == ("train.loss", "1", "gauge")
    assert (row.first, row.last, row.min, row.max) == (3.0, 1.5, 0.5, 4.0)
    assert (row.points, row.ranks) == (5, 2)


def test_numbers_that_are_none_are_left_out_of_metrics(tmp_path):
    """A diverged loss does not turn the answer into something that is no JSON."""
    write_run(tmp_path, SMALL)
    data = metric_line(SMALL, 0, "train.loss", [2.0, 1.0]).replace(b"1.0", b'"NaN"')
    (process_folder(tmp_path, SMALL, 0) / "metrics-00000.jsonl").write_bytes(data)
    [row] = summarise(Run(tmp_path)).metrics
    assert (row.first, row.last, row.points) == (2.0, 2.0, 1)


def test_a_flood_of_series_is_cut_and_counted(tmp_path):
    """Unbounded attributes cannot fill the report."""
    write_run(tmp_path, SMALL)
    data = b"".join(metric_line(SMALL, 0, f"metric.{number}", [1.0]) for number in range(1100))
    (process_folder(tmp_path, SMALL, 0) / "metrics-00000.jsonl").write_bytes(data)
    answer = summarise(Run(tmp_path))
    assert len(answer.metrics) == 1000
    assert answer.problems == ("metrics: 100 points of further series are not shown",)


def test_logs_are_counted_by_severity(tmp_path):
    """With the last message of each."""
    write_run(tmp_path, SMALL)
    data = log_line(SMALL, 0, "INFO", "one") * 2 + log_line(SMALL, 0, "ERROR", "boom")
    (process_folder(tmp_path, SMALL, 0) / "logs-00000.jsonl").write_bytes(data)
    rows = summarise(Run(tmp_path)).logs
    assert [(row.severity, row.count, row.last) for row in rows] == [
        ("INFO", 2, "one"),
        ("ERROR", 1, "boom"),
    ]


def test_checkpoints_and_evaluations_are_events(tmp_path):
    """Within a step or outside of it, each once, with failures counted."""
    scenario = Scenario(ranks=1, steps=20, checkpoint_every=10, checkpoint_s=0.5)
    path = write_run(tmp_path, scenario)
    outer = SpanRow("demo.evaluate", "evaluate", "e" * 16, job_id(0), EPOCH, EPOCH + 10**9, {})
    inner = SpanRow("demo.evaluate.batch", "evaluate", "d" * 16, "e" * 16, EPOCH, EPOCH + 5, {})
    line = request(scenario, 0, [inner, outer])
    failed = line.replace(b'"status":{}', b'"status":{"code":2}')
    with (process_folder(tmp_path, scenario, 0) / "traces-00000.jsonl").open("ab") as stream:
        stream.write(failed)
    events = {row.group: row for row in summarise(Run(path)).events}
    assert set(events) == {"checkpoint", "evaluate"}
    assert (events["checkpoint"].count, events["checkpoint"].ranks) == (2, (0,))
    assert events["checkpoint"].duration_s.p50 == pytest.approx(0.5)
    assert (events["evaluate"].count, events["evaluate"].failed) == (1, 1)
    assert events["evaluate"].names == ("demo.evaluate",)


def test_step_spans_without_a_number_are_told(tmp_path):
    """Where most steps have a number, those without are not guessed."""
    path = write_run(tmp_path, SMALL)
    traces = process_folder(tmp_path, SMALL, 1) / "traces-00000.jsonl"
    traces.write_bytes(traces.read_bytes().replace(b'"dl.iteration"', b'"other"', 1))
    answer = summarise(Run(path))
    assert answer.problems == (
        "0/trainer-1-host0-1001: 1 step span carries no dl.iteration or iteration and was not compared",
    )


def test_a_run_without_anything_says_so(tmp_path):
    """A folder with only a manifest is a run in which nothing happened yet."""
    write_run(tmp_path, Scenario(ranks=1, steps=1, killed={0: 1}))
    (tmp_path / "synthetic/0/trainer-0-host0-1000/traces-00000.jsonl").unlink()
    answer = summarise(Run(tmp_path))
    assert (answer.spans, answer.steps_done, answer.step_s.count) == (0, 0, 0)
    assert "no recorded end (killed or still running) and left no span" in answer.verdict
