# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How processes end: what was finished arrives, and the end is the one it would have been."""

from __future__ import annotations

import json
import signal
import socket
import time

import pytest

pytestmark = pytest.mark.integration

_START = """
import logging, os, signal, sys, threading, time
from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
"""
_SET_UP = (
    _START
    + """
handle = setup_telemetry(NemoLensConfig.from_env())
def span(name):
    with managed_span("step", name): pass
"""
)

_HANG_IN_C = """
import ctypes
libc = ctypes.CDLL(None)
mutex = ctypes.create_string_buffer(128)
libc.pthread_mutex_init(mutex, None)
libc.pthread_mutex_lock(mutex)
print("ready", flush=True)
libc.pthread_mutex_lock(mutex)  # never returns, and no signal interrupts it
"""


@pytest.fixture
def environment(http_receiver):
    """Export to the receiver."""
    return http_receiver.environment()


def _end_of(process, timeout=20):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def test_without_a_shutdown_finished_and_open_spans_arrive_at_exit(
    http_receiver, environment, run_python
):
    """A script that just ends loses nothing."""
    run_python(
        _SET_UP + 'cm = managed_span("job", "open"); cm.__enter__(); span("done")',
        environment=environment,
    )
    assert sorted(http_receiver.span_names()) == ["done", "open"]


def test_sigterm_delivers_everything_and_keeps_the_exit_status(
    http_receiver, environment, start_python
):
    """Finished spans and the open one arrive, and the process dies of SIGTERM."""
    process = start_python(
        _SET_UP
        + """
for number in range(100): span("done")
with managed_span("job", "run"):
    print("ready", flush=True)
    time.sleep(30)
""",
        environment=environment,
    )
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    status, _, err = _end_of(process)
    assert status == -signal.SIGTERM, err
    assert time.monotonic() - begun < 6
    assert http_receiver.span_names().count("done") == 100
    assert "run" in http_receiver.span_names()


def test_sigterm_is_written_into_the_manifest(tmp_path, start_python):
    """The run files say that the recording ended by SIGTERM."""
    process = start_python(
        _SET_UP + 'span("a"); print("ready", flush=True); time.sleep(30)',
        environment={"NEMO_LENS_EXPORTER": "file", "NEMO_LENS_DIR": str(tmp_path)},
    )
    process.send_signal(signal.SIGTERM)
    assert _end_of(process)[0] == -signal.SIGTERM
    (manifest,) = tmp_path.rglob("manifest.json")
    assert json.loads(manifest.read_text())["end"] == "signal:SIGTERM"


def test_a_handler_of_the_application_runs_after_the_flush(
    http_receiver, environment, start_python
):
    """Its way to end the process, and its exit status, are kept."""
    process = start_python(
        _START
        + """
def term(number, frame):
    os.write(1, b"application handler\\n")
    sys.exit(7)
signal.signal(signal.SIGTERM, term)
handle = setup_telemetry(NemoLensConfig.from_env())
with managed_span("step", "done"): pass
print("ready", flush=True)
time.sleep(30)
""",
        environment=environment,
    )
    process.send_signal(signal.SIGTERM)
    status, out, err = _end_of(process)
    assert (status, "application handler" in out) == (7, True), err
    assert http_receiver.span_names() == ["done"]


def test_after_a_signal_that_the_application_handles_each_span_is_exported_as_it_ends(
    http_receiver, environment, start_python
):
    """The application may end the process in a way that nobody can notice."""
    process = start_python(
        _START
        + """
told = []
signal.signal(signal.SIGTERM, lambda *_: told.append(1))
handle = setup_telemetry(NemoLensConfig.from_env())
print("ready", flush=True)
while not told: time.sleep(0.02)
def pending(): return sum(queue["pending"] for queue in handle.stats()["queues"].values())
for number in range(3):
    with managed_span("step", f"after {number}"): pass
    deadline = time.monotonic() + 10
    while pending() and time.monotonic() < deadline: time.sleep(0.02)
os._exit(0)
""",
        environment={**environment, "OTEL_BSP_SCHEDULE_DELAY": "60000"},
    )
    process.send_signal(signal.SIGTERM)
    assert _end_of(process)[0] == 0
    assert http_receiver.span_names() == ["after 0", "after 1", "after 2"]


