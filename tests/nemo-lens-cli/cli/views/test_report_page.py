# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How the report of a run looks."""

from __future__ import annotations

import dataclasses

import pytest

from nemo.lens.cli.invocation import program
from nemo.lens.cli.page import Page
from nemo.lens.cli.views import report_page


def text_of(summary, width=80):
    return report_page.render(summary, Page(width, blocks=True)).plain_text()


def joined(text):
    """The text without its line breaks, for sentences that are folded."""
    return " ".join(text.split())


def test_the_verdict_comes_first(answers):
    """Who reads one line only has read the answer."""
    summary = answers.summary(verdict="Rank 2 is slow.", stragglers=(answers.straggler(),))

    assert text_of(summary).splitlines()[0] == "Rank 2 is slow."


def test_a_whole_run_is_told_in_facts(answers):
    """Run, time, ranks, steps, spans and ends each have a line."""
    text = text_of(answers.summary())

    assert "run       demo-20260102-030405-abcd" in text
    assert "recorded  2026-01-02 03:00:00 UTC, for 6.20 s" in text
    assert "ranks     4 of 4 on 1 host" in text
    assert "steps     60 done" in text
    assert "spans     1,240" in text
    assert "ended     all 4 processes in order" in text
    assert "Not ended in order" not in text
    assert "Problems" not in text


def test_phases_show_their_share_and_which_is_waiting(answers):
    """Communication is marked, and what is small is not shown as nothing."""
    rows = {line.split()[0]: line for line in text_of(answers.summary()).splitlines() if line}

    assert "52%" in rows["forward_backward"]
    assert rows["communication"].endswith("waiting for others")


def test_time_in_no_phase_is_called_the_rest_of_the_step(answers):
    """The name of the step span among its own phases would read like one of them."""
    rows = text_of(answers.summary()).partition("Where the time of a step goes")[2].splitlines()

    [rest] = [row for row in rows if row.startswith("rest of the step")]
    assert "<1%" in rest
    assert not any("demo.train_step" in row for row in rows)


def test_failures_within_steps_are_shown(answers):
    """A column appears as soon as one phase failed, with the number beside its phase."""
    whole = text_of(answers.summary())
    failing = answers.summary(
        phases=(answers.phase("forward_backward", 0.8, failed=3), answers.phase("optimizer", 0.2))
    )
    rows = [line.split() for line in text_of(failing).splitlines() if line]

    assert "failed" not in whole.partition("Outside of the steps")[0]
    assert ["phase", "per", "step", "share", "failed"] in rows
    assert next(row for row in rows if row[0] == "forward_backward")[4] == "3"
    assert next(row for row in rows if row[0] == "optimizer")[4] == "0"


def test_a_failed_job_is_no_orderly_run(answers):
    """Processes that shut telemetry down after an error did not end well."""
    page = report_page.render(answers.summary(failed_jobs=4), Page(80, blocks=True))

    assert "all 4 processes in order, but the job failed on 4" in page.plain_text()
    assert page.lines[0][1][1] == "bold yellow"


def test_two_processes_are_both(answers):
    """A number that reads like a sentence."""
    processes = tuple(answers.process_row(rank) for rank in range(2))

    assert "ended     both processes in order" in text_of(answers.summary(processes=processes))


def test_metrics_show_how_they_went(answers):
    """First and last value, extremes, unit and labels."""
    text = text_of(answers.summary())

    assert "Metrics, as exported" in text
    assert ["demo.loss", "12", "1.31", "0.0512", "0.0498", "1.31", "1"] in [
        line.split() for line in text.splitlines()
    ]
    assert "k=v" in text
    assert "what it was in between is not recorded" in joined(text)


def test_a_killed_rank_is_described_without_guessing(answers):
    """What is known is the missing end, the last step and the last span; it is said so."""
    text = joined(text_of(answers.killed_summary()))

    assert "ended 3 of 4 processes in order" in text
    assert (
        "rank 2 (node-0123.example, process 4002): no end recorded: killed or still running; its "
        "last recorded step is 17, its last recorded span demo.train_step.all_reduce"
    ) in text
    assert "demo.job was still open on ranks 0, 1, 3 when telemetry shut down" in text


def test_damage_and_losses_are_listed(answers):
    """Torn files and dropped telemetry are never passed over."""
    text = text_of(answers.killed_summary())

    assert "- 0/trainer-2/traces-00000.jsonl: the last line is torn" in text
    assert "- telemetry was lost: 12 by queue full" in text
    assert "disk full" not in text


def test_ranks_without_a_record_are_named(answers):
    """A rank that left nothing is missing data, not a fast rank."""
    summary = answers.summary(ranks_present=(0,), ranks_expected=8, ranks_missing=(1, 2, 3, 5, 7))

    assert "1 of 8 on 1 host; no record of ranks 1 to 3, 5, 7" in joined(text_of(summary))


def test_the_next_commands_can_be_copied(answers):
    """A path with a blank is quoted, and a command is never broken into two lines."""
    path = "/scratch/" + "long/" * 20 + "my runs/demo"

    lines = text_of(answers.summary(path=path)).splitlines()

    assert lines[-3].endswith(f"{program()} ranks '{path}'")
    assert lines[-1].endswith(f"{program()} report '{path}' --json")


@pytest.mark.parametrize("width", [50, 65, 80, 100])
@pytest.mark.parametrize("kind", ["summary", "killed_summary", "large_summary"])
def test_pages_fit_their_width(answers, kind, width):
    """Nothing stands out of the margin except commands to copy."""
    text = text_of(getattr(answers, kind)(), width)

    long_lines = [line for line in text.splitlines() if len(line) > width]
    assert all(f"{program()} r" in line for line in long_lines)


def test_an_empty_run_is_still_a_page(answers):
    """A run that recorded nothing yields facts, not a failure."""
    summary = answers.summary(
        verdict="Nothing was recorded.",
        started_unix_nano=None,
        ranks_expected=None,
        ranks_present=(),
        spans=0,
        steps_done=0,
        last_step=None,
        phases=(),
        processes=(),
        metrics=(),
        events=(),
        logs=(),
        ranks=(),
    )

    text = text_of(summary)

    assert text.startswith("Nothing was recorded.")
    assert "recorded  nothing" in text


def test_a_run_that_ended_well_is_green_and_any_other_is_not(answers):
    """The colour of the verdict never contradicts the page."""
    colours = {
        kind: report_page.render(getattr(answers, kind)(), Page(80, blocks=True)).lines[0][1][1]
        for kind in ("summary", "killed_summary", "large_summary")
    }

    assert colours == {
        "summary": "bold green",
        "killed_summary": "bold yellow",
        "large_summary": "bold yellow",
    }


def test_many_metrics_are_cut_with_their_number(answers):
    """A page stays a page; the rest is in the JSON answer."""
    summary = answers.summary()
    many = tuple(dataclasses.replace(summary.metrics[0], name=f"m{i}") for i in range(50))

    text = text_of(dataclasses.replace(summary, metrics=many))

    assert "30 more are in the answer of --json" in text
