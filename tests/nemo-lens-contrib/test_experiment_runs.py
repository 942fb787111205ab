# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Telemetry names the run of the experiment tracker, if there is one."""

import sys
from types import SimpleNamespace

import pytest
from opentelemetry import trace

from nemo.lens.contrib.experiment_runs import experiment_run_attributes, link_experiment_runs
from nemo.lens.spans.discards import discarded

WANDB = SimpleNamespace(
    run=SimpleNamespace(id="w1", entity="nvidia", project="nemotron", url="https://wandb/w1")
)


def mlflow(server="http://mlflow:5000/", run_id="m1"):
    run = SimpleNamespace(info=SimpleNamespace(run_id=run_id, experiment_id="7"))
    return SimpleNamespace(
        active_run=lambda: run if run_id else None, get_tracking_uri=lambda: server
    )


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch):
    """Neither tracker is there."""
    for package in ("wandb", "mlflow"):
        monkeypatch.delitem(sys.modules, package, raising=False)
    for variable in ("WANDB_RUN_ID", "MLFLOW_RUN_ID"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def trackers(monkeypatch):
    """Both trackers run."""
    monkeypatch.setitem(sys.modules, "wandb", WANDB)
    monkeypatch.setitem(sys.modules, "mlflow", mlflow())


def test_the_resource_names_the_runs(trackers):
    """Pages are for spans: a resource is repeated with every export."""
    assert experiment_run_attributes() == {
        "wandb.run.id": "w1",
        "wandb.entity": "nvidia",
        "wandb.project": "nemotron",
        "nemo.mlflow.run.id": "m1",
    }


def test_a_span_links_to_the_pages_of_the_runs(trackers, nemo_lens_recorder):
    """Ids included."""
    with trace.get_tracer("t").start_as_current_span("job") as span:
        link_experiment_runs(span)
    attributes = nemo_lens_recorder.span("job").attributes
    assert attributes["wandb.run.url"] == "https://wandb/w1"
    assert attributes["nemo.mlflow.run.url"] == "http://mlflow:5000/#/experiments/7/runs/m1"
    assert attributes["wandb.run.id"] == "w1"


def test_a_link_holds_no_secrets(monkeypatch, nemo_lens_recorder):
    """The address of an anonymous run has its API key, that of a server may have a password."""
    run = SimpleNamespace(id="w1", entity="e", project="p", url="https://wandb/w1?apiKey=s3cret")
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(run=run))
    monkeypatch.setitem(
        sys.modules, "mlflow", mlflow("https://user:pa55@mlflow/base/?token=s3cret")
    )
    with trace.get_tracer("t").start_as_current_span("job") as span:
        link_experiment_runs(span)
    attributes = nemo_lens_recorder.span("job").attributes
    assert attributes["wandb.run.url"] == "https://wandb/w1"
    assert attributes["nemo.mlflow.run.url"] == "https://mlflow/base/#/experiments/7/runs/m1"


def test_an_offline_run_has_no_page(monkeypatch):
    """Its address is None."""
    run = SimpleNamespace(id="w1", entity=None, project="p", url=None)
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(run=run))
    assert experiment_run_attributes() == {"wandb.run.id": "w1", "wandb.project": "p"}
    assert discarded() == {}


def test_without_a_tracker_there_is_nothing(nemo_lens_recorder):
    """And nothing is imported for it."""
    assert experiment_run_attributes() == {}
    with trace.get_tracer("t").start_as_current_span("job") as span:
        link_experiment_runs(span)
    assert nemo_lens_recorder.span("job").attributes == {}
    assert not {"wandb", "mlflow"} & sys.modules.keys()


def test_trackers_that_are_loaded_but_do_not_run_name_nothing(monkeypatch):
    """A run is never started for telemetry."""
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(run=None))
    monkeypatch.setitem(sys.modules, "mlflow", mlflow(run_id=None))
    assert experiment_run_attributes() == {}


def test_other_ranks_learn_the_run_from_their_environment(monkeypatch):
    """A run of the process itself wins."""
    environ = {"WANDB_RUN_ID": "from-launcher", "MLFLOW_RUN_ID": "m9"}
    assert experiment_run_attributes(environ) == {
        "wandb.run.id": "from-launcher",
        "nemo.mlflow.run.id": "m9",
    }
    monkeypatch.setitem(sys.modules, "wandb", WANDB)
    assert experiment_run_attributes(environ)["wandb.run.id"] == "w1"


def test_a_tracker_that_writes_to_files_has_no_page(monkeypatch):
    """Its id is known all the same."""
    monkeypatch.setitem(sys.modules, "mlflow", mlflow(server="file:///mlruns"))
    assert experiment_run_attributes() == {"nemo.mlflow.run.id": "m1"}


def test_a_broken_tracker_is_counted_not_raised(monkeypatch):
    """As another version may be."""
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(run=object()))
    assert experiment_run_attributes() == {}
    assert discarded()["experiment run"] == 1


@pytest.mark.parametrize("span", [None, trace.INVALID_SPAN])
def test_spans_that_record_nothing_are_left_alone(span, trackers):
    """As a `managed_span` whose group is off yields."""
    link_experiment_runs(span)
