# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A run as a timeline for the Perfetto viewer."""

from __future__ import annotations

import io
import json
from collections import defaultdict

import orjson
import pytest
from synthetic_runs import (
    EPOCH,
    NANO,
    Scenario,
    key_values,
    log_line,
    make_run,
    metric_line,
    process_folder,
    quiet,
    restarted,
    write_collector_file,
)

from nemo.lens.runs import Run, RunError, write_timeline
from nemo.lens.runs.number_ranges import NumberRanges

MICRO = 1000


def timeline(path, **chosen):
    """The answer and the events, which are valid JSON by the standard library too."""
    stream = io.BytesIO()
    choices = {name: NumberRanges(text) for name, text in chosen.items()}
    answer = write_timeline(Run(path), stream, **choices)
    document = json.loads(stream.getvalue(), parse_constant=pytest.fail)
    return answer, document["traceEvents"]


def of_kind(events, kind):
    return [event for event in events if event["ph"] == kind]


def check_structure(events):
    """What a viewer relies on: rows and tracks have names, spans nest, arrows touch spans."""
    names = {(event["name"], event["pid"], event["tid"]) for event in of_kind(events, "M")}
    tracks = defaultdict(list)
    for event in of_kind(events, "X"):
        assert event["dur"] >= 0
        assert event["ts"] >= 0
        assert ("process_name", event["pid"], 0) in names
        assert ("thread_name", event["pid"], event["tid"]) in names
        tracks[event["pid"], event["tid"]].append(
            (round(event["ts"] * MICRO), round((event["ts"] + event["dur"]) * MICRO))
        )
    for spans in tracks.values():
        ends = []
        for start, end in spans:
            while ends and ends[-1] <= start:
                ends.pop()
            assert not ends or end <= ends[-1]
            ends.append(end)
    starts = {event["id"]: event for event in of_kind(events, "s")}
    ends = {event["id"]: event for event in of_kind(events, "f")}
    assert starts.keys() == ends.keys()
    assert len(starts) == len(of_kind(events, "s"))
    for event in (*starts.values(), *ends.values()):
        at = round(event["ts"] * MICRO)
        spans = tracks[event["pid"], event["tid"]]
        assert any(start <= at <= end for start, end in spans)
    assert {event["ph"] for event in events} <= set("MXiCsf")


def span_line(*spans):
    """One line of spans that are given as (name, id, parent, start_s, end_s, more)."""
    encoded = [
        {
            "traceId": "0" * 31 + "1",
            "spanId": span_id,
            "parentSpanId": parent,
            "name": name,
            "startTimeUnixNano": str(EPOCH + int(start * NANO)),
            "endTimeUnixNano": str(EPOCH + int(end * NANO)),
            **more,
        }
        for name, span_id, parent, start, end, more in spans
    ]
    return orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": encoded}]}]}) + b"\n"


@pytest.fixture
def two_ranks(tmp_path):
    """A run folder without steps, and the folders of its ranks to write more into."""
    scenario = Scenario(ranks=2, steps=0)
    path, _truth = make_run(tmp_path, scenario)
    folders = [process_folder(tmp_path, scenario, rank) for rank in range(2)]

    def write(rank, signal, line):
        folders[rank].joinpath(f"{signal}-00009.jsonl").write_bytes(line)

    return path, write, scenario


def test_every_process_has_a_row_in_order_with_its_spans(tmp_path):
    """Named by rank and host; all spans are there, properly nested."""
    path, _truth = make_run(tmp_path, Scenario(steps=5, nested=True, job=True, ranks_per_host=2))
    answer, events = timeline(path)
    check_structure(events)
    rows = [event for event in of_kind(events, "M") if event["name"] == "process_name"]
    assert [row["args"]["name"] for row in rows] == [
        "rank 0 (host0)",
        "rank 1 (host0)",
        "rank 2 (host1)",
        "rank 3 (host1)",
    ]
    assert answer.spans == len(of_kind(events, "X")) == sum(1 for _span in Run(path).spans())
    assert answer.verdict.startswith(f"A timeline of 4 processes with {answer.spans} spans")


def test_attributes_groups_and_failures_are_kept(two_ranks):
    """As a viewer shows them beside a span; numbers that a browser would round are text."""
    path, write, _scenario = two_ranks
    more = {
        "attributes": key_values({"big": {"intValue": str(2**60)}, "nan": {"doubleValue": "NaN"}}),
        "status": {"code": 2, "message": "boom"},
    }
    write(0, "traces", span_line(("work", "a" * 16, "", 0, 1, more)))
    _answer, events = timeline(path)
    (span,) = of_kind(events, "X")
    assert span["args"] == {"big": str(2**60), "nan": "nan", "status": "error: boom"}
    assert (span["ts"], span["dur"], span["cat"]) == (0, 1e6, "span")


