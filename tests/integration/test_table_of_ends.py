# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Each row of `process_ends.yaml`, measured: a real process ends, and a real receiver counts."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from nemo.lens.runs import Run
from nemo.lens.semconv import NEMO_SPAN_TRUNCATED as TRUNCATED

pytestmark = pytest.mark.integration

FOLDER = Path(__file__).parent
TABLE = yaml.safe_load((FOLDER / "process_ends.yaml").read_text(encoding="utf-8"))
ROWS = [row for section in TABLE.values() for row in section]
SPANS = 100
AT_ONCE = 3
START_S, END_S = 60, 40
PATIENCE_S = 2.0
"""What interpreters need to end, beside telemetry, where other processes use the processors."""
DEADLINE_S = 5
GROUPED = ("OTEL_", "NEMO_LENS_", "SLURM_", "TORCHELASTIC_", "OMPI_")
NAMED = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "RAY_JOB_ID"}
LOSSES = re.compile(r"spans to otlp: ((?:\d+ \w+(?:, )?)+)")


def _row_id(row):
    return f"{row['job']}-{row.get('collector', 'healthy')}-{row.get('protocol', 'http')}"


@pytest.fixture(scope="module")
def measured(request, tmp_path_factory, receivers):
    """Measurements of the selected rows, several at once; most of the time they wait."""
    selected = [
        item.callspec.params["row"]
        for item in request.session.items
        if item.module is request.module and "row" in getattr(item, "fixturenames", ())
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            id(row): pool.submit(_measure, row, tmp_path_factory.mktemp(row["job"]), receivers)
            for row in selected
        }


@pytest.mark.parametrize("row", ROWS, ids=_row_id)
def test_a_process_ends_as_the_table_says(row, measured):
    """What arrives, what the files hold, and how the process ended."""
    result = measured[id(row)].result()
    assert result.row == {key: row[key] for key in result.row}, result.output
    deadline_s = row.get("deadline_s", DEADLINE_S)
    assert result.took_s <= deadline_s * 1.1 + PATIENCE_S, result.output


class Measurement:
    """How one process ended.

    Attributes:
        row: What the table says of it.
        took_s: From the signal, or from where the end began, to the end.
        output: What it printed, for a failure's sake.
    """

    def __init__(self, row, took_s, output):
        self.row = row
        self.took_s = took_s
        self.output = output


def _measure(row, folder, receivers):
    with contextlib.closing(Collector(receivers, row)) as collector:
        process = _start(row, folder, collector.variables)
        try:
            begun = _wait_until_ready(process, row.get("ready", 1))
            collector.the_end_begins()
            for name in row.get("signals", ()):
                begun = _send(process, name, to_group=row.get("group", False))
            status = process.wait(END_S)
            took_s = time.monotonic() - begun
            out, err = process.communicate(timeout=END_S)  # children too have let go of the pipes
        finally:
            _end_group(process)
        arrived = [(span.span_id.hex(), span.name) for span in collector.spans()]
    run = Run(folder)
    recorded = list(run.spans())
    processes = row.get("processes", 1)
    return Measurement(
        {
            "finished": _how_much(arrived, processes),
            "files": _how_much([(span.span_id, span.name) for span in recorded], processes),
            "open": _open_spans(recorded, processes),
            "box": _black_boxes(run),
            "status": signal.Signals(-status).name if status < 0 else status,
            "manifest": _manifest_end(folder, process.pid),
            "lost": _declared_lost(err),
        },
        took_s,
        f"{took_s:.2f} s\n{out}{err}",
    )


