# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A job on a real local Ray cluster gives connected traces, read from what its processes export."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from nemo.lens.runs import Run

pytestmark = pytest.mark.integration

INTERNAL, SERVER, CLIENT, CONSUMER = 1, 2, 3, 5
"""Kinds of spans in OTLP."""


def run_job(script, folder):
    """Run a job to its end."""
    job = Path(__file__).parent / script
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NEMO_LENS", "OTEL_"))}
    # Under `uv run`, Ray would otherwise copy the working tree to each worker.
    environment = {**inherited, "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
    subprocess.run([sys.executable, job, folder], env=environment, check=True, timeout=300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Run the job once; it fails by itself where a remote call does not see its caller's trace."""
    folder = tmp_path_factory.mktemp("ray")
    run_job("ray_job.py", folder)
    return folder


@pytest.fixture(scope="module")
def run(folder):
    """Give the record of the job."""
    return Run(folder / "runs")


@pytest.fixture(scope="module")
def spans(run):
    """Give all exported spans."""
    return list(run.spans())


def scenario(spans, name):
    """Return the span of a scenario and all other spans of its trace."""
    (root,) = [span for span in spans if span.name == f"scenario.{name}"]
    return root, [span for span in spans if span.trace_id == root.trace_id and span is not root]


def named(spans, name):
    """Return the one span of a name."""
    (span,) = [span for span in spans if span.name == name]
    return span


def test_tasks_join_the_trace_of_their_driver(spans):
    """Plain, by options, retried, partial, callable: each is a child of the dispatching span."""
    root, trace = scenario(spans, "tasks")
    children = Counter(span.name for span in trace if span.parent_span_id == root.span_id)
    # Five more calls have malformed carriers, which do not join.
    assert children == {
        "ray_job.task": 2,
        "ray_job.flaky": 2,
        "scaled": 1,
        "Doubler": 1,
    }
    assert {span.raw["kind"] for span in trace if span.name == "ray_job.task"} == {CONSUMER}


def test_a_failed_attempt_and_its_retry_are_two_spans(spans):
    """Only the first has the error."""
    _, trace = scenario(spans, "tasks")
    attempts = sorted(
        (span for span in trace if span.name == "ray_job.flaky"),
        key=lambda span: span.start_unix_nano,
    )
    assert [span.failed for span in attempts] == [True, False]


def test_calls_without_a_usable_carrier_start_traces_of_their_own(spans):
    """Malformed carriers and none at all do no harm."""
    roots = [s for s in spans if s.name == "ray_job.task" and not s.parent_span_id]
    assert len(roots) == 6


def test_spans_inside_a_call_are_its_children(spans):
    """Tasks and actors alike."""
    for outer, inner in (
        ("Trainer.train", "ray_job.step"),
        ("ray_job.task", "ray_job.inside_task"),
    ):
        calls = {span.span_id for span in spans if span.name == outer}
        parents = {span.parent_span_id for span in spans if span.name == inner}
        assert parents == calls


def test_generators_are_one_span_each(spans):
    """It covers all items; consumption happens in the driver."""
    root, trace = scenario(spans, "generators")
    assert [(s.name, s.parent_span_id) for s in trace] == [("ray_job.stream", root.span_id)]


def test_actors_join_under_their_identity(spans):
    """Each span comes from the process of its rank and role."""
    root, trace = scenario(spans, "actors")
    ranks = {s.process.rank for s in trace if s.name == "Trainer.train"}
    roles = {s.process.role for s in trace if s.name == "Trainer.train"}
    assert (ranks, roles) == ({0, 1}, {"trainer"})
    assert named(trace, "ray_job.items").parent_span_id == root.span_id
    assert named(trace, "ray_job.failing").failed
    assert named(trace, "Trainer.pair").group == "step"
    assert not [s for s in spans if s.name == "Trainer.gated"]


def test_decorators_above_and_below_nest(spans):
    """`trace_fn` above sees the call before the carrier is known, so it starts its own trace."""
    root, trace = scenario(spans, "actors")
    assert named(trace, "ray_job.inner").parent_span_id == root.span_id
    assert named(spans, "ray_job.outer").trace_id != root.trace_id


def test_a_nested_actor_is_below_the_call_that_used_it(spans):
    """Driver, trainer and judge are three processes of one trace."""
    _, trace = scenario(spans, "actors")
    judge, trainer = named(trace, "ray_job.judge"), named(trace, "ray_job.train_and_judge")
    assert judge.parent_span_id == trainer.span_id
    assert (judge.process.role, trainer.process.role) == ("judge", "trainer")


def test_overlapping_calls_of_an_async_actor_stay_apart(spans):
    """A cancelled call ends its span, marked as cancelled."""
    root, trace = scenario(spans, "async_actors")
    calls = [span for span in trace if span.name == "ray_job.generate"]
    assert {span.parent_span_id for span in calls} == {root.span_id}
    cancelled = [s for s in calls if s.attributes.get("nemo.span.cancelled")]
    assert (len(calls), len(cancelled)) == (3, 1)
    assert named(trace, "ray_job.tokens").parent_span_id == root.span_id


def test_threads_of_an_actor_do_not_mix_traces(spans):
    """Four overlapping calls have four parents."""
    for i in range(4):
        root, trace = scenario(spans, f"threads_{i}")
        assert [(s.name, s.parent_span_id) for s in trace] == [("ray_job.threaded", root.span_id)]


def test_a_terminated_actor_exports_what_was_open(spans):
    """Both incarnations of a restarted actor are there, told apart."""
    _, trace = scenario(spans, "deaths")
    words = [span for span in trace if span.name == "ray_job.last_words"]
    assert len({span.process.pid for span in words}) == len(words) == 2
    instances = {span.process.resource["service.instance.id"] for span in words}
    assert len(instances) == 2


def test_a_killed_actor_loses_no_finished_span_older_than_the_bound(spans):
    """The call returned two seconds before the kill."""
    _, trace = scenario(spans, "deaths")
    assert [s for s in trace if s.name == "ray_job.before_death" and s.process.rank == 6]


def test_all_processes_belong_to_one_run(run):
    """Driver, workers and nested actors; nothing in the record is damaged."""
    assert len({process.run for process in run.processes}) == 1
    assert run.problems == ()


def test_metrics_of_512_ranks_are_four_series(folder):
    """A rank that raised and one that answered nonsense are left out; the slow one is named."""
    result = json.loads((folder / "metrics.json").read_text())
    points = {metric["name"]: metric["data"]["data_points"] for metric in result["read"]}
    assert {name: [point["value"] for point in series] for name, series in points.items()} == {
        "job.step.duration.min": [1.0],
        "job.step.duration.median": [pytest.approx(1.2555)],
        "job.step.duration.max": [9.0],
        "job.step.duration.max_rank": [77],
    }
    assert result["answered"] == 511


def test_actors_that_hang_or_have_died_do_not_hold_the_driver_up(folder):
    """It waits as long as it was told."""
    result = json.loads((folder / "metrics.json").read_text())
    assert result["dead"] == 0
    assert result["waited_s"] < 30


def test_an_application_in_ray_serve_continues_the_trace_of_its_client(tmp_path):
    """Serve pickles the instrumented application to its replica."""
    run_job("ray_serve_job.py", tmp_path)
    spans = {span.name: span for span in Run(tmp_path).spans()}
    chain = [spans[name] for name in ("ray_serve_job.drive", "POST", "POST /judge")]
    chain.append(spans["ray_serve_job.score"])
    assert len(spans) == len(chain)
    parents = ["", *(span.span_id for span in chain[:-1])]
    assert [span.parent_span_id for span in chain] == parents
    assert [span.raw["kind"] for span in chain] == [INTERNAL, CLIENT, SERVER, INTERNAL]
    assert [span.process.role for span in chain] == ["driver", "driver", "judge", "judge"]
    assert chain[2].attributes["service.name"] == "judge"
    assert "s3cret" not in repr([span.raw for span in chain])


PAGE = Path(__file__).parents[2] / "docs/user-guide/ray.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS)
def test_a_code_block_of_the_page_runs(code, tmp_path):
    """Each on its own, as it stands there."""
    (tmp_path / "block.py").write_text(code)
    run_job(tmp_path / "block.py", tmp_path)
