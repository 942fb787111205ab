# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A driver and two servers, three processes, export one connected trace."""

import subprocess
import sys
from pathlib import Path

import pytest

from nemo.lens.runs import Run

pytestmark = pytest.mark.integration

INTERNAL, SERVER, CLIENT = 1, 2, 3
"""Kinds of spans in OTLP."""


def start(folder, *arguments):
    """Start one process of the job."""
    job = Path(__file__).with_name("http_job.py")
    return subprocess.Popen(
        [sys.executable, job, folder, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run the job once."""
    folder = tmp_path_factory.mktemp("http")
    servers = []
    url = []
    for role in ("judge", "rollout"):
        servers.append(start(folder, role, *url))
        url = [servers[-1].stdout.readline().strip()]
    driver = start(folder, "driver", *url)
    driver.communicate(timeout=60)
    for server in servers:
        server.communicate(timeout=60)
    assert [process.returncode for process in (driver, *servers)] == [0, 0, 0]
    return Run(folder)


def test_one_trace_goes_through_all_three_processes(run):
    """Each span is the child of the one before it, in the process where it belongs."""
    spans = {span.parent_span_id: span for span in run.spans()}
    chain = [spans[""]]
    while chain[-1].span_id in spans:
        chain.append(spans[chain[-1].span_id])
    assert [(span.process.role, span.raw["kind"], span.name) for span in chain] == [
        ("driver", INTERNAL, "http_job.drive"),
        ("driver", CLIENT, "POST"),
        ("rollout", SERVER, "POST /rollout"),
        ("rollout", CLIENT, "POST"),
        ("judge", SERVER, "POST /judge"),
        ("judge", INTERNAL, "http_job.score"),
    ]
    assert len({span.trace_id for span in chain}) == 1
    assert len(chain) == len(list(run.spans()))


def test_each_server_span_has_the_name_of_its_service(run):
    """As it was given to `instrument_fastapi`."""
    names = {span.attributes["service.name"] for span in run.spans() if span.raw["kind"] == SERVER}
    assert names == {"rollout-server", "judge-server"}


def test_neither_queries_nor_bodies_are_in_what_is_exported(run):
    """Nothing of the token that went through all of them."""
    assert "s3cret" not in repr([span.raw for span in run.spans()])