def test_sigterm_flush_can_be_switched_off(http_receiver, environment, start_python):
    """Opted out, SIGTERM ends the process at once."""
    process = start_python(
        _SET_UP + 'span("a"); print("ready", flush=True); time.sleep(30)',
        environment={
            **environment,
            "NEMO_LENS_SIGTERM_FLUSH": "0",
            "OTEL_BSP_SCHEDULE_DELAY": "60000",
        },
    )
    process.send_signal(signal.SIGTERM)
    assert _end_of(process)[0] == -signal.SIGTERM
    assert http_receiver.span_names() == []


def test_set_up_in_another_thread_handles_sigterm_too(http_receiver, environment, start_python):
    """The main thread takes the handler over at its next instruction."""
    process = start_python(
        _START
        + """
thread = threading.Thread(target=lambda: setup_telemetry(NemoLensConfig.from_env()))
thread.start(); thread.join()
with managed_span("step", "done"): pass
print("ready", flush=True)
time.sleep(30)
""",
        environment=environment,
    )
    process.send_signal(signal.SIGTERM)
    assert _end_of(process)[0] == -signal.SIGTERM
    assert http_receiver.span_names() == ["done"]


def test_a_main_thread_that_joins_the_thread_of_the_set_up_takes_the_handler_over(
    http_receiver, environment, start_python
):
    """It waits inside a lock, and executes no instruction before that thread ends."""
    process = start_python(
        _START
        + """
def work():
    setup_telemetry(NemoLensConfig.from_env())
    with managed_span("step", "done"): pass
    deadline = time.monotonic() + 10
    while signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and time.monotonic() < deadline:
        time.sleep(0.01)
    print("ready", flush=True)
    time.sleep(30)
thread = threading.Thread(target=work)
thread.start(); thread.join()
""",
        environment=environment,
    )
    process.send_signal(signal.SIGTERM)
    assert _end_of(process)[0] == -signal.SIGTERM
    assert http_receiver.span_names() == ["done"]


