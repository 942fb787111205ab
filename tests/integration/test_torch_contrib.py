# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the models have the methods of torch
"""The integrations of PyTorch with the real one; run by scripts/torch_tests.py."""

import copy
import io
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from opentelemetry import trace
from torch._dynamo.testing import CompileCounter

from nemo.lens.contrib.torch.device_clock import cuda_clock
from nemo.lens.contrib.torch.module_spans import trace_modules
from nemo.lens.contrib.workers import Handover

pytestmark = pytest.mark.integration


class Layer(torch.nn.Module):
    """Doubles; raises when it is told to."""

    def forward(self, x, fail=False):
        if fail:
            raise ValueError("bad batch")
        return x * 2


class Model(torch.nn.Module):
    """Two layers in a container, and a head."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([Layer(), Layer()])
        self.head = torch.nn.Linear(2, 1)

    def forward(self, x, fail=False):
        for layer in self.layers:
            x = layer(x, fail)
        return self.head(x)


def test_modules_get_spans_below_each_other(nemo_lens_recorder, nemo_lens_groups):
    """By default the model and its direct children; the container has no pass of its own."""
    model, other = Model(), Model()
    spans = trace_modules(model, select=lambda _path, module: not isinstance(module, torch.nn.ReLU))
    nemo_lens_groups("layer")
    model(torch.ones(2))
    other(torch.ones(2))
    root = nemo_lens_recorder.span("model")
    children = [span.name for span in nemo_lens_recorder.spans if span.parent is not None]
    assert children == ["model.layers.0", "model.layers.1", "model.head"]
    assert {span.parent.span_id for span in nemo_lens_recorder.spans if span.parent} == {
        root.context.span_id
    }
    spans.remove()
    spans.remove()
    model(torch.ones(2))
    assert len(nemo_lens_recorder.spans) == 4


def test_by_default_only_the_top_is_traced(nemo_lens_recorder, nemo_lens_groups):
    """A deep model would give a span for each of thousands of modules."""
    model = Model()
    trace_modules(model, prefix="actor")
    nemo_lens_groups("layer")
    model(torch.ones(2))
    assert nemo_lens_recorder.names() == ["actor.head", "actor"]


def test_an_exception_closes_the_spans(nemo_lens_recorder, nemo_lens_groups):
    """Nothing stays open or current."""
    model = Model()
    trace_modules(model, select=lambda _path, _module: True)
    nemo_lens_groups("layer")
    with pytest.raises(ValueError, match="bad batch"):
        model(torch.ones(2), fail=True)
    assert nemo_lens_recorder.names() == ["model.layers.0", "model"]
    model(torch.ones(2))
    assert nemo_lens_recorder.spans[-1].parent is None


def test_groups_may_be_switched_in_the_middle_of_a_pass(nemo_lens_recorder, nemo_lens_groups):
    """What was opened is closed, and what was not is not."""
    model = Model()
    switched = []

    def switch(_module, _inputs):
        switched.append(len(switched))
        nemo_lens_groups(*(["layer"] if len(switched) % 2 else []))

    model.layers[1].register_forward_pre_hook(switch)
    trace_modules(model, select=lambda _path, _module: True)
    for _ in range(4):
        model(torch.ones(2))
    assert all(span.end_time for span in nemo_lens_recorder.spans)
    assert nemo_lens_recorder.names().count("model") == 2


def test_while_the_group_is_off_nothing_is_recorded(nemo_lens_recorder):
    """Results are the same, and so are the parameters."""
    model = Model()
    before = model(torch.ones(2))
    trace_modules(model)
    assert torch.equal(model(torch.ones(2)), before)
    assert nemo_lens_recorder.names() == []
    assert list(model.state_dict()) == ["head.weight", "head.bias"]


@pytest.mark.parametrize("groups", [(), ("layer",)])
def test_a_compiled_model_has_one_graph_with_spans_on_or_off(
    nemo_lens_recorder, nemo_lens_groups, groups
):
    """No graph break, no recompilation when the groups change, no span inside of the graph."""
    torch._dynamo.reset()
    model = Model()
    want = model(torch.ones(2))
    trace_modules(model, select=lambda _path, _module: True)
    counter = CompileCounter()
    compiled = torch.compile(model, backend=counter, fullgraph=True)
    nemo_lens_groups(*groups)
    assert torch.allclose(compiled(torch.ones(2)), want)
    nemo_lens_groups(*({"layer"} - set(groups)))
    assert torch.allclose(compiled(torch.ones(2)), want)
    assert counter.frame_count == 1
    assert nemo_lens_recorder.names() == []


def test_a_traced_model_can_be_copied_and_pickled(nemo_lens_groups, nemo_lens_recorder):
    """As checkpoints of whole models are; the copy is not traced, and computes on its own."""
    model = Model()
    want = model(torch.ones(2))
    trace_modules(model)
    nemo_lens_groups("layer")
    saved = io.BytesIO()
    torch.save(model, saved)
    saved.seek(0)
    copies = copy.deepcopy(model), copy.copy(model), torch.load(saved, weights_only=False)
    assert b"lens" not in saved.getvalue()
    for other in copies:
        assert type(other) is Model
        assert torch.equal(other(torch.ones(2)), want)
        assert list(other.state_dict()) == list(model.state_dict())


def test_hooks_of_a_traced_module_are_inside_its_span(nemo_lens_groups, nemo_lens_recorder):
    """As are the collectives of sharded modules, which are hooks."""
    model = Model()
    trace_modules(model)
    nemo_lens_groups("layer")
    seen = []
    model.register_forward_pre_hook(lambda *_: seen.append(trace.get_current_span().name))
    model.register_forward_hook(lambda *_: seen.append(trace.get_current_span().name))
    model(torch.ones(2))
    assert seen == ["model", "model"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), ValueError("bad batch")])
def test_an_interrupted_pass_leaves_nothing_open(nemo_lens_groups, nemo_lens_recorder, error):
    """There are no calls of hooks then."""
    model = Model()
    trace_modules(model)
    nemo_lens_groups("layer")

    def interrupt(*_):
        raise error

    model.head.register_forward_hook(interrupt)
    with pytest.raises(type(error)):
        model(torch.ones(2))
    assert not trace.get_current_span().get_span_context().is_valid
    assert nemo_lens_recorder.names() == ["model.head", "model"]
    assert {span.status.status_code for span in nemo_lens_recorder.spans} == {
        trace.StatusCode.ERROR
    }


class Traces(torch.utils.data.Dataset):
    """Items are the trace that is current where they are made, and the process."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        context = trace.get_current_span().get_span_context()
        return f"{context.trace_id:032x}", os.getpid()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader_are_inside_the_trace(nemo_lens_recorder, method):
    """A worker is initialised once, and starts from there for each item."""
    with trace.get_tracer("t").start_as_current_span("epoch") as span:
        loader = torch.utils.data.DataLoader(
            Traces(),
            batch_size=None,
            num_workers=2,
            worker_init_fn=Handover.capture(),
            multiprocessing_context=method,
        )
        items = list(loader)
    assert {item for item, _ in items} == {f"{span.get_span_context().trace_id:032x}"}
    assert len({process for _, process in items} - {os.getpid()}) == 2


