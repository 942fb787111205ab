# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Set-up again after the modules of NeMo Lens were dropped and imported anew."""

from __future__ import annotations

import json

import pytest

_START = """
import json, os, sys, threading
from opentelemetry import metrics, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

def set_up(run_id):
    import nemo.lens as lens
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    config = lens.NemoLensConfig(enabled=True, span_groups="all", run_id=run_id, logs_enabled=True)
    handle = lens.setup_telemetry(config, rank=0, span_exporter=exporter, metric_reader=reader)
    return lens, handle, exporter, reader

def drop():
    for name in [name for name in sys.modules if name.startswith("nemo")]:
        del sys.modules[name]

def spans(exporter):
    return [
        [span.name, span.resource.attributes.get("nemo.run.id")]
        for span in exporter.get_finished_spans()
    ]
"""
_SPANS = """
first, first_handle, old, old_reader = set_up("a")
kept = trace.get_tracer("kept")
counter = metrics.get_meter("kept").create_counter("c")
with first.managed_span("step", "before"): pass
drop()
second, handle, new, reader = set_up("b")
assert second is not first
with second.managed_span("step", "after"): pass
with first.managed_span("step", "unheard"): pass
kept.start_span("kept").end()
counter.add(1)
handle.flush()
first_handle.flush()
names = [
    metric.name
    for scope in (reader.get_metrics_data().resource_metrics[0].scope_metrics)
    for metric in scope.metrics
]
threads = sorted(t.name for t in threading.enumerate() if t.name == "nemo-lens supervisor")
print(json.dumps([spans(old), spans(new), "c" in names, len(threads), handle.shutdown()]))
"""


@pytest.fixture
def result(run_python):
    """Run a script and read the JSON that it prints."""
    return lambda script: json.loads(run_python(_START + script).stdout)


def test_the_new_modules_take_over_from_the_old_ones(result):
    """Each span is exported once, with the new resource; the old set-up has delivered and ended."""
    old, new, counted, supervisors, delivered = result(_SPANS)
    assert old == [["before", "a"]]
    assert sorted(new) == [["after", "b"], ["kept", "b"]]
    assert counted
    assert supervisors == 1
    assert delivered


def test_what_the_old_modules_hung_on_an_application_s_provider_goes(result):
    """The application's own processor stays."""
    old, new, own = result(
        """
mine = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(mine))
trace.set_tracer_provider(provider)
_, first_handle, old, _ = set_up("a")
drop()
second, handle, new, _ = set_up("b")
with second.managed_span("step", "after"): pass
handle.flush()
first_handle.flush()
print(json.dumps([[n for n, _ in spans(e)] for e in (old, new, mine)]))
"""
    )
    assert (old, new, own) == ([], ["after"], ["after"])


def test_an_error_in_the_new_set_up_leaves_the_old_one_running(result):
    """As for any other set-up that fails: everything is built first."""
    assert result(
        """
first, first_handle, old, _ = set_up("a")
managed_span = first.managed_span
drop()
import nemo.lens
try:
    nemo.lens.setup_telemetry(nemo.lens.NemoLensConfig(enabled=True, exporter="pigeon"))
except ValueError:
    with managed_span("step", "still"): pass
first_handle.flush()
print(json.dumps(spans(old)))
"""
    ) == [["still", "a"]]


def test_a_child_forked_after_the_second_set_up_records_once(result):
    """Hooks of the old modules have nothing left to renew."""
    assert result(
        """
set_up("a")
drop()
second, handle, new, _ = set_up("b")
reading, writing = os.pipe()
pid = os.fork()
if pid == 0:
    with second.managed_span("step", "child"): pass
    handle.flush()
    os.write(writing, json.dumps(spans(new)).encode())
    os._exit(0)
os.waitpid(pid, 0)
print(os.read(reading, 4096).decode())
"""
    ) == [["child", "b"]]
