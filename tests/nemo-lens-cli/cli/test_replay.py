# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A recorded run into a real receiver: everything once, whatever happens on the way."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from synthetic_runs import Scenario, log_line, make_run, metric_line, process_folder

from nemo.lens.cli import exits
from nemo.lens.runs import Run

pytestmark = pytest.mark.usefixtures("without_telemetry")


@pytest.fixture
def run(tmp_path):
    """Four ranks with spans, one with metrics and logs too, one compressed file, one torn line."""
    scenario = Scenario(steps=30, nested=True)
    path, _truth = make_run(tmp_path / "runs", scenario)
    folder = process_folder(tmp_path / "runs", scenario, 1)
    metrics = metric_line(scenario, 1, "train.loss", [3.0, 2.0])
    folder.joinpath("metrics-00000.jsonl.gz").write_bytes(gzip.compress(metrics))
    folder.joinpath("logs-00000.jsonl").write_bytes(log_line(scenario, 1, "INFO", "hello"))
    with folder.joinpath("traces-00000.jsonl").open("ab") as file:
        file.write(b'{"resourceSpans": [{"sco')
    return path


def endpoint(receiver):
    return receiver.environment()["OTEL_EXPORTER_OTLP_ENDPOINT"]


def ids(receiver):
    return sorted(span.span_id.hex() for span in receiver.spans())


def recorded_ids(run):
    return sorted(span.span_id for span in Run(run).spans())


@pytest.mark.parametrize(
    ("kind", "protocol"),
    [
        ("grpc_receiver", "grpc"),
        ("http_receiver", "http/protobuf"),
        ("http_receiver", "http/json"),
    ],
)
def test_every_signal_arrives_as_it_was_recorded(run, request, call, kind, protocol):
    """Over each protocol; a second call has nothing left to send."""
    receiver = request.getfixturevalue(kind)
    arguments = ["replay", str(run), "--endpoint", endpoint(receiver), "--protocol", protocol]
    status, out, err = call(*arguments, "--json")
    answer = json.loads(out)
    assert (status, err) == (exits.DONE, "")
    assert ids(receiver) == recorded_ids(run)
    assert receiver.metric_names() == {"train.loss"}
    assert receiver.log_bodies() == ["hello"]
    assert answer["delivered"] == {"traces": len(ids(receiver)), "metrics": 1, "logs": 1}
    assert answer["complete"]
    assert "torn or still being written" in answer["problems"][0]
    assert receiver.resources()[0]["nv.dl.rank"] == 0

    status, out, _err = call(*arguments)
    assert status == exits.DONE
    assert "Nothing was left to send" in out
    assert ids(receiver) == recorded_ids(run)


def test_what_is_recorded_later_is_sent_later(run, call, http_receiver):
    """A file that grew, or was compressed meanwhile, goes on where it was."""
    arguments = ["replay", str(run), "--endpoint", endpoint(http_receiver)]
    arguments += ["--protocol", "http/protobuf"]
    assert call(*arguments)[0] == exits.DONE
    file = next(run.rglob("logs-00000.jsonl"))
    content = file.read_bytes() + log_line(Scenario(), 1, "INFO", "later")
    file.unlink()
    file.with_name("logs-00000.jsonl.gz").write_bytes(gzip.compress(content))
    status, out, _err = call(*arguments)
    assert status == exits.DONE
    assert http_receiver.log_bodies() == ["hello", "later"]
    assert "of them before" in out


def test_signals_can_be_chosen(run, call, http_receiver):
    """The others are not touched."""
    chosen = ["--signals", "logs,metrics", "--protocol", "http/protobuf"]
    status, _out, _err = call("replay", str(run), "--endpoint", endpoint(http_receiver), *chosen)
    assert status == exits.DONE
    assert http_receiver.spans() == []
    assert http_receiver.log_bodies() == ["hello"]


def test_what_was_chosen_first_is_not_sent_again_with_the_rest(run, call, http_receiver):
    """Signals have their own places in the journal, in a file that mixes them too."""
    mixed = log_line(Scenario(), 1, "INFO", "mixed") + metric_line(Scenario(), 1, "m", [1.0])
    next(run.rglob("logs-00000.jsonl")).write_bytes(mixed + log_line(Scenario(), 1, "INFO", "end"))
    to = ["replay", str(run), "--endpoint", endpoint(http_receiver), "--protocol", "http/protobuf"]
    assert call(*to, "--signals", "logs")[0] == exits.DONE
    assert call(*to, "--signals", "traces")[0] == exits.DONE
    status, out, _err = call(*to)
    assert status == exits.DONE, out
    assert http_receiver.log_bodies() == ["mixed", "end"]
    assert ids(http_receiver) == recorded_ids(run)
    assert http_receiver.metric_names() == {"train.loss", "m"}