def _start(row, folder, variables):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(GROUPED) and name not in NAMED
    }
    return subprocess.Popen(
        [sys.executable, FOLDER / "ends_job.py", row["job"]],
        env={
            **kept,
            "NEMO_LENS_ENABLED": "1",
            "NEMO_LENS_SPAN_GROUPS": "all",
            "NEMO_LENS_EXPORTER": "otlp,file",
            "NEMO_LENS_DIR": str(folder),
            "NEMO_LENS_RUN_ID": "ends",
            **variables,
            **row.get("variables", {}),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _wait_until_ready(process, times):
    """Read until the process has said so; gives the moment that it named."""
    watchdog = threading.Timer(START_S, _end_group, (process,))
    watchdog.start()
    while times:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        times -= line.startswith("ready")
    watchdog.cancel()
    return float(line.split()[1])


def _send(process, name, *, to_group):
    begun = time.monotonic()
    number = signal.Signals[name]
    if to_group:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    time.sleep(0.1)  # two signals of a kind that come at once are one
    return begun


def _end_group(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _how_much(spans, processes):
    """Say how much there is of what the processes have finished, each span once."""
    names = dict(spans)
    if len(names) < len(spans):
        return f"{len(spans) - len(names)} twice"
    found = Counter(names.values())
    if not found["finished"] + found["early"]:
        return "none"
    hopeless = found["early"] // (SPANS // 2)
    if found["finished"] != SPANS * (processes - hopeless):
        return str(dict(found))
    return "early" if hopeless else "all"


def _open_spans(recorded, processes):
    """Say what became of the span that each process has open at its end."""
    found = [span for span in recorded if span.name == "open"]
    if not found:
        return "unknown"
    if len(found) != processes:
        return f"{len(found)} of {processes}"
    return "closed" if any(TRUNCATED in span.attributes for span in found) else "ended"


def _black_boxes(run):
    """Say how many processes were killed by their black boxes, each of which names its span."""
    boxes = [box for process in run.processes if (box := process.black_box) is not None]
    killed = [box for box in boxes if box.ended == "killed"]
    if any([span.name for span in box.open_spans] != ["open"] for box in killed):
        return "killed"
    if len(killed) == len(boxes):
        return "killed, open span"
    return f"{len(killed)} killed, open span" if killed else "in order"


def _manifest_end(folder, pid):
    manifests = [json.loads(path.read_text()) for path in folder.rglob("manifest.json")]
    (end,) = [manifest["end"] for manifest in manifests if manifest["pid"] == pid] or [None]
    return end or "none"


def _declared_lost(err):
    counts = [int(number) for said in LOSSES.findall(err) for number in re.findall(r"\d+", said)]
    return sum(counts)


class Collector:
    """The collector of a row, in the state that the row wants it in.

    Attributes:
        variables: The environment variables that lead to it.
    """

    def __init__(self, receivers, row):
        state = row.get("collector", "healthy")
        protocol = row.get("protocol", "http/protobuf")
        self._start = receivers.GrpcReceiver if protocol == "grpc" else receivers.HttpReceiver
        self._faults = receivers.Faults(
            delay_s=1.0 if state == "slow" else 0.0,
            statuses=[503, 503] if state == "answers 503 at first" else [],
        )
        self._away_s = float(state.split()[-2]) if state.startswith("back after") else None
        self._running = []
        self._silent = socket.create_server(("127.0.0.1", 0))
        self._port = self._silent.getsockname()[1]
        if state != "black hole":
            self._silent.close()
        if self._away_s is None and state not in {"black hole", "dead"}:
            self._port = 0  # a free one: what was free a moment ago may be taken
            self._run()
            self._port = self._running[0].port
        self.variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self._port}",
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
        }

    def the_end_begins(self):
        """Return in a while, where that is what the collector does."""
        if self._away_s is not None:
            threading.Timer(self._away_s, self._run).start()

    def spans(self):
        """Every span that arrived."""
        return [span for receiver in self._running for span in receiver.spans()]

    def close(self):
        """Stop listening."""
        self._silent.close()
        for receiver in self._running:
            receiver.close()

    def _run(self):
        self._running.append(self._start(self._faults, self._port))


@pytest.fixture(scope="module")
def receivers():
    """The receivers of the sdk's tests."""
    path = FOLDER.parent / "nemo-lens-sdk" / "receiver.py"
    spec = importlib.util.spec_from_file_location("lens_receiver", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module
