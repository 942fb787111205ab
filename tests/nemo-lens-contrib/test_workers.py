# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a worker is handed: context, attributes, group state, configuration."""

import asyncio
import functools
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry import context, trace

from nemo.lens import handle, state
from nemo.lens.config import NemoLensConfig
from nemo.lens.contrib.child_processes import child_environment
from nemo.lens.contrib.ray import actor_runtime_env
from nemo.lens.contrib.vllm import vllm_tracing
from nemo.lens.contrib.workers import Handover, carry_context
from nemo.lens.handle import TelemetryHandle
from nemo.lens.helpers import managed_span, span_attributes


def traced(x, *, y=0):
    """Add, inside a span."""
    with managed_span("step", "work"):
        return x + y


def failing():
    """Raise."""
    raise ValueError("bad")


@pytest.fixture
def parent(nemo_lens_recorder, nemo_lens_groups):
    """Open a parent span, and yield it."""
    nemo_lens_groups("step")
    with trace.get_tracer("test").start_as_current_span("parent") as span:
        yield span


def in_another_thread(function, *args, **kwargs):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *args, **kwargs).result()


def test_a_call_in_a_thread_runs_inside_the_context_of_now(parent, nemo_lens_recorder):
    """Also the attributes in force; the thread keeps nothing."""
    with span_attributes({"batch": 3}):
        call = carry_context(traced)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(call, 1, y=2).result() == 3
        assert pool.submit(context.get_current).result() == {}
    span = nemo_lens_recorder.span("work")
    assert span.parent.span_id == parent.get_span_context().span_id
    assert span.attributes == {"batch": 3}


def test_calls_overlap(parent, nemo_lens_recorder):
    """One carried call may run in many threads at once."""
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(carry_context(traced), range(32))) == list(range(32))
    assert nemo_lens_recorder.names() == ["work"] * 32


def test_a_pickled_call_runs_inside_its_parents_span(parent, nemo_lens_recorder):
    """Here unpickled where no context is current, as in another process."""
    with span_attributes({"batch": 3}):
        pickled = pickle.dumps(carry_context(traced))
    assert in_another_thread(lambda: pickle.loads(pickled)(1)) == 1
    span = nemo_lens_recorder.span("work")
    assert span.parent.span_id == parent.get_span_context().span_id
    assert span.attributes == {"batch": 3}


@pytest.mark.parametrize("move", [lambda call: call, lambda call: pickle.loads(pickle.dumps(call))])
def test_exceptions_reach_the_caller_and_leave_nothing_attached(parent, move):
    """In a thread as in a process."""
    before = context.get_current()
    with pytest.raises(ValueError, match="bad"):
        move(carry_context(failing))()
    assert context.get_current() == before


def test_a_carried_call_has_the_name_of_its_function():
    """Logs and profilers show it."""
    assert carry_context(traced).__name__ == "traced"
    assert carry_context(traced).__doc__ == traced.__doc__


def test_an_initialised_worker_stays_inside_its_parents_span(parent, nemo_lens_recorder):
    """`initializer=` passes nothing, `worker_init_fn=` passes the number of the worker."""
    handover = Handover.capture()
    with ThreadPoolExecutor(1, initializer=handover) as pool:
        pool.submit(traced, 1).result()
        pool.submit(handover, 5).result()
        pool.submit(traced, 1).result()
    parents = {span.parent.span_id for span in nemo_lens_recorder.spans if span.name == "work"}
    assert parents == {parent.get_span_context().span_id}


def test_the_state_of_the_gate_goes_along(nemo_lens_groups):
    """A worker without telemetry gets the groups and the step of its parent."""
    nemo_lens_groups("step", "eval")
    state.set_step(7)
    pickled = pickle.dumps(Handover.capture())
    nemo_lens_groups()
    state.set_step(None)
    pickle.loads(pickled)()
    assert state.enabled_span_groups() == {"step", "eval"}
    assert state.current_step() == 7


def test_groups_that_the_configuration_selects_are_left_to_it(nemo_lens_groups):
    """So that the worker follows the libraries that register there."""
    config = NemoLensConfig(enabled=True, span_groups="step")
    nemo_lens_groups(*config.resolved_span_groups)
    assert Handover.capture(config).groups is None
    nemo_lens_groups()
    assert Handover.capture(config).groups == frozenset()


def test_a_configuration_survives_the_way_to_a_worker():
    """With the run id, and what was chosen explicitly."""
    config = NemoLensConfig(enabled=True, export_strategy="all_ranks", run_id="r")
    received = pickle.loads(pickle.dumps(Handover.capture(config, role="loader", rank=3)))
    assert received.config == config
    assert received.config.is_explicit("export_strategy")
    assert not received.config.is_explicit("service_name")
    assert (received.role, received.rank) == ("loader", 3)


def test_a_disabled_parent_hands_nothing_on():
    """A worker then does nothing but close its gate, which is closed."""
    handover = Handover.capture(NemoLensConfig())
    assert (handover.carrier, handover.attributes) == ({}, {})
    handover()
    assert context.get_current() == {}


def test_a_parent_that_does_not_export_keeps_its_workers_from_it(monkeypatch):
    """Whatever the configuration says; and their gate is closed."""
    config = NemoLensConfig(enabled=True, span_groups="all", run_id="r")
    monkeypatch.setattr(handle, "_INITIALIZED", True)
    monkeypatch.setattr(handle, "_primary", TelemetryHandle())
    handover = pickle.loads(pickle.dumps(Handover.capture(config)))
    monkeypatch.setattr(handle, "_INITIALIZED", False)
    assert handover.exports is False
    handover()
    assert not vars(handle)["_INITIALIZED"]
    assert state.enabled_span_groups() == frozenset()


def test_a_parent_without_telemetry_leaves_the_decision_to_its_workers():
    """A launcher need not set telemetry up itself."""
    handover = Handover.capture(NemoLensConfig(enabled=True), rank=3, world_size=4)
    assert (handover.exports, handover.identity) == (None, {})


async def coroutine():
    pass


async def async_items():
    yield 1


def items():
    yield 1


@pytest.mark.parametrize("function", [coroutine, async_items, items, functools.partial(coroutine)])
def test_a_function_whose_body_runs_later_is_refused(function):
    """It would run outside of the context; nothing would tell."""
    with pytest.raises(TypeError, match=r"carry_context: .* runs after the call"):
        carry_context(function)


def test_a_coroutine_is_carried_by_what_runs_it(nemo_lens_recorder):
    """As the error proposes."""

    async def current():
        return trace.get_current_span().get_span_context()

    with trace.get_tracer("t").start_as_current_span("parent") as span:
        run = carry_context(asyncio.run)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: run(current())).result() == span.get_span_context()


def test_what_is_no_function_is_refused():
    """By its name, where it is given."""
    with pytest.raises(TypeError, match="carry_context: `function` must be callable, got 5"):
        carry_context(5)


@pytest.mark.parametrize(
    ("caller", "call"),
    [
        ("Handover.capture", Handover.capture),
        ("Handover.capture", functools.partial(carry_context, len)),
        ("child_environment", child_environment),
        ("actor_runtime_env", actor_runtime_env),
        ("vllm_tracing", vllm_tracing),
    ],
)
def test_what_is_no_configuration_is_refused(caller, call):
    """The error says what is accepted."""
    with pytest.raises(TypeError, match=f"{caller}: `config` must be a NemoLensConfig.* got 'on'"):
        call("on")
