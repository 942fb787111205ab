# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the fakes have the methods of what they stand for
"""One rank of a gloo job; prints as JSON what it has seen."""

import json
import os
import time
from datetime import timedelta

import torch
from torch import distributed

from nemo.lens import broadcast_trace_context, state
from nemo.lens.contrib.collapsed_metrics import CollapsedMetrics, record_over_ranks
from nemo.lens.contrib.nccl import (
    MAX_CONTEXT_BYTES,
    deserialize_context,
    serialize_context,
)
from nemo.lens.contrib.torch.pipeline_parallel import pipeline_span, share_pipeline_trace
from nemo.lens.spans.discards import discarded
from nemo.lens.testing import RecordingTracerProvider

rank = int(os.environ["RANK"])
recorder = RecordingTracerProvider()
tracer = recorder.get_tracer("torch_job")
state.set_enabled_span_groups({"communication"})
seen = {"before_init": broadcast_trace_context(rank)}
distributed.init_process_group("gloo")
seen["without_a_span"] = broadcast_trace_context(rank)


class Gauge:
    """Notes the last value."""

    def __init__(self, name):
        self.name = name

    def set(self, value):
        gauges[self.name] = value


class Meter:
    """Makes gauges."""

    def create_gauge(self, name, unit="", description=""):
        return Gauge(name)


def links(name):
    return [f"{link.context.span_id:016x}" for link in recorder.span(name).links]


with tracer.start_as_current_span("job") as span:
    context = span.get_span_context()
    seen["trace_id"] = f"{context.trace_id:032x}"
    seen["span_id"] = f"{context.span_id:016x}"
    own = json.loads(serialize_context())
    seen["own_traceparent"] = own["traceparent"]
    alone = distributed.new_group([1])
    if rank == 1:
        from_group = broadcast_trace_context(rank, src_rank=1, group=alone)
        seen["from_group"] = from_group["traceparent"]
    else:
        seen["from_group"] = None
    seen["carrier"] = share_pipeline_trace(rank)
    with pipeline_span("communication", "kept", tracer=tracer):
        pass
    buffer = torch.zeros(MAX_CONTEXT_BYTES, dtype=torch.uint8)
    if rank == 0:
        data = serialize_context()
        buffer[: len(data)] = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        distributed.send(buffer, 1)
    else:
        distributed.recv(buffer, 0)
        sent = deserialize_context(buffer.numpy())
        with pipeline_span("communication", "sent", sent, tracer):
            pass
        seen["sent_link"] = links("sent")
seen["kept_link"] = links("kept")
gauges = {}
metrics = CollapsedMetrics({"step.duration": "s", "loss": "1"}, Meter())
values = {"step.duration": rank + 1.0} | ({"loss": 0.5} if rank == 0 else {})
assert record_over_ranks(metrics, values, rank)
seen["gauges"] = dict(gauges)

# Whatever one rank has in the place of values, the other one is not left waiting for it.
for bad in ({"step.duration": "slow", "loss": None}, {"step.duration": {}}, None, 5):
    values = {"step.duration": 7.0, "loss": 0.5} if rank == 0 else bad
    assert record_over_ranks(metrics, values, rank)
assert record_over_ranks(metrics, {"loss": 0.25 + rank}, rank="none that is right")
seen["gauges_with_bad_values"] = dict(gauges)

# A member that does not come is waited for as long as the group says, not longer.
impatient = distributed.new_group(timeout=timedelta(seconds=3))
began = time.monotonic()
seen["without_the_others"] = rank == 0 and record_over_ranks(metrics, values, rank, group=impatient)
seen["waited_s"] = time.monotonic() - began
seen["discarded"] = discarded()
distributed.barrier()
distributed.destroy_process_group()
print(json.dumps(seen))  # noqa: T201 -- tells the test