def test_what_sigterm_could_not_deliver_is_said_and_the_manifest_says_how_it_ended(
    tmp_path, start_python
):
    """A collector that does not answer takes the whole grace; the files are complete all the same."""
    with socket.create_server(("127.0.0.1", 0)) as black_hole:
        process = start_python(
            _START
            + """
from nemo.lens.sdk import signals
signals.GRACE_MS = 1000.0
handle = setup_telemetry(NemoLensConfig.from_env())
handle.meter.create_counter("qa.count").add(1)
with managed_span("step", "done"): pass
print("ready", flush=True)
time.sleep(30)
""",
            environment={
                "NEMO_LENS_EXPORTER": "otlp,file",
                "NEMO_LENS_DIR": str(tmp_path),
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{black_hole.getsockname()[1]}",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            },
        )
        process.send_signal(signal.SIGTERM)
        status, _, err = _end_of(process)
    assert status == -signal.SIGTERM
    assert "spans to otlp: 1 shutdown_deadline; metrics to otlp: 1 shutdown_deadline" in err
    manifest = json.loads(next(tmp_path.rglob("manifest.json")).read_text())
    assert (manifest["end"], manifest["lost"]) == ("signal:SIGTERM", {"shutdown_deadline": 2})


def test_a_second_interrupt_ends_the_wait_for_a_collector(start_python):
    """What it costs is said, in one line in place of a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as black_hole:
        process = start_python(
            _SET_UP + 'span("done"); print("ready", flush=True); time.sleep(30)',
            environment={
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{black_hole.getsockname()[1]}",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            },
        )
        process.send_signal(signal.SIGINT)
        time.sleep(1)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        status, _, err = _end_of(process)
        assert time.monotonic() - begun < 3
    assert status == -signal.SIGINT
    assert err.count("Traceback") == 1
    assert "telemetry was lost (spans to otlp: 1 shutdown_deadline)" in err


def test_a_main_thread_inside_a_c_call_does_not_keep_the_process_alive(
    http_receiver, environment, start_python
):
    """The signal wakes the supervisor, which flushes and ends the process in its place."""
    process = start_python(
        _START
        + """
handle = setup_telemetry(NemoLensConfig.from_env())
with managed_span("step", "done"): pass
"""
        + _HANG_IN_C,
        environment=environment,
    )
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    assert _end_of(process)[0] == -signal.SIGTERM
    assert time.monotonic() - begun < 5
    assert http_receiver.span_names() == ["done"]


def test_what_a_main_thread_inside_a_c_call_could_not_deliver_is_said(start_python):
    """Within the same five seconds as with a main thread that handles the signal."""
    with socket.create_server(("127.0.0.1", 0)) as black_hole:
        process = start_python(
            _SET_UP + 'span("a")' + _HANG_IN_C,
            environment={
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{black_hole.getsockname()[1]}",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            },
        )
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        status, _, err = _end_of(process)
        assert time.monotonic() - begun < 7
    assert status == -signal.SIGTERM
    assert "telemetry was lost (spans to otlp: 1 shutdown_deadline)" in err


def test_a_handler_that_came_after_set_up_decides_how_long_the_process_goes_on(
    http_receiver, environment, start_python
):
    """A checkpoint that takes longer than the flush is written to its end."""
    process = start_python(
        """
from nemo.lens.sdk import signals
signals.PATIENCE_MS = 100.0
"""
        + _SET_UP
        + """
told = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: told.set())
span("step")
print("ready", flush=True)
told.wait(20)
time.sleep(1.5)
span("checkpoint")
print("saved", flush=True)
""",
        environment=environment,
    )
    process.send_signal(signal.SIGTERM)
    status, out, err = _end_of(process)
    assert (status, "saved" in out) == (0, True), err
    assert http_receiver.span_names() == ["step", "checkpoint"]


def test_a_second_sigterm_does_not_disturb_the_first(http_receiver, environment, start_python):
    """Impatient launchers send it twice."""
    process = start_python(
        _SET_UP + 'span("a"); print("ready", flush=True); time.sleep(30)',
        environment=environment,
    )
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    assert _end_of(process)[0] == -signal.SIGTERM
    assert http_receiver.span_names() == ["a"]


def test_a_warning_signal_flushes_and_the_process_goes_on(http_receiver, environment, start_python):
    """SLURM's warning before a preemption is not the end."""
    process = start_python(
        _SET_UP
        + """
span("before")
print("ready", flush=True)
signal.sigtimedwait([], 2)
for _ in range(20): time.sleep(0.1)
print("still here", flush=True)
os._exit(0)
""",
        environment={
            **environment,
            "NEMO_LENS_FLUSH_SIGNALS": "SIGUSR1",
            "OTEL_BSP_SCHEDULE_DELAY": "60000",
        },
    )
    process.send_signal(signal.SIGUSR1)
    status, out, _ = _end_of(process)
    assert (status, "still here" in out) == (0, True)
    assert http_receiver.span_names() == ["before"]