def test_without_a_device_the_clock_skips_its_spans(nemo_lens_recorder, nemo_lens_groups):
    """The same program runs on a laptop."""
    nemo_lens_groups("step")
    clock = cuda_clock()
    if not torch.cuda.is_available():
        with clock.span("step", "trainer.forward"):
            pass
        assert clock.resolve() == 0
        assert nemo_lens_recorder.names() == []


@pytest.fixture(scope="module")
def ranks():
    """Run two ranks of a gloo job; give what each has seen."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    job = Path(__file__).with_name("torch_job.py")
    processes = [
        subprocess.Popen(
            [sys.executable, job],
            env={
                **os.environ,
                "RANK": str(rank),
                "WORLD_SIZE": "2",
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    return [json.loads(output) for output in outputs]


def test_all_ranks_get_the_context_of_the_source(ranks):
    """The same carrier on each, and an empty one when the source has no span."""
    assert ranks[0]["carrier"] == ranks[1]["carrier"]
    assert ranks[0]["carrier"]["traceparent"].split("-")[1] == ranks[0]["trace_id"]
    assert [rank["without_a_span"] for rank in ranks] == [{}, {}]
    assert [rank["before_init"] for rank in ranks] == [None, None]


def test_a_group_has_its_own_source(ranks):
    """Rank 1 is the only member of its group."""
    assert [rank["from_group"] for rank in ranks] == [None, ranks[1]["own_traceparent"]]


def test_a_stage_links_to_the_source_and_to_what_came_with_its_work(ranks):
    """Kept carrier first, then one that was sent as bytes beside a tensor."""
    source = ranks[0]["span_id"]
    assert [rank["kept_link"] for rank in ranks] == [[source], [source]]
    assert ranks[1]["sent_link"] == [source]


def test_metrics_of_all_ranks_are_recorded_by_one(ranks):
    """A value that one rank lacks comes from the others."""
    assert ranks[0]["gauges"] == {
        "step.duration.min": 1.0,
        "step.duration.median": 1.5,
        "step.duration.max": 2.0,
        "step.duration.max_rank": 1,
        "loss.min": 0.5,
        "loss.median": 0.5,
        "loss.max": 0.5,
        "loss.max_rank": 0,
    }
    assert ranks[1]["gauges"] == {}


def test_a_bad_value_of_one_rank_hangs_no_other(ranks):
    """The rank joins the collective without it."""
    gauges = ranks[0]["gauges_with_bad_values"]
    assert (gauges["step.duration.max"], gauges["step.duration.max_rank"]) == (7.0, 0)
    assert (gauges["loss.min"], gauges["loss.max"], gauges["loss.max_rank"]) == (0.25, 1.25, 1)
    assert ranks[1]["gauges_with_bad_values"] == {}
    assert ranks[1]["discarded"]["collapsed metric value"] == 5


def test_a_member_that_does_not_come_is_waited_for_as_long_as_the_group_says(ranks):
    """Then it is counted, and the job goes on."""
    assert ranks[0]["without_the_others"] is False
    assert ranks[0]["waited_s"] < 30
    assert ranks[0]["discarded"]["gather of metrics"] == 1


PAGE = Path(__file__).parents[2] / "docs/user-guide/torch.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS)
def test_a_code_block_of_the_page_runs(code, tmp_path):
    """Each on its own, as it stands there."""
    command = [sys.executable, "-W", "error", "-c", f"rank = 0\n{code}"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
