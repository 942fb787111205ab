# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a step goes."""

from __future__ import annotations

import orjson
import pytest
from synthetic_runs import Scenario, SpanRow, job_id, process_folder, request, simulate, write_run

from nemo.lens.runs import Run, analyse_steps

EVEN = Scenario(noise=lambda _rng: 1.0)


def report(tmp_path, scenario):
    return analyse_steps(Run(write_run(tmp_path, scenario)))


def test_phases_and_durations_are_those_of_the_scenario(tmp_path):
    """Each phase with its time per step; the shares are the whole."""
    answer = report(tmp_path, EVEN)
    phases = {row.phase: row for row in answer.phases}
    assert phases["forward_backward"].per_step_s.p50 == pytest.approx(0.040)
    assert phases["optimizer"].per_step_s.p90 == pytest.approx(0.003)
    assert phases["communication"].waiting
    assert phases["forward_backward"].names == ("demo.forward_backward",)
    assert sum(row.share for row in answer.phases) == pytest.approx(1)
    assert answer.duration_s.count == 4 * 60
    assert answer.duration_s.p50 == pytest.approx(0.04505, rel=1e-3)
    assert answer.verdict == (
        "60 steps, 45.0 ms at the median; the largest part is forward_backward with 89%."
    )


def test_every_step_has_its_row(tmp_path):
    """Median and longest duration, the rank that took longest, and the phases."""
    answer = report(tmp_path, Scenario(noise=EVEN.noise, stalls={(1, 30): 2.0}))
    assert [row.step for row in answer.steps] == list(range(1, 61))
    row = answer.steps[29]
    assert row.ranks == 4
    assert row.duration_s == pytest.approx(2.045, rel=1e-2)
    assert row.phases_s["communication"] == pytest.approx(2.0, rel=1e-2)


def test_nested_spans_do_not_count_twice(tmp_path):
    """The parts of the steps are the steps, however deep the spans go."""
    plain = report(tmp_path, EVEN)
    nested = report(tmp_path / "nested", Scenario(noise=EVEN.noise, nested=True))
    assert [row.share for row in nested.phases] == [row.share for row in plain.phases]
    assert "layer" not in {row.phase for row in nested.phases}


def fail(path, name, *, every=1):
    """Set the status of every n-th span of a name to error."""
    for file in path.rglob("traces-*.jsonl"):
        requests = [orjson.loads(line) for line in file.read_bytes().splitlines()]
        spans = [
            span
            for request in requests
            for block in request["resourceSpans"][0]["scopeSpans"]
            for span in block["spans"]
            if span["name"] == name
        ]
        for span in spans[::every]:
            span["status"] = {"code": 2}
        file.write_bytes(b"".join(orjson.dumps(request) + b"\n" for request in requests))


def failures(path):
    return {row.phase: row.failed for row in analyse_steps(Run(path)).phases if row.failed}


def test_failures_within_steps_are_counted_by_phase(tmp_path):
    """A failed span counts for its phase, a nested one for the phase around it, each once."""
    path = write_run(tmp_path, Scenario(ranks=2, steps=20, nested=True, between_s=0.01))
    assert failures(path) == {}
    fail(path, "demo.optimizer", every=5)
    fail(path, "demo.layer", every=2)
    fail(path, "demo.forward_backward", every=2)
    fail(path, "demo.load", every=10)
    assert failures(path) == {"optimizer": 8, "forward_backward": 20, "data_loading": 2}


def test_a_step_that_failed_by_itself_is_counted_as_its_own(tmp_path):
    """Where no phase failed, the step did; where one did, it is not counted again."""
    path = write_run(tmp_path, Scenario(ranks=1, steps=20))
    fail(path, "demo.step", every=4)
    assert failures(path) == {"demo.step": 5}
    fail(path, "demo.forward_backward", every=4)
    assert failures(path) == {"forward_backward": 5}


def test_truncated_spans_are_apart_and_in_no_percentile(tmp_path):
    """A step that was open at shutdown has no duration worth comparing."""
    scenario = Scenario(ranks=1, steps=10, noise=EVEN.noise)
    path = write_run(tmp_path, scenario)
    last = simulate(scenario)[0][-1]
    cut = SpanRow(
        "demo.step",
        "step",
        "f" * 16,
        job_id(0),
        last.end,
        last.end + 3_600_000_000_000,
        {"dl.iteration": {"intValue": "11"}, "nemo.span.truncated": {"boolValue": True}},
    )
    traces = process_folder(tmp_path, scenario, 0) / "traces-00000.jsonl"
    with traces.open("ab") as stream:
        stream.write(request(scenario, 0, [cut]))
    answer = analyse_steps(Run(path))
    assert answer.duration_s.count == 10
    assert answer.duration_s.max < 1
    [row] = answer.truncated
    assert (row.name, row.group, row.count, row.ranks) == ("demo.step", "step", 1, (0,))
    assert row.longest_s == pytest.approx(3600)


def test_a_step_within_a_step_is_a_phase_of_it(tmp_path):
    """An outer step with inner ones of the same group counts once."""
    scenario = Scenario(ranks=1, steps=1)
    folder = process_folder(tmp_path, scenario, 0)
    folder.mkdir(parents=True)
    number = {"dl.iteration": {"intValue": "7"}}
    spans = [
        SpanRow("policy.step", "step", "b" * 16, "c" * 16, 20, 60, number),
        SpanRow("policy.update", "update", "c" * 16, "a" * 16, 10, 70, {}),
        SpanRow("rl.step", "step", "a" * 16, "", 1, 101, number),
    ]
    (folder / "traces-00000.jsonl").write_bytes(request(scenario, 0, spans))
    answer = analyse_steps(Run(tmp_path))
    assert answer.duration_s.count == 1
    assert {row.phase: row.per_step_s.total for row in answer.phases} == pytest.approx(
        {"update": 60e-9, "rl.step": 40e-9}
    )
    assert {row.phase: row.rest for row in answer.phases} == {"update": False, "rl.step": True}


def test_steps_without_numbers_are_counted_in_order(tmp_path):
    """Where no step span has a number, the order in time is the number."""
    path = write_run(tmp_path, Scenario(ranks=2, steps=12, noise=EVEN.noise))
    for file in path.rglob("traces-*.jsonl"):
        file.write_bytes(file.read_bytes().replace(b'"dl.iteration"', b'"other"'))
    assert [row.step for row in analyse_steps(Run(path)).steps] == list(range(12))


def test_no_steps_is_said_plainly(tmp_path):
    """A run without steps has no phases and a sentence about it; the answer is JSON."""
    answer = report(tmp_path, Scenario(steps=0))
    assert answer.phases == ()
    assert answer.verdict.startswith("No finished step was recorded")
    assert orjson.loads(orjson.dumps(answer.to_json()))["duration_s"]["count"] == 0
