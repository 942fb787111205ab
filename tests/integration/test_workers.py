# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Worker processes of every kind deliver all their spans, inside the trace of their parent."""

import subprocess
import sys
from pathlib import Path

import pytest

from nemo.lens.runs import Run

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def spans(tmp_path_factory):
    """Run the job once; give all exported spans."""
    folder = tmp_path_factory.mktemp("workers")
    job = Path(__file__).with_name("worker_job.py")
    subprocess.run([sys.executable, job, folder], check=True, timeout=240)
    return list(Run(folder).spans())


def below(spans, name):
    """Return the span of a name, and its children."""
    (parent,) = [span for span in spans if span.name == name]
    return parent, [span for span in spans if span.parent_span_id == parent.span_id]


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_every_process_delivers_its_span(spans, method):
    """8 of 8, each from a process of its own that can be told apart."""
    parent, children = below(spans, f"processes.{method}")
    assert sorted(span.attributes["x"] for span in children) == list(range(8))
    assert {span.trace_id for span in children} == {parent.trace_id}
    assert len({span.process.pid for span in children} - {parent.process.pid}) == 8
    assert {span.process.role for span in children} == {"parent" if method == "fork" else "child"}


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_workers_of_a_data_loader_deliver_their_spans(spans, method):
    """With the attributes that were in force when the loader was made."""
    _, children = below(spans, f"loader.{method}")
    assert sorted(span.attributes["x"] for span in children) == list(range(8))
    assert {span.attributes["dataset"] for span in children} == {"penguins"}
    assert len({span.process.pid for span in children}) == 2


def test_pools_of_processes_and_threads_deliver_their_spans(spans):
    """Four calls in processes, eight in threads of the parent."""
    parent, children = below(spans, "pools")
    roles = [span.process.role for span in children]
    assert (roles.count("pool"), roles.count(parent.process.role)) == (4, 8)


def test_a_program_continues_the_trace(spans):
    """Configuration and context came through its environment."""
    _, (span,) = below(spans, "program")
    assert (span.name, span.process.role) == ("worker_job.work", "program")


def test_workers_of_a_rank_that_exports_are_told_from_it_and_from_each_other(spans):
    """Under its rank, which only its set-up was told, however they were started."""
    parent, children = below(spans, "rank.1")
    assert len(children) == 3 * 8
    resources = [span.process.resource for span in (parent, *children)]
    assert {resource["nv.dl.rank"] for resource in resources} == {1}
    assert {resource["dl.rank"] for resource in resources} == {1}
    assert {resource["nv.dl.world_size"] for resource in resources} == {2}
    assert len({resource["service.instance.id"] for resource in resources}) == 1 + 3 * 8


def test_workers_of_a_rank_that_does_not_export_do_not_either(spans):
    """However they were started."""
    assert {span.process.rank for span in spans if span.process.rank is not None} == {1}


def test_there_are_no_other_spans(spans):
    """No span is outside of the job's traces."""
    assert len([span for span in spans if not span.parent_span_id]) == 8 + 1
    assert len(spans) == 8 + 6 * 8 + 12 + 1 + 1 + 3 * 8