def spawn(run, receiver, *arguments):
    command = [sys.executable, "-m", "nemo.lens.cli", "replay", str(run)]
    to = ["--endpoint", endpoint(receiver), "--protocol", "http/protobuf"]
    return subprocess.Popen(
        [*command, *to, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def wait_for_spans(receiver, count):
    deadline = time.monotonic() + 60
    while len(receiver.spans()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.integration
def test_killed_again_and_again_each_item_is_delivered_once(run, http_receiver):
    """By SIGKILL at random moments; the receiver is slow, so that a request is under way."""
    chance = random.Random(7)
    http_receiver.faults.delay_s = 0.05
    for _attempt in range(6):
        process = spawn(run, http_receiver)
        # A quick machine is through before the last attempt.
        wait_for_spans(http_receiver, min(len(http_receiver.spans()) + 1, len(recorded_ids(run))))
        time.sleep(chance.uniform(0, 0.2))
        process.kill()
        process.communicate(timeout=30)
    http_receiver.faults.delay_s = 0.0
    last = spawn(run, http_receiver)
    out, _nothing = last.communicate(timeout=60)
    assert last.returncode == exits.DONE, out
    assert ids(http_receiver) == recorded_ids(run)
    assert http_receiver.log_bodies() == ["hello"]


@pytest.mark.integration
def test_control_c_ends_in_order(run, http_receiver):
    """What is under way is noted; the same command goes on."""
    http_receiver.faults.delay_s = 0.1
    process = spawn(run, http_receiver)
    wait_for_spans(http_receiver, 1)
    os.kill(process.pid, signal.SIGINT)
    out, _nothing = process.communicate(timeout=30)
    assert process.returncode == exits.INTERRUPTED, out
    assert "Traceback" not in out
    http_receiver.faults.delay_s = 0.0
    again = spawn(run, http_receiver)
    again.communicate(timeout=60)
    assert again.returncode == exits.DONE
    assert ids(http_receiver) == recorded_ids(run)


def test_control_c_is_heard_while_the_receiver_is_away(run, receiver):
    """Long before the patience ends."""
    away = receiver.HttpReceiver(receiver.Faults(statuses=[503] * 1000))
    try:
        process = spawn(run, away, "--patience", "600")
        deadline = time.monotonic() + 60
        while not away.requests:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        out, _nothing = process.communicate(timeout=60)
        assert process.returncode == exits.INTERRUPTED, out
        assert out.splitlines()[-1] == "nemo-lens: interrupted"
    finally:
        away.close()


def test_a_receiver_that_comes_back_gets_everything(run, call, receiver):
    """Within the patience that was asked for."""
    http = receiver.HttpReceiver(receiver.Faults(statuses=[503, 429, 503]))
    try:
        arguments = ["--protocol", "http/protobuf", "--patience", "20"]
        status, out, _err = call("replay", str(run), "--endpoint", endpoint(http), *arguments)
        assert status == exits.DONE, out
        assert ids(http) == recorded_ids(run)
    finally:
        http.close()


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_a_dead_endpoint_is_told_and_nothing_is_noted_as_delivered(run, call, receiver, protocol):
    """Status 1 after the patience, and the same command works once it is there."""
    kind = receiver.GrpcReceiver if protocol == "grpc" else receiver.HttpReceiver
    gone = kind()
    port, url = gone.port, endpoint(gone)
    gone.close()
    arguments = ["replay", str(run), "--endpoint", url, "--protocol", protocol]
    status, out, _err = call(*arguments, "--patience", "0.5")
    assert status == exits.PROBLEM
    assert "Stopped: the receiver cannot be reached" in out
    assert "Delivered 0 spans" in " ".join(out.split())
    back = kind(port=port)
    try:
        assert call(*arguments)[0] == exits.DONE
        assert ids(back) == recorded_ids(run)
    finally:
        back.close()


def test_requests_that_are_too_large_go_in_parts(run, call, receiver):
    """Down to a single item; each arrives once."""
    http = receiver.HttpReceiver(receiver.Faults(most_bytes=2000))
    try:
        arguments = ["--endpoint", endpoint(http), "--protocol", "http/protobuf"]
        status, out, _err = call("replay", str(run), *arguments)
        assert status == exits.DONE, out
        assert ids(http) == recorded_ids(run)
    finally:
        http.close()


def test_a_refusal_stops_unless_it_may_be_skipped(run, call, receiver):
    """A wrong token must not use up a run; one bad request must not stop it for ever."""
    http = receiver.HttpReceiver(receiver.Faults(statuses=[401]))
    try:
        arguments = ["replay", str(run), "--endpoint", endpoint(http)]
        arguments += ["--protocol", "http/protobuf"]
        status, out, _err = call(*arguments)
        assert status == exits.PROBLEM
        assert "401" in out
        assert http.spans() == []
        http.faults.statuses = [400]
        status, out, _err = call(*arguments, "--skip-refused", "--json")
        answer = json.loads(out)
        assert status == exits.PROBLEM
        assert answer["refused"] > 0
        assert not answer["complete"]
        assert len(http.spans()) == len(recorded_ids(run)) - answer["refused"]
    finally:
        http.close()


def test_what_a_receiver_does_not_keep_is_counted(run, call, receiver):
    """A partial success is no success."""
    http = receiver.HttpReceiver(receiver.Faults(rejected=3))
    try:
        arguments = ["--endpoint", endpoint(http), "--protocol", "http/protobuf", "--json"]
        status, out, _err = call("replay", str(run), *arguments, "--signals", "traces")
        answer = json.loads(out)
        assert status == exits.PROBLEM
        assert answer["rejected"] == 3 * len(http.requests)
        assert answer["delivered"]["traces"] == len(recorded_ids(run)) - answer["rejected"]
    finally:
        http.close()


def test_the_rate_is_kept(run, call, http_receiver):
    """Not faster; how much slower depends on the machine."""
    total = len(recorded_ids(run))
    arguments = ["--endpoint", endpoint(http_receiver), "--protocol", "http/protobuf"]
    begun = time.monotonic()
    status, _out, _err = call("replay", str(run), *arguments, "--rate", str(total))
    assert status == exits.DONE
    assert time.monotonic() - begun > 0.9


def test_lines_that_are_no_requests_are_passed_over_and_told(run, call, http_receiver):
    """Garbage in the middle of a file does not hide what follows."""
    file = next(run.rglob("logs-00000.jsonl"))
    bad = b'{"resourceLogs": 5}\n{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"spanId": "zz"}]}]}]}\n'
    file.write_bytes(b"\x00garbage\n" + bad + file.read_bytes())
    arguments = ["--endpoint", endpoint(http_receiver), "--protocol", "http/protobuf"]
    status, out, _err = call("replay", str(run), *arguments, "--signals", "logs")
    assert status == exits.DONE
    assert http_receiver.log_bodies() == ["hello"]
    assert "line 1: not valid JSON" in out
    assert "line 2: not a request of OTLP" in out
    assert "the id 'zz' is not hexadecimal" in " ".join(out.split())


def test_a_journal_of_another_replay_is_refused(run, call, http_receiver, tmp_path):
    """It would hide what was never sent there."""
    options = ["--protocol", "http/protobuf", "--journal", str(tmp_path / "j")]
    to = ["replay", str(run), *options, "--endpoint"]
    assert call(*to, endpoint(http_receiver))[0] == exits.DONE
    status, _out, err = call(*to, "http://localhost:1")
    assert status == exits.PROBLEM
    assert "is of another replay" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["--endpoint", ""], ["--endpoint", "a b"], ["--endpoint", "x:1", "--signals", "spans"]],
)
def test_wrong_usage_is_told(run, call, arguments):
    """In one line."""
    status, _out, err = call("replay", str(run), *arguments)
    assert status == exits.USAGE
    assert len(err.splitlines()) == 1


def test_an_unwritable_journal_is_told(run, call, http_receiver):
    """Nothing is sent that could not be noted."""
    arguments = ["--endpoint", endpoint(http_receiver), "--journal", "/proc/nowhere/j"]
    status, _out, err = call("replay", str(run), *arguments)
    assert status == exits.PROBLEM
    assert "--journal FILE" in err
    assert http_receiver.requests == []