def test_clock_offsets_and_drift_are_taken_out(tmp_path):
    """Barriers of all ranks end within a millisecond, although the clocks are 7 s apart."""
    scenario = Scenario(
        noise=quiet, ranks_per_host=1, clock_offset_s={1: 7.0, 2: -3.0}, clock_drift_ppm={1: 40.0}
    )
    path, _truth = make_run(tmp_path, scenario)
    _answer, events = timeline(path)
    check_structure(events)
    ends = defaultdict(list)
    for event in of_kind(events, "X"):
        if event["cat"] == "communication":
            ends[event["pid"]].append(event["ts"] + event["dur"])
    for moments in zip(*ends.values(), strict=True):
        assert max(moments) - min(moments) < 1000


def test_links_and_parents_in_other_processes_are_arrows(two_ranks):
    """From the span that came first; parents in the same process need none."""
    path, write, _scenario = two_ranks
    link = {"links": [{"traceId": "0" * 31 + "1", "spanId": "b" * 16}]}
    first = (
        ("driver", "a" * 16, "", 0, 10, {}),
        ("producer", "b" * 16, "a" * 16, 1, 2, {}),
    )
    second = (
        ("task", "c" * 16, "a" * 16, 3, 4, {}),
        ("consumer", "d" * 16, "c" * 16, 3, 4, link),
        ("orphan", "e" * 16, "9" * 16, 5, 6, {}),
    )
    # The target is written by the lower rank, so that it is read before its source.
    write(1, "traces", span_line(*first))
    write(0, "traces", span_line(*second))
    answer, events = timeline(path)
    check_structure(events)
    arrows = {event["name"]: event for event in of_kind(events, "s")}
    targets = {event["name"]: event for event in of_kind(events, "f")}
    assert answer.arrows == 2
    assert (arrows["parent"]["pid"], arrows["parent"]["ts"]) == (2, 3e6)
    assert (arrows["link"]["pid"], arrows["link"]["ts"]) == (2, 2e6)
    assert (targets["link"]["pid"], targets["link"]["ts"]) == (1, 3e6)


def test_metrics_logs_and_events_are_counters_and_moments(two_ranks):
    """Beside the spans of their process; NaN is no point of a curve."""
    path, write, scenario = two_ranks
    event = {"timeUnixNano": str(EPOCH + NANO), "name": "exception"}
    write(0, "traces", span_line(("work", "a" * 16, "", 0, 9, {"events": [event, {}]})))
    write(1, "metrics", metric_line(scenario, 1, "train.loss", [3.0, "NaN", 2.0]))
    write(1, "logs", log_line(scenario, 1, "WARN", "slow " * 1000))
    answer, events = timeline(path)
    check_structure(events)
    counters = of_kind(events, "C")
    assert [(one["ts"], one["args"]) for one in counters] == [
        (0, {"value": 3.0}),
        (2e6, {"value": 2.0}),
    ]
    assert (counters[0]["name"], counters[0]["pid"]) == ("train.loss", 2)
    exception, log = of_kind(events, "i")
    assert (exception["name"], exception["ts"], exception["pid"]) == ("exception", 1e6, 1)
    assert log["name"].startswith("WARN: slow slow")
    assert (answer.counters, answer.logs) == (2, 1)


def test_chosen_steps_and_ranks_are_all_that_is_shown(tmp_path):
    """What reaches beyond them is cut, and says so."""
    path, _truth = make_run(tmp_path, Scenario(steps=30, job=True, noise=quiet))
    _answer, events = timeline(path, steps="10-11,20", ranks="1-2")
    check_structure(events)
    spans = of_kind(events, "X")
    steps = {
        (event["pid"], event["args"]["dl.iteration"])
        for event in spans
        if event["name"] == "demo.step" and "cut to" not in event["args"]
    }
    assert steps == {(row, step) for row in (1, 2) for step in (10, 11, 20)}
    job = next(event for event in spans if event["cat"] == "job")
    assert job["args"]["cut to"] == "the chosen steps"
    assert job["args"]["duration_s"] > job["dur"] / 1e6


def test_restarts_and_collector_files_have_rows_too(tmp_path):
    """Each attempt its own; records that a collector interleaved are put together."""
    first = Scenario(ranks=2, steps=5, killed={1: 4})
    path, _truth = make_run(tmp_path, first, restarted(first, 4, begins_s=60.0))
    _answer, events = timeline(path)
    rows = [
        event["args"]["name"] for event in of_kind(events, "M") if event["name"] == "process_name"
    ]
    assert "rank 1, attempt 1 (host0)" in rows
    scenario = Scenario(steps=40)
    answer, events = timeline(write_collector_file(tmp_path / "c.jsonl.gz", scenario))
    check_structure(events)
    assert answer.processes == 4


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"ranks": "9"}, "no rank 9 in this run"),
        ({"steps": "70-80"}, "no step 70-80 in this run; its steps: 1 to 3"),
    ],
)
def test_what_the_run_lacks_is_one_line(tmp_path, chosen, said):
    """Nothing is written then."""
    path, _truth = make_run(tmp_path, Scenario(steps=3))
    with pytest.raises(RunError, match=said):
        timeline(path, **chosen)


def test_a_run_without_spans_has_no_timeline(tmp_path):
    """It says so."""
    path, _truth = make_run(tmp_path, Scenario(steps=0))
    with pytest.raises(RunError, match="no span was recorded"):
        timeline(path)
