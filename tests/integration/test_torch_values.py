# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Tensors as attribute values, and the broadcast over real process groups."""

import multiprocessing
import os
import socket

import pytest

pytestmark = pytest.mark.integration

torch = pytest.importorskip("torch")

from nemo.lens.distributed import broadcast_trace_context  # noqa: E402
from nemo.lens.spans.attributes import cleaned  # noqa: E402
from nemo.lens.spans.discards import discarded  # noqa: E402


def test_scalars_become_numbers_and_big_tensors_are_dropped():
    """On the CPU; with a gradient too."""
    loss = (torch.ones(3, requires_grad=True) * 2).sum()
    attributes = cleaned(
        {
            "loss": loss,
            "n": torch.tensor(3),
            "half": torch.tensor(0.5, dtype=torch.bfloat16),
            "flag": torch.tensor(True),
            "weight": torch.nn.Parameter(torch.tensor(1.5)),
            "shape": torch.ones(3, 4).shape,
            "big": torch.zeros(1000, 1000),
            "dtype": torch.float32,
            "meta": torch.empty((), device="meta"),
        }
    )
    assert attributes == {
        "loss": 6.0,
        "n": 3,
        "half": 0.5,
        "flag": True,
        "weight": 1.5,
        "shape": [3, 4],
    }
    assert discarded() == {"array": 1, "unsupported type": 1, "device tensor": 1}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_cuda_tensor_is_dropped_without_waiting_for_the_device():
    """Reading it would synchronise."""
    with torch.cuda.device(0):
        torch.cuda.set_sync_debug_mode("error")
        try:
            assert cleaned({"loss": torch.ones((), device="cuda")}) == {}
        finally:
            torch.cuda.set_sync_debug_mode("default")
    assert discarded() == {"device tensor": 1}


def _rank(rank, port, backend, with_span, results):
    """Be one rank: broadcast and report what arrived."""
    import torch.distributed as dist
    from opentelemetry import trace

    from nemo.lens import state
    from nemo.lens.helpers import managed_span
    from nemo.lens.testing import RecordingTracerProvider

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    trace.set_tracer_provider(RecordingTracerProvider())
    state.set_enabled_span_groups(frozenset({"step"} if with_span else ()))
    before = broadcast_trace_context(rank)
    dist.init_process_group(backend, rank=rank, world_size=2)
    group = dist.new_group([0, 1], backend="gloo")
    with managed_span("step", "s"):
        whole = broadcast_trace_context(rank, src_rank=1)
        part = broadcast_trace_context(rank, src_rank=0, group=group)
    results.put((rank, before, whole, part))
    dist.barrier()
    dist.destroy_process_group()


@pytest.mark.parametrize("backend", ["gloo", None])
@pytest.mark.parametrize("with_span", [True, False])
def test_all_ranks_get_the_context_of_the_source(backend, with_span):
    """Over the default group and another one; {} when the source had no span."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    ranks = [
        context.Process(target=_rank, args=(rank, port, backend, with_span, results))
        for rank in range(2)
    ]
    for rank in ranks:
        rank.start()
    got = {}
    for _ in ranks:
        rank, *got[rank] = results.get(timeout=120)
    for rank in ranks:
        rank.join(60)
    assert got[0] == got[1]
    before, whole, part = got[0]
    assert before is None
    if with_span:
        assert whole["traceparent"].startswith("00-")
        assert part["traceparent"].startswith("00-")
    else:
        assert (whole, part) == ({}, {})
