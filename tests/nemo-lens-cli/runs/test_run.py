# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reading spans, points, logs and identities, from whole, damaged and hostile files."""

from __future__ import annotations

import gzip
import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from synthetic_runs import (
    TORN,
    Scenario,
    job_id,
    log_line,
    metric_line,
    process_folder,
    simulate,
    write_collector_file,
    write_run,
)

from nemo.lens.runs import Run, analyse_ranks, analyse_steps, collect, summarise

SMALL = Scenario(ranks=2, steps=3)
SPANS = 3 * 5


def folder_of(tmp_path: Path, rank: int = 0) -> Path:
    return process_folder(tmp_path, SMALL, rank)


def traces_of(tmp_path: Path, rank: int = 0) -> Path:
    return folder_of(tmp_path, rank) / "traces-00000.jsonl"


def test_spans_come_back_as_they_were_recorded(tmp_path):
    """Name, group, times, ids and attributes of every span, process by process."""
    spans = list(Run(write_run(tmp_path, SMALL)).spans())
    expected = [span for rank in simulate(SMALL) for span in rank]
    assert [
        (span.name, span.group, span.span_id, span.start_unix_nano, span.end_unix_nano)
        for span in spans
    ] == sorted_by_group([(s.name, s.group, s.span_id, s.start, s.end) for s in expected])
    step = next(span for span in spans if span.group == "step")
    assert step.attributes == {"dl.iteration": 1}
    assert step.trace_id == "0" * 31 + "1"
    assert step.parent_span_id == job_id(0)
    assert not step.failed
    assert step.process.rank == 0


def sorted_by_group(spans):
    """One line holds one block per group, in the order in which the groups appear."""
    groups = list(dict.fromkeys(span[1] for span in spans[:SPANS]))
    half = [spans[:SPANS], spans[SPANS:]]
    return [span for rank in half for group in groups for span in rank if span[1] == group]


def test_the_manifest_tells_who_a_process_was(tmp_path):
    """Identity, versions, command and end come from the manifest."""
    process = Run(write_run(tmp_path, SMALL)).processes[1]
    assert (process.role, process.rank, process.world_size, process.host, process.pid) == (
        "trainer",
        1,
        2,
        "host0",
        1001,
    )
    assert process.end == "shutdown"
    assert process.command == ("train.py", "--steps", "3")
    assert process.versions == {"nemo-lens-api": "0.3.0"}
    assert process.manifest


def test_without_a_manifest_the_folder_name_tells_and_the_resource_fills_in(tmp_path):
    """A process that died before its manifest was written is still known."""
    path = write_run(tmp_path, SMALL)
    (folder_of(tmp_path) / "manifest.json").unlink()
    run = Run(path)
    process = run.processes[0]
    assert (process.role, process.rank, process.host, process.pid) == ("trainer", 0, "host0", 1000)
    assert process.world_size == 2
    assert not process.manifest
    assert len(run.problems) == 1
    assert "manifest.json: missing" in run.problems[0]
    assert len(list(run.spans())) == 2 * SPANS


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "not valid JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"schema": 2, "rank": 0, "new": {"a": 1}}', "schema '2' is not the schema 1"),
        (b'{"schema": "' + b"9" * 5000 + b'"}', "is not the schema 1"),
        (b'{"rank": "zero", "pid": -1, "lost": [], "command": 3}', "schema 'None'"),
    ],
)
def test_a_damaged_or_future_manifest_is_one_line_and_the_rest_is_read(tmp_path, content, problem):
    """What is known is used, the spans are read, one line says what was wrong."""
    path = write_run(tmp_path, SMALL)
    (folder_of(tmp_path) / "manifest.json").write_bytes(content)
    run = Run(path)
    assert [process.rank for process in run.processes] == [0, 1]
    assert len(run.problems) == 1
    assert problem in run.problems[0]
    assert len(run.problems[0]) < 300
    assert len(list(run.spans())) == 2 * SPANS


