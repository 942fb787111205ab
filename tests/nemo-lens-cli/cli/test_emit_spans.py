# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans whose times a script has measured: read, checked, exported and counted truthfully."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.cli.emission.span_arguments import GivenSpan, read

NAMES = st.integers(0, 30).map(lambda number: f"span{number}")


@pytest.fixture(params=["http_receiver", "grpc_receiver"])
def any_receiver(request):
    """A receiver of either transport."""
    return request.getfixturevalue(request.param)


def emit(run_command, receiver, *spans, **options):
    arguments = [word for span in spans for word in ("--span", span)]
    timeout = options.pop("timeout_s", 30)
    return run_command(
        "emit-spans",
        *("--json",) * options.pop("as_json", False),
        *("--service", "launch", "--timeout", timeout, *arguments),
        **receiver.environment(),
        **options,
    )


def test_spans_arrive_with_their_times_parents_and_service(run_command, any_receiver):
    """Decimals are exact, children name parents given later, and the service is the argument's."""
    done = emit(
        run_command,
        any_receiver,
        "pull, 1767323045.5, 1767323060.250000001, job",
        "job,1767323045,1767323100",
        OTEL_SERVICE_NAME="another",
        OTEL_RESOURCE_ATTRIBUTES="team=a",
    )

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        "  job                                  55.000 s",
        "  pull                                 14.750 s  -> job",
    ]
    job, pull = sorted(any_receiver.spans(), key=lambda span: span.name)
    assert (pull.start_time_unix_nano, pull.end_time_unix_nano) == (
        1767323045_500000000,
        1767323060_250000001,
    )
    assert (pull.parent_span_id, job.parent_span_id) == (job.span_id, b"")
    assert pull.trace_id == job.trace_id
    resource = any_receiver.resources()[0]
    assert (resource["service.name"], resource["team"]) == ("launch", "a")


def test_roots_have_traces_of_their_own(run_command, http_receiver):
    """No span becomes the parent of another one by accident."""
    emit(run_command, http_receiver, "a,1,2", "b,1,2")

    first, second = http_receiver.spans()
    assert first.trace_id != second.trace_id


def test_an_end_before_its_start_is_exported_without_length(run_command, http_receiver):
    """Clocks of two hosts; the children of such a span are kept."""
    done = emit(run_command, http_receiver, "late,10,5", "child,5,6,late")

    assert done.returncode == 0
    assert "  late                                  0.000 s" in done.stderr
    late = next(span for span in http_receiver.spans() if span.name == "late")
    assert late.start_time_unix_nano == late.end_time_unix_nano == 10 * 10**9
    assert "inverted.skew" in {pair.key for pair in late.attributes}


def test_thousands_of_spans_reach_a_slow_receiver(run_command, any_receiver):
    """More than any default queue of OpenTelemetry holds, and a receiver that takes its time."""
    any_receiver.faults.delay_s = 0.15

    done = emit(run_command, any_receiver, *(f"s{number},1,2" for number in range(6000)))

    assert done.returncode == 0, done.stderr[-500:]
    assert len(done.stderr.splitlines()) == 6000
    assert len(set(any_receiver.span_names())) == len(any_receiver.spans()) == 6000


def test_a_small_queue_loses_nothing(run_command, http_receiver):
    """The queue that the environment bounds is emptied before it overflows."""
    http_receiver.faults.delay_s = 0.02

    done = emit(
        run_command,
        http_receiver,
        *(f"s{number},1,2,{f's{number - 1}' if number else ''}" for number in range(300)),
        OTEL_BSP_MAX_QUEUE_SIZE="64",
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE="32",
    )

    assert done.returncode == 0, done.stderr[-500:]
    assert len(http_receiver.spans()) == 300
    assert len({span.trace_id for span in http_receiver.spans()}) == 1


def test_what_did_not_arrive_in_time_is_not_claimed(run_command, http_receiver):
    """The status says so, and the number is no more than what the receiver has."""
    http_receiver.faults.delay_s = 0.5

    done = emit(
        run_command,
        http_receiver,
        *(f"s{number},1,2" for number in range(6000)),
        as_json=True,
        timeout_s=1.2,
    )

    answer = json.loads(done.stdout)
    assert done.returncode == 2
    assert f"{answer['delivered']:,} of 6,000 were delivered" in done.stderr
    assert "error: timed out while flushing spans" in done.stderr
    assert 0 < answer["delivered"] <= len(http_receiver.spans()) < 6000


