# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens report --html` as it is called; a browser looks at it in tests/integration."""

from __future__ import annotations

import json
import re

import pytest
from synthetic_runs import (
    Scenario,
    make_run,
    metric_line,
    process_folder,
    restarted,
    write_collector_file,
    write_run,
)

from nemo.lens.cli import exits, main

SLOW = Scenario(slow={(2, "forward_backward"): 1.6}, checkpoint_every=20, job=True)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Call `nemo-lens report PATH --html page.html`; the status, the page and what was printed."""
    monkeypatch.chdir(tmp_path)

    def report(path, *arguments):
        status = main(["report", str(path), "--html", "page.html", *arguments])
        file = tmp_path / "page.html"
        page = file.read_text("utf-8") if file.exists() else None
        return status, page, capsys.readouterr()

    return report


def headings(page):
    return re.findall(r"<h2>(.*?)</h2>", page)


def test_the_page_has_every_part(tmp_path, call):
    """And what is printed says what it says and where it is."""
    status, page, printed = call(write_run(tmp_path / "runs", SLOW))
    assert status == exits.DONE
    assert "Rank 2 on host0 is slow in forward_backward" in page
    assert headings(page) == [
        "Duration of the steps",
        "Goodput",
        "Ranks, step by step",
        "Steps in detail",
        "Where the time of a step goes",
        "Outside of the steps",
        "Drops and problems",
    ]
    assert "Rank 2 on host0 is slow" in printed.out
    assert printed.out.splitlines()[-1] == "The report is in page.html"
    assert printed.err == ""


def test_the_page_is_one_file_that_names_no_other(tmp_path, call):
    """No script, no link, nothing to fetch; and a policy that forbids it."""
    _status, page, _printed = call(write_run(tmp_path / "runs", SLOW))
    assert not re.search(r"<script|https?:|\burl\(|@import|\bsrc=", page)
    assert re.findall(r'href="([^"]*)"', page) == ["data:,"]
    assert "default-src &#x27;none&#x27;" in page


def test_names_of_a_run_are_text(tmp_path, call):
    """Of spans, hosts, metrics and the run itself."""
    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
    scenario = Scenario(phases={hostile: 0.04}, slow={(1, hostile): 1.6}, steps=20)
    path = write_run(tmp_path / "runs", scenario)
    for rank in range(scenario.ranks):
        folder = process_folder(path.parent, scenario, rank)
        manifest = folder / "manifest.json"
        fields = json.loads(manifest.read_text())
        fields |= {"run": hostile, "host": hostile, "command": [hostile], "end": hostile}
        manifest.write_text(json.dumps(fields))
        (folder / "metrics-00000.jsonl").write_bytes(metric_line(scenario, rank, hostile, [1.0]))
    status, page, _printed = call(path)
    assert status == exits.DONE
    assert page.count("&lt;script&gt;") > 10
    assert "<script" not in page
    assert "<img" not in page


def test_what_went_wrong_stands_at_the_top(tmp_path, call):
    """A killed rank, and the torn line that it left."""
    _status, page, _printed = call(write_run(tmp_path / "runs", Scenario(killed={1: 31})))
    assert headings(page)[0] == "Drops and problems"
    assert "no end recorded: killed or still running" in page
    assert "the last line is torn" in page


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(ranks=1, steps=5),
        Scenario(ranks=2, steps=0, job=True),
        Scenario(ranks=2, steps=1),
        Scenario(ranks=3, steps=30, marked=False, groups=False),
    ],
    ids=["one-rank", "no-step", "one-step", "nothing-marked"],
)
def test_runs_of_all_kinds_have_a_page(tmp_path, call, scenario):
    """What cannot be shown is left out."""
    status, page, _printed = call(write_run(tmp_path / "runs", scenario))
    assert status == exits.DONE
    assert page.endswith("</html>")


def test_restarts_and_files_of_a_collector_have_a_page(tmp_path, call):
    """Attempts are told apart."""
    first = Scenario(killed={1: 31}, ended_by="SIGTERM", checkpoint_every=10, checkpoint_by="all")
    path, _truth = make_run(tmp_path / "runs", first, restarted(first, 21, 20.0, steps=40))
    assert call(path)[0] == exits.DONE
    assert call(write_collector_file(tmp_path / "spans.jsonl", SLOW))[0] == exits.DONE


def test_json_and_page_together(tmp_path, call):
    """The answer says where the page is."""
    status, page, printed = call(write_run(tmp_path / "runs", SLOW), "--json")
    assert status == exits.DONE
    assert page
    assert json.loads(printed.out)["file"] == "page.html"


def test_garbage_has_a_page_and_status_1(tmp_path, call):
    """Nothing could be read, and the page says so."""
    folder = tmp_path / "garbage"
    folder.mkdir()
    (folder / "traces-00000.jsonl").write_bytes(b"\x00\xff{{{\n" * 10)
    status, page, _printed = call(folder)
    assert status == exits.PROBLEM
    assert "10 lines are not a JSON object" in page


def test_what_is_no_run_is_one_line_and_leaves_no_page(tmp_path, call):
    """And status 1."""
    status, page, printed = call(tmp_path / "nowhere")
    assert (status, page) == (exits.PROBLEM, None)
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("target", ["nowhere/page.html", "."])
def test_where_nothing_can_be_written_is_one_line(tmp_path, monkeypatch, capsys, target):
    """And nothing half-written stays."""
    path = write_run(tmp_path / "runs", Scenario(steps=2))
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(path), "--html", target]) == exits.PROBLEM
    assert capsys.readouterr().err.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["runs"]