def test_a_torn_last_line_loses_only_itself(tmp_path):
    """Everything before the torn line is read, and one line says so."""
    path = write_run(tmp_path, SMALL)
    with traces_of(tmp_path).open("ab") as stream:
        stream.write(TORN)
    run = Run(path)
    assert len(list(run.spans())) == 2 * SPANS
    [problem] = run.problems
    assert problem == (
        f"0/trainer-0-host0-1000/traces-00000.jsonl: the last line is torn ({len(TORN)} bytes not "
        "read): the writer was cut off or is still writing"
    )


def test_a_whole_last_line_without_newline_is_read(tmp_path):
    """A file cut exactly at the newline loses nothing."""
    path = write_run(tmp_path, SMALL)
    traces_of(tmp_path).write_bytes(traces_of(tmp_path).read_bytes().rstrip(b"\n"))
    run = Run(path)
    assert len(list(run.spans())) == 2 * SPANS
    assert run.problems == ()


def test_garbage_between_lines_is_counted_in_one_problem(tmp_path):
    """Damaged lines are skipped and counted, blank ones ignored."""
    path = write_run(tmp_path, SMALL)
    whole = traces_of(tmp_path).read_bytes()
    traces_of(tmp_path).write_bytes(b"garbage\n\n\xff\xfe\n3\n" + whole + b'{"other": 1}\n')
    run = Run(path)
    assert len(list(run.spans())) == 2 * SPANS
    label = "0/trainer-0-host0-1000/traces-00000.jsonl"
    assert sorted(run.problems) == [
        f"{label}: 1 line holds no resourceSpans and was skipped",
        f"{label}: 3 lines are not a JSON object and skipped, the first is 1",
    ]