def test_a_refusal_is_no_success(run_command, http_receiver):
    """A collector that answers 400 has nothing."""
    http_receiver.faults.statuses = [400] * 10

    done = emit(run_command, http_receiver, "a,1,2")

    assert done.returncode == 2
    assert "error: failed to export spans: 0 of 1 were delivered" in done.stderr


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"NEMO_LENS_EXPORTER": "oltp"}, "NEMO_LENS_EXPORTER"),
        ({"OTEL_SDK_DISABLED": "true"}, "OTEL_SDK_DISABLED=true"),
        ({"OTEL_TRACES_EXPORTER": "none"}, "OTEL_TRACES_EXPORTER=none"),
    ],
)
def test_what_cannot_be_exported_is_status_2(run_command, variables, words):
    """The line names the variable."""
    done = run_command("emit-spans", "--service", "s", "--span", "a,1,2", **variables)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert words in done.stderr


def test_the_switch_of_the_job_does_not_matter(run_command, http_receiver):
    """A script exports its spans although telemetry of the job is off."""
    done = emit(run_command, http_receiver, "a,1,2", NEMO_LENS_ENABLED="0")

    assert (done.returncode, http_receiver.span_names()) == (0, ["a"])


@pytest.mark.parametrize(
    ("spans", "words"),
    [
        (["a,1"], "error: skipping 'a,1': wrong part count 2"),
        (["a,1,2,b,c"], "wrong part count 5"),
        ([",1,2"], "missing span name"),
        (["a,,2"], "missing timestamp START"),
        (["a,1,soon"], "unparseable timestamp END 'soon'"),
        (["a,1,inf"], "timestamp must be finite"),
        (["a,NaN,1"], "timestamp must be finite"),
        (["a,1,2", "a,3,4"], "error: invalid span 'a': duplicate span name"),
        (["a,1,2", "a,3,4", "b,1,2,a"], "error: invalid span 'b': parent 'a' is duplicated"),
        (["a,1,2,b"], "error: invalid span 'a': missing parent 'b'"),
        (["a,1,2,a"], "error: invalid span graph: parent cycle a -> a"),
        (["a,1,2,b", "b,1,2,c", "c,1,2,b"], "parent cycle b -> c -> b"),
    ],
)
def test_nothing_is_emitted_unless_every_span_is_valid(call, monkeypatch, spans, words):
    """Each problem is named, and no exporter is built."""
    monkeypatch.setattr("nemo.lens.cli.emission.emitter.emit", None)
    good = ["good,1,2", *spans]

    status, out, err = call(
        "emit-spans", "--service", "s", *(word for span in good for word in ("--span", span))
    )

    assert (status, out) == (1, "")
    assert words in err
    assert err.endswith("nothing emitted: invalid span input\n")


@given(st.lists(st.tuples(NAMES, NAMES | st.just("")), unique_by=lambda pair: pair[0]))
def test_parents_come_first_or_the_graph_is_refused(pairs):
    """Whatever the graph is: each span after its parent, otherwise in the given order."""
    reading = read([f"{name},1,2,{parent}" for name, parent in pairs])

    assert bool(reading.spans) != bool(reading.problems) or not pairs
    order = [span.name for span in reading.spans]
    if reading.spans:
        assert sorted(order) == sorted(name for name, _ in pairs)
    for span in reading.spans:
        assert not span.parent or order.index(span.parent) < order.index(span.name)


def test_a_long_line_of_parents_is_no_deep_recursion():
    """Ten thousand generations, given child first."""
    texts = [f"s{number},1,2,s{number + 1}" for number in range(10_000)]

    reading = read([*texts, "s10000,1,2"])

    assert [span.name for span in reading.spans[:2]] == ["s10000", "s9999"]


def test_times_are_decimals():
    """No digit is lost on the way."""
    assert read(["a,1767323045.123456789,2e9"]).spans == [
        GivenSpan("a", Decimal("1767323045.123456789"), Decimal("2e9"), "")
    ]
