# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metrics arrive where people look: at an OTLP receiver and in a Prometheus that scrapes."""

import importlib.util
import json
import math
import os
import shutil
import socket
import subprocess
import sys
import time
import types
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from nemo.lens.config import NemoLensConfig
from nemo.lens.handle import setup_telemetry
from nemo.lens.instruments import record_inference_metrics, schema
from nemo.lens.instruments.durations import MINUTES_MS
from nemo.lens.instruments.gpu import observe_gpus
from nemo.lens.instruments.gym import record_gym_metrics
from nemo.lens.instruments.rl import record_rl_metrics
from nemo.lens.instruments.system import observe_system
from nemo.lens.metric_durations import set_metric_durations

pytestmark = pytest.mark.integration

TIMEOUT_S = 60
# Reported only by a process that has too many attribute sets.
NOT_REPORTED = {"nemo.lens.metrics.overflow"}


def load_receiver():
    """Load the receiver of the sdk's tests."""
    path = Path(__file__).parents[1] / "nemo-lens-sdk" / "receiver.py"
    spec = importlib.util.spec_from_file_location("lens_receiver", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["lens_receiver"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["grpc", "http/protobuf", "http/json"])
def otlp(request, monkeypatch):
    """Start a receiver and point the exporter at it."""
    module = load_receiver()
    receiver = module.GrpcReceiver() if request.param == "grpc" else module.HttpReceiver()
    for name, value in receiver.environment(request.param).items():
        monkeypatch.setenv(name, value)
    yield receiver
    receiver.close()


@pytest.fixture
def fake_gpu(monkeypatch):
    """Put a machine with one GPU in the place of NVML."""
    nvml = types.ModuleType("pynvml")
    answers = {
        "Init": lambda: None,
        "DeviceGetCount": lambda: 1,
        "DeviceGetHandleByIndex": lambda index: index,
        "DeviceGetIndex": lambda handle: handle,
        "DeviceGetUUID": lambda handle: "GPU-aaa",
        "DeviceGetUtilizationRates": lambda handle: types.SimpleNamespace(gpu=50),
        "DeviceGetMemoryInfo": lambda handle: types.SimpleNamespace(used=1024),
        "DeviceGetPowerUsage": lambda handle: 350_500,
        "DeviceGetTemperature": lambda handle, sensor: 61,
        "DeviceGetTotalEccErrors": lambda handle, kind, since: 7,
        "DeviceGetCurrentClocksThrottleReasons": lambda handle: 0,
    }
    for name, answer in answers.items():
        setattr(nvml, f"nvml{name}", answer)
    monkeypatch.setitem(sys.modules, "pynvml", nvml)


def record_everything(meter):
    """Record every metric of the table, and garbage beside it; twice, with odd attributes too."""
    set_metric_durations("both")
    for number in (1, 2):
        record_rl_metrics(meter, *[number + 0.5] * 12)
        record_gym_metrics(meter, *[number + 0.5] * 5, attributes={"gym.server.name": "math"})
        record_inference_metrics(meter, 0.25 * number, "nemotron", 10, 20)
        for garbage in (math.nan, math.inf, 2**80, "x", object(), [1], None):
            record_gym_metrics(meter, garbage, attributes={"gym.server.name": garbage})
            record_rl_metrics(meter, generation_duration_ms=garbage)
    assert observe_gpus(meter, devices=[0])


@pytest.mark.usefixtures("fake_gpu")
def test_every_metric_arrives_over_otlp(otlp):
    """With its unit, its description, its value, and the span of the step as exemplar."""
    config = NemoLensConfig(enabled=True, span_groups="all", run_id="arrival", sigterm_flush=False)
    handle = setup_telemetry(config, rank=0)
    advice = [bound / 1000 for bound in MINUTES_MS]
    plain = handle.meter.create_histogram("plain", explicit_bucket_boundaries_advisory=advice)
    plain.record(0.002)
    with handle.tracer.start_as_current_span("step"):
        record_everything(handle.meter)
        handle.flush()
        record_everything(handle.meter)
    assert handle.flush(timeout_ms=1000 * TIMEOUT_S)
    handle.shutdown()

    metrics = [
        metric
        for message in otlp._messages["metrics"]
        for block in message.resource_metrics
        for scope in block.scope_metrics
        for metric in scope.metrics
    ]
    arrived = {metric.name: metric for metric in metrics}
    rows = {row["name"]: row for row in schema() if row["name"] not in NOT_REPORTED}
    assert rows.keys() <= arrived.keys()
    for name, row in rows.items():
        assert (arrived[name].unit, arrived[name].description) == (row["unit"], row["description"])
    assert arrived["rl.reward.mean"].gauge.data_points[0].as_double == 2.5
    tokens = arrived["gen_ai.client.token.usage"].histogram.data_points
    assert sorted((point.count, point.sum) for point in tokens) == [(4, 40.0), (4, 80.0)]
    rollout = arrived["rl.rollout.duration"].histogram.data_points[0]
    assert (rollout.count, rollout.sum) == (4, 0.008)
    # Not the advice itself: the first OpenTelemetry versions that take it do not all follow it.
    assert rollout.explicit_bounds == arrived["plain"].histogram.data_points[0].explicit_bounds
    (step,) = [span for span in otlp.spans() if span.name == "step"]
    exemplars = [
        (exemplar.span_id, exemplar.trace_id)
        for metric in metrics
        if metric.name == "rl.rollout.duration"
        for point in metric.histogram.data_points
        for exemplar in point.exemplars
    ]
    assert exemplars
    assert set(exemplars) == {(step.span_id, step.trace_id)}


def test_process_and_host_metrics_arrive_over_otlp(otlp):
    """Under the names of the OpenTelemetry conventions."""
    config = NemoLensConfig(enabled=True, run_id="arrival", sigterm_flush=False)
    handle = setup_telemetry(config, rank=0)
    observe_system()
    assert handle.flush(timeout_ms=1000 * TIMEOUT_S)
    handle.shutdown()
    expected = {"process.cpu.time", "process.memory.usage", "system.memory.usage"}
    assert expected <= otlp.metric_names()


def prometheus_binary(capsys):
    """Find Prometheus, or end the test as CI wants it."""
    binary = shutil.which("prometheus")
    if binary is None:
        with capsys.disabled():
            sys.stdout.write("\nNOT RUN: prometheus is not installed (package `prometheus`)\n")
        if os.environ.get("CI_STRICT") == "1":
            pytest.fail("prometheus is missing and CI_STRICT=1")
        pytest.skip("prometheus is not installed")
    return binary


@pytest.fixture
def prometheus(tmp_path, capsys):
    """Start a Prometheus that scrapes a port of ours; give it a function that queries."""
    binary = prometheus_binary(capsys)
    running = []

    def start(scraped_port):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        config = tmp_path / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s}\n"
            "scrape_configs:\n"
            "  - job_name: lens\n"
            "    static_configs:\n"
            f"      - targets: ['127.0.0.1:{scraped_port}']\n",
            encoding="utf-8",
        )
        command = [
            binary,
            f"--config.file={config}",
            f"--storage.tsdb.path={tmp_path / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        log = (tmp_path / "prometheus.log").open("wb")
        running.extend((subprocess.Popen(command, stdout=log, stderr=log), log))
        return lambda expression: query(port, expression)

    yield start
    for process in running[:1]:
        process.terminate()
        process.wait(TIMEOUT_S)
        running[1].close()


def query(port, expression):
    """Return the series of an instant query; none while the server is not ready."""
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]["result"]
    except OSError:
        return []