def test_gzipped_segments_are_read_in_order(tmp_path):
    """Finished segments are compressed, the last one is not."""
    path = write_run(tmp_path, SMALL)
    plain = traces_of(tmp_path)
    plain.with_name("traces-00001.jsonl").write_bytes(plain.read_bytes())
    plain.with_name("traces-00000.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    run = Run(path)
    assert len(list(run.spans())) == 3 * SPANS
    assert run.problems == ()


@pytest.mark.parametrize("damage", ["cut", "foreign", "corrupt"])
def test_a_damaged_gzip_file_gives_what_it_holds(tmp_path, damage):
    """Cut off or corrupt compressed data never raises; one line tells it."""
    scenario = Scenario(ranks=1, steps=200)
    path = write_run(tmp_path, scenario)
    plain = process_folder(tmp_path, scenario, 0) / "traces-00000.jsonl"
    packed = bytearray(gzip.compress(plain.read_bytes()))
    if damage == "cut":
        packed = packed[: len(packed) // 2]
    elif damage == "foreign":
        packed = bytearray(b"this is no gzip data\n")
    else:
        packed[len(packed) // 2 :] = bytes(len(packed) // 2)
    plain.with_name("traces-00000.jsonl.gz").write_bytes(packed)
    plain.unlink()
    run = Run(path)
    count = len(list(run.spans()))
    assert count == 0 if damage == "foreign" else 0 < count < 1000
    assert run.problems
    assert all("\n" not in problem for problem in run.problems)


def test_zst_without_its_package_is_one_line(tmp_path, monkeypatch):
    """Where no zstd is installed, the file is named with the cure."""
    path = write_run(tmp_path, SMALL)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    traces_of(tmp_path).rename(traces_of(tmp_path).with_suffix(".jsonl.zst"))
    run = Run(path)
    assert len(list(run.spans())) == SPANS
    assert len(run.problems) == 1
    assert "pip install zstandard" in run.problems[0]


def test_zst_is_read_through_the_package_where_it_is_installed(tmp_path, monkeypatch):
    """Frames are read across, line by line; a stand-in that unpacks gzip takes its place here."""
    asked = {}

    def stream_reader(source, **options):
        asked.update(options)
        with source:
            return io.BytesIO(gzip.decompress(source.read()))

    stand_in = SimpleNamespace(
        ZstdDecompressor=lambda: SimpleNamespace(stream_reader=stream_reader)
    )
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", stand_in)
    path = write_run(tmp_path, SMALL)
    packed = gzip.compress(traces_of(tmp_path).read_bytes())
    traces_of(tmp_path).with_suffix(".jsonl.zst").write_bytes(packed)
    traces_of(tmp_path).unlink()
    run = Run(path)
    assert len(list(run.spans())) == 2 * SPANS
    assert run.problems == ()
    assert asked == {"read_across_frames": True, "closefd": True}


def test_a_file_that_cannot_be_opened_is_one_line(tmp_path):
    """A folder in the place of a segment stands for any unreadable file."""
    path = write_run(tmp_path, SMALL)
    traces_of(tmp_path).unlink()
    traces_of(tmp_path).mkdir()
    run = Run(path)
    assert len(list(run.spans())) == SPANS
    assert len(run.problems) == 1
    assert "traces-00000.jsonl: could not be read further: Is a directory" in run.problems[0]


def test_points_and_logs_are_read(tmp_path):
    """Metrics and logs come back with their process."""
    path = write_run(tmp_path, SMALL)
    metric = metric_line(SMALL, 0, "train.loss", [3.0, 2.0])
    (folder_of(tmp_path) / "metrics-00000.jsonl").write_bytes(metric)
    (folder_of(tmp_path, 1) / "logs-00000.jsonl").write_bytes(log_line(SMALL, 1, "WARN", "slow"))
    run = Run(path)
    points, logs = list(run.points()), list(run.logs())
    assert [(point.name, point.value, point.process.rank) for point in points] == [
        ("train.loss", 3.0, 0),
        ("train.loss", 2.0, 0),
    ]
    assert [(log.severity, log.body, log.process.rank) for log in logs] == [("WARN", "slow", 1)]


def test_histograms_give_their_mean_and_extent():
    """Sum and count become the mean; min and max are the extent."""
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.records import decode_points

    point = {"timeUnixNano": 1, "count": "4", "sum": 10.0, "min": 1.0, "max": 5.0}
    metric = {"name": "step", "unit": "s", "histogram": {"dataPoints": [point]}}
    entry = {"scopeMetrics": [{"metrics": [metric]}]}
    [found] = decode_points(entry, Process(), lambda: None)
    assert (found.value, found.low, found.high, found.measurements) == (2.5, 1.0, 5.0, 4)


def test_all_three_signals_are_read_from_one_collector_file(tmp_path):
    """A collector may mix signals in one file."""
    path = write_collector_file(tmp_path / "all.jsonl", SMALL)
    with path.open("ab") as stream:
        stream.write(metric_line(SMALL, 0, "train.loss", [3.0]))
        stream.write(log_line(SMALL, 1, "ERROR", "oh"))
    run = Run(path)
    assert (len(list(run.spans())), len(list(run.points())), len(list(run.logs()))) == (30, 1, 1)
    assert len(run.processes) == 2
    assert run.problems == ()


def test_a_gzipped_collector_file_is_read(tmp_path):
    """Collectors rotate and compress, too."""
    path = write_collector_file(tmp_path / "otlp.jsonl.gz", SMALL)
    assert len(list(Run(path).spans())) == 2 * SPANS


def test_a_growing_file_shows_more_each_time(tmp_path):
    """A run that is still being written is read as far as it is."""
    path = write_run(tmp_path, SMALL)
    whole = traces_of(tmp_path).read_bytes()
    traces_of(tmp_path).write_bytes(whole[: len(whole) // 2])
    assert len(list(Run(path).spans())) == SPANS
    traces_of(tmp_path).write_bytes(whole)
    assert len(list(Run(path).spans())) == 2 * SPANS


WRITER = """
import sys, time
import orjson
from pathlib import Path
from types import SimpleNamespace
sys.path.insert(0, sys.argv[1])
from synthetic_runs import *
scenario = Scenario(ranks=1, steps=5000, killed={})
folder = process_folder(Path(sys.argv[2]), scenario, 0)
folder.mkdir(parents=True)
found = manifest(scenario, 0, []) | {"end": None, "ended_unix_nano": None}
(folder / "manifest.json").write_bytes(orjson.dumps(found))
with (folder / "traces-00000.jsonl").open("wb", buffering=0) as stream:
    for line in lines(scenario, 0, simulate(scenario)[0]):
        stream.write(line[:1000])
        stream.write(line[1000:])
        time.sleep(0.002)
"""


def test_a_process_that_is_killed_while_writing_is_described_honestly(tmp_path):
    """SIGKILL at any moment leaves a run that is read and said to have no recorded end."""
    here = str(Path(__file__).parent)
    writer = subprocess.Popen([sys.executable, "-c", WRITER, here, str(tmp_path)])
    traces = process_folder(tmp_path, Scenario(ranks=1), 0) / "traces-00000.jsonl"
    deadline = time.monotonic() + 30
    while not (traces.exists() and traces.stat().st_size > 50_000):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    writer.send_signal(signal.SIGKILL)
    assert writer.wait() == -signal.SIGKILL
    answer = summarise(Run(tmp_path))
    assert answer.spans > 0
    [row] = answer.processes
    assert row.end is None
    assert row.ending == "no end recorded: killed or still running"
    assert not row.orderly
    assert row.last_span is not None
    assert "Rank 0 on host0 has no recorded end (killed or still running)" in answer.verdict


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "0", "1760000000000000001", "step", "NaN", "-5", "9" * 30, "9" * 5000])
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "value", "key", "attributes", "intValue", "stringValue", "values", "x"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
BROKEN = st.sampled_from(
    [
        "resourceSpans",
        "resourceMetrics",
        "resourceLogs",
        "resource",
        "attributes",
        "scopeSpans",
        "scope",
        "spans",
        "name",
        "spanId",
        "parentSpanId",
        "startTimeUnixNano",
        "endTimeUnixNano",
        "status",
        "key",
        "value",
        "intValue",
        "stringValue",
        "metrics",
        "unit",
        "gauge",
        "dataPoints",
        "timeUnixNano",
        "asDouble",
        "logRecords",
        "severityText",
        "severityNumber",
        "body",
    ]
)


def broken(value, key, garbage):
    """A copy in which every value of one key is garbage."""
    if isinstance(value, dict):
        return {
            name: garbage if name == key else broken(item, key, garbage)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [broken(item, key, garbage) for item in value]
    return value


@pytest.fixture(scope="module")
def good_lines():
    scenario = Scenario(ranks=1, steps=2)
    [spans] = simulate(scenario)
    from synthetic_runs import request

    return {
        "traces": orjson.loads(request(scenario, 0, spans)),
        "metrics": orjson.loads(metric_line(scenario, 0, "train.loss", [1.0])),
        "logs": orjson.loads(log_line(scenario, 0, "INFO", "hello")),
    }


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(key=BROKEN, garbage=st.tuples(JSON, JSON), loose=st.booleans())
def test_no_shape_of_json_raises(tmp_path_factory, good_lines, key, garbage, loose):
    """Whatever stands where OTLP should stand: reading and analysing never raise."""
    directory = tmp_path_factory.mktemp("garbage")
    folder = directory if loose else directory / "run" / "0" / "trainer-0-host-1"
    folder.mkdir(parents=True, exist_ok=True)
    if not loose:
        (folder / "manifest.json").write_bytes(orjson.dumps(garbage[1]))
    for signal_name, good in good_lines.items():
        data = orjson.dumps(broken(good, key, garbage[0])) + b"\n" + orjson.dumps(good) + b"\n"
        name = f"{signal_name}.json" if loose else f"{signal_name}-00000.jsonl"
        (folder / name).write_bytes(data)
    run = Run(directory, run_id="synthetic") if loose else Run(directory)
    records = collect(run)
    for answer in (
        summarise(run, records),
        analyse_ranks(run, records),
        analyse_steps(run, records),
    ):
        json.loads(json.dumps(answer.to_json(), allow_nan=False))
    assert sum(record.spans for record in records) >= 10
    assert all("\n" not in problem and len(problem) < 500 for problem in run.problems)