def test_sigint_is_an_ordinary_keyboard_interrupt(http_receiver, environment, start_python):
    """Telemetry has no part in Ctrl-C, and what was recorded arrives."""
    process = start_python(
        _SET_UP
        + """
with managed_span("job", "run"):
    print("ready", flush=True)
    time.sleep(30)
""",
        environment=environment,
    )
    process.send_signal(signal.SIGINT)
    status, _, err = _end_of(process)
    assert status in {-signal.SIGINT, 130}
    assert "KeyboardInterrupt" in err
    assert http_receiver.span_names() == ["run"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_children_deliver_what_they_record(
    http_receiver, environment, run_python, tmp_path, method
):
    """Eight children of every kind, their spans once each, with their own process id."""
    script = tmp_path / "job.py"
    script.write_text(
        _START
        + f"""
import multiprocessing
def work(number):
    if {method != "fork"}:
        setup_telemetry(NemoLensConfig.from_env())
    with managed_span("step", f"child {{number}}"): pass
if __name__ == "__main__":
    handle = setup_telemetry(NemoLensConfig.from_env())
    with managed_span("step", "parent"): pass
    context = multiprocessing.get_context({method!r})
    children = [context.Process(target=work, args=(number,)) for number in range(8)]
    for child in children: child.start()
    for child in children: child.join()
    assert [child.exitcode for child in children] == [0] * 8
"""
    )
    run_python(
        f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
        if method == "fork"
        else f"import os, sys; os.execv(sys.executable, [sys.executable, {str(script)!r}])",
        environment={**environment, "OTEL_BSP_SCHEDULE_DELAY": "60000"},
        timeout=120,
    )
    names = sorted(http_receiver.span_names())
    assert names == sorted(["parent", *[f"child {number}" for number in range(8)]])
    assert len({resource["process.pid"] for resource in http_receiver.resources()}) == 9


def test_children_over_grpc_use_a_channel_of_their_own(receiver, run_python):
    """A channel inherited through fork would hang or mix streams."""
    running = receiver.GrpcReceiver()
    try:
        run_python(
            _SET_UP
            + """
span("parent")
assert handle.flush()
for number in range(4):
    pid = os.fork()
    if pid == 0:
        span(f"child {number}")
        os._exit(0 if handle.shutdown() else 3)
    assert os.waitpid(pid, 0)[1] == 0
span("parent again")
""",
            environment=running.environment(),
        )
        assert sorted(running.span_names()) == sorted(
            ["parent", "parent again", *[f"child {number}" for number in range(4)]]
        )
    finally:
        running.close()


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
@pytest.mark.parametrize("variable", ["TIMEOUT", "TRACES_TIMEOUT", "COMPRESSION"])
def test_garbage_in_a_variable_costs_a_child_nothing_and_is_told_once(
    receiver, run_python, protocol, variable
):
    """A child builds its exporters anew; what set-up forgave is forgiven there too."""
    name = f"OTEL_EXPORTER_OTLP_{variable}"
    running = receiver.GrpcReceiver() if protocol == "grpc" else receiver.HttpReceiver()
    try:
        process = run_python(
            _SET_UP
            + """
handle.meter.create_counter("qa.count").add(1)
pid = os.fork()
if pid == 0:
    span("child")
    handle.meter.create_counter("qa.count").add(1)
    os._exit(0 if handle.shutdown() else 3)
assert os.waitpid(pid, 0)[1] == 0
span("parent")
assert handle.shutdown()
""",
            environment={**running.environment(protocol), name: "soon"},
        )
        assert sorted(running.span_names()) == ["child", "parent"]
        assert process.stderr.count(f"{name}") == 1, process.stderr
    finally:
        running.close()


def test_a_span_that_was_open_at_the_fork_belongs_to_the_parent(
    http_receiver, environment, run_python
):
    """Ending it in the child too does not export it twice; the child's spans are its children."""
    run_python(
        _SET_UP
        + """
cm = managed_span("job", "run"); cm.__enter__()
pid = os.fork()
if pid == 0:
    span("child")
    cm.__exit__(None, None, None)
    handle.shutdown()
    os._exit(0)
os.waitpid(pid, 0)
cm.__exit__(None, None, None)
""",
        environment=environment,
    )
    assert sorted(http_receiver.span_names()) == ["child", "run"]
    by_name = {span.name: span for span in http_receiver.spans()}
    assert by_name["child"].parent_span_id == by_name["run"].span_id
    instances = {resource["service.name"] for resource in http_receiver.resources()}
    assert instances == {"nemo"}


def test_metrics_of_a_child_start_from_zero(http_receiver, environment, run_python):
    """The parent goes on reporting what it counted; the child reports what it counted itself."""
    run_python(
        _SET_UP
        + """
counter = handle.meter.create_counter("qa.count")
counter.add(10)
pid = os.fork()
if pid == 0:
    counter.add(1)
    handle.shutdown()
    os._exit(0)
os.waitpid(pid, 0)
""",
        environment=environment,
    )
    values = sorted(
        point.as_int
        for message in http_receiver._messages["metrics"]
        for block in message.resource_metrics
        for scope in block.scope_metrics
        for metric in scope.metrics
        for point in metric.sum.data_points
        if metric.name == "qa.count"
    )
    assert values == [1, 10]


def test_a_disabled_process_has_no_thread_no_provider_and_no_sdk(run_python):
    """Nothing of telemetry is in a process that has none."""
    run_python(
        _START
        + """
handle = setup_telemetry(NemoLensConfig(enabled=False), rank=0, world_size=1)
assert not handle.is_exporting
assert threading.active_count() == 1
handle.tracer.start_span("x").end(); handle.meter.create_counter("c").add(1)
from opentelemetry import trace
assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
assert not [name for name in sys.modules if name.startswith("opentelemetry.sdk")]
assert handle.shutdown() and handle.flush()
"""
    )


def test_a_rank_that_does_not_export_loads_no_sdk(run_python):
    """Deciding not to export costs next to nothing."""
    run_python(
        _START
        + """
config = NemoLensConfig(enabled=True, export_strategy="single_rank")
handle = setup_telemetry(config, rank=0, world_size=4)
assert not handle.is_exporting
assert threading.active_count() == 1
assert not [name for name in sys.modules if name.startswith("opentelemetry.sdk")]
"""
    )


def test_the_global_random_streams_are_left_alone(http_receiver, receiver, run_python):
    """Spans, exemplars and the jitter of retries never draw from the training's stream."""
    http_receiver.faults.statuses.extend([503, 503])
    run_python(
        _SET_UP
        + """
import random
random.seed(1); expected = [random.random() for _ in range(5)]
random.seed(1); got = []
histogram = handle.meter.create_histogram("qa.h")
for _ in range(5):
    with managed_span("step", "x"): histogram.record(1.0)
    got.append(random.random())
    handle.flush(3000)
assert got == expected
""",
        environment=http_receiver.environment(),
    )


def test_run_files_and_otlp_at_once(http_receiver, environment, run_python, tmp_path):
    """Every exporter of the list gets everything, metrics and logs too."""
    run_python(
        _SET_UP
        + """
span("a")
handle.meter.create_counter("qa.count").add(1)
logging.getLogger("qa").warning("hello")
""",
        environment={
            **environment,
            "NEMO_LENS_EXPORTER": "file,otlp",
            "NEMO_LENS_DIR": str(tmp_path),
            "NEMO_LENS_LOGS_ENABLED": "1",
        },
    )
    assert http_receiver.span_names() == ["a"]
    assert "qa.count" in http_receiver.metric_names()
    assert http_receiver.log_bodies() == ["hello"]
    recorded = {path.name: path.read_text() for path in tmp_path.rglob("*.jsonl")}
    assert '"name":"a"' in recorded["traces-00000.jsonl"]
    assert '"name":"qa.count"' in recorded["metrics-00000.jsonl"]
    assert '"stringValue":"hello"' in recorded["logs-00000.jsonl"]
    (manifest,) = tmp_path.rglob("manifest.json")
    assert json.loads(manifest.read_text())["end"] == "exit"


def test_the_files_hold_what_arrives(receiver, http_receiver, environment, run_python, tmp_path):
    """Read by the official messages, ids converted, both ways give the same items."""
    run_python(
        _SET_UP
        + """
from opentelemetry.trace import Link, SpanKind
from nemo.lens import SpanOptions
with managed_span("job", "outer", text="é\\n", number=3, real=0.5, yes=True) as outer:
    link = Link(outer.get_span_context(), {"why": "test"})
    options = SpanOptions(kind=SpanKind.CLIENT, links=[link])
    with managed_span("step", "inner", _span=options) as inner:
        inner.add_event("event", {"list": [1, 2]})
        logging.getLogger("qa").warning("hello", extra={"key": [1, "a"]})
    try:
        with managed_span("step", "failed"): raise ValueError("x")
    except ValueError: pass
handle.meter.create_counter("qa.count", unit="1").add(3, {"kind": "a"})
handle.meter.create_histogram("qa.time", unit="s").record(0.25)
""",
        environment={
            **environment,
            "NEMO_LENS_EXPORTER": "file,otlp",
            "NEMO_LENS_SPAN_GROUPS": "all",
            "NEMO_LENS_DIR": str(tmp_path),
            "NEMO_LENS_LOGS_ENABLED": "1",
            "OTEL_METRIC_EXPORT_INTERVAL": "60000",
        },
    )
    filed = receiver.Received()
    for signal_name, message_type in receiver.MESSAGES.items():
        for path in tmp_path.rglob(f"{signal_name}-*.jsonl"):
            for line in path.read_text().splitlines():
                filed.accept(signal_name, {}, receiver.parse_otlp_json(line, message_type()))
    assert len(filed.spans()) == 3
    assert _by_id(filed.spans()) == _by_id(http_receiver.spans())
    assert [str(record) for record in filed.log_records()] == [
        str(record) for record in http_receiver.log_records()
    ]
    assert filed.resources()[0] == http_receiver.resources()[0]
    assert filed.metric_names() == http_receiver.metric_names() >= {"qa.count", "qa.time"}
    for name, metric in filed.metrics().items():
        assert _without_times(metric) == _without_times(http_receiver.metrics()[name])


def _by_id(spans):
    return {span.span_id: str(span) for span in spans}


def _without_times(metric):
    """Each exporter collects at a moment of its own."""
    lines = str(metric).splitlines()
    return [line for line in lines if "time_unix_nano" not in line]


def test_a_killed_process_leaves_what_it_had_finished(start_python, tmp_path):
    """SIGKILL: whole lines up to the moment, and a manifest that says it did not end orderly."""
    process = start_python(
        _SET_UP
        + """
for number in range(2000): span(f"done {number}")
time.sleep(1)
print("ready", flush=True)
time.sleep(30)
""",
        environment={"NEMO_LENS_EXPORTER": "file", "NEMO_LENS_DIR": str(tmp_path)},
    )
    process.kill()
    assert _end_of(process)[0] == -signal.SIGKILL
    (path,) = tmp_path.rglob("traces-*.jsonl")
    names = [
        span["name"]
        for line in path.read_text().splitlines()
        for block in json.loads(line)["resourceSpans"]
        for scope in block["scopeSpans"]
        for span in scope["spans"]
    ]
    assert sorted(names) == sorted(f"done {number}" for number in range(2000))
    assert json.loads((path.parent / "manifest.json").read_text())["end"] is None


def test_forking_under_eight_busy_threads_never_hangs_a_child(run_python):
    """Two hundred forks while spans are opened and metrics recorded everywhere."""
    run_python(
        _START
        + """
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
class Discard(SpanExporter):
    def export(self, spans): return SpanExportResult.SUCCESS
    def shutdown(self): pass
config = NemoLensConfig.from_env()
handle = setup_telemetry(config, span_exporter=Discard())
def span(name):
    with managed_span("step", name): pass
histogram = handle.meter.create_histogram("qa.h")
stop = threading.Event()
def work():
    while not stop.is_set(): span("busy"); histogram.record(1.0)
threads = [threading.Thread(target=work, daemon=True) for _ in range(8)]
for thread in threads: thread.start()
for number in range(200):
    pid = os.fork()
    if pid == 0:
        for _ in range(5): span("child"); histogram.record(2.0)
        os._exit(0)
    end = time.monotonic() + 10
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            os.kill(pid, 9)
            raise SystemExit(f"child {number} hangs")
        time.sleep(0.002)
stop.set()
os._exit(0)
""",
        environment={"NEMO_LENS_EXPORTER": "console"},
        timeout=180,
    )


def test_nothing_piles_up_over_set_ups_and_forks(run_python, tmp_path):
    """Hooks of ours, threads, descriptors, handlers, and what `multiprocessing` keeps."""
    run_python(
        """
import gc, os, signal, threading
import multiprocessing, multiprocessing.util as util
ours = []
real = os.register_at_fork
def register(**hooks):
    ours.extend(hook for hook in hooks.values() if (hook.__module__ or "").startswith("nemo."))
    real(**hooks)
os.register_at_fork = register
from nemo.lens import NemoLensConfig, fork_safety, managed_span, setup_telemetry
def live_once():
    handle = setup_telemetry(NemoLensConfig.from_env())
    with managed_span("step", "a"): pass
    handle.meter.create_counter("qa.count").add(1)
    child = multiprocessing.get_context("fork").Process(target=int)
    child.start(); child.join(); child.close()
    assert handle.shutdown()
def kept():
    gc.collect()
    return (
        len(ours), len(fork_safety._repairs), len(util._afterfork_registry),
        len(util._finalizer_registry), threading.active_count(),
        len(os.listdir("/proc/self/fd")), signal.getsignal(signal.SIGTERM),
    )
live_once()
before = kept()
for _ in range(10): live_once()
assert kept() == before, (before, kept())
assert before[-1] == signal.SIG_DFL
""",
        environment={"NEMO_LENS_EXPORTER": "file", "NEMO_LENS_DIR": str(tmp_path)},
    )