def wait_for_series(ask, expression):
    """Ask until there are series; return the labels and the value of each."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        series = ask(expression)
        if series:
            return [(each["metric"], float(each["value"][1])) for each in series]
        time.sleep(0.25)
    raise AssertionError(f"no series for {expression} in {TIMEOUT_S} s")


@pytest.mark.usefixtures("fake_gpu")
def test_every_metric_is_in_prometheus_under_its_documented_name(prometheus):
    """Scraped from OpenTelemetry's Prometheus exporter, on top of a set-up of ours."""
    from opentelemetry.exporter.prometheus import PrometheusMetricReader
    from prometheus_client import start_http_server

    config = NemoLensConfig(enabled=True, traces_enabled=False, run_id="p", sigterm_flush=False)
    handle = setup_telemetry(config, rank=0, metric_reader=PrometheusMetricReader())
    record_everything(handle.meter)
    server, thread = start_http_server(0, addr="127.0.0.1")
    try:
        ask = prometheus(server.server_port)
        wait_for_series(ask, "up == 1")
        record_everything(handle.meter)
        for row in schema():
            if row["name"] in NOT_REPORTED:
                continue
            suffix = "_count" if row["kind"] == "histogram" else ""
            assert wait_for_series(ask, row["prometheus_name"] + suffix), row
        ((labels, value),) = wait_for_series(ask, "rl_reward_mean")
        assert value == 2.5
        assert labels["job"] == "lens"
        ((labels, _),) = wait_for_series(ask, "nv_gpu_power_watts")
        assert (labels["nv_gpu_index"], labels["nv_gpu_uuid"]) == ("0", "GPU-aaa")
        wait_for_series(ask, "rl_rollout_duration_seconds_count == 4")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        handle.shutdown()
