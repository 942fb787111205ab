# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the fakes have the methods of what they stand for
"""Device time becomes spans without ever waiting for the device."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace

from nemo.lens.contrib.torch import device_clock
from nemo.lens.contrib.torch.device_clock import DeviceClock, cuda_clock
from nemo.lens.spans.discards import discarded

MS = 1_000_000


class Device:
    """A device on which work takes time after its launch; waiting for it is an error."""

    def __init__(self):
        self.now_ms = 0.0  # of the host, which starts at 1 s of its wall clock
        self.busy_until_ms = 0.0
        self.broken = False
        self.made = 0

    def time_ns(self):
        return 10**9 + round(self.now_ms * MS)

    def launch(self, duration_ms, cost_ms=0.01):
        """Launch work: it starts when the device is free, and the host goes on at once."""
        self.busy_until_ms = max(self.busy_until_ms, self.now_ms) + duration_ms
        self.now_ms += cost_ms

    def event(self):
        self.made += 1
        return Event(self)


class Event:
    """As `torch.cuda.Event`."""

    def __init__(self, device):
        self.device = device

    def record(self):
        self._check()
        self.at_ms = max(self.device.busy_until_ms, self.device.now_ms)

    def query(self):
        self._check()
        return self.at_ms <= self.device.now_ms

    def elapsed_time(self, end):
        assert self.query()
        assert end.query()
        return end.at_ms - self.at_ms

    def synchronize(self):
        raise AssertionError("the host waited for the device")

    def _check(self):
        if self.device.broken:
            raise RuntimeError("device-side assert")


@pytest.fixture
def device(monkeypatch):
    device = Device()
    monkeypatch.setattr(device_clock.time, "time_ns", device.time_ns)
    return device


@pytest.fixture
def enabled(nemo_lens_recorder, nemo_lens_groups):
    nemo_lens_groups("step")
    return nemo_lens_recorder


def milliseconds(span):
    """Return start and duration of a span, counted from the host's start."""
    return (span.start_time - 10**9) / MS, (span.end_time - span.start_time) / MS


def test_a_span_shows_when_the_device_worked(device, enabled):
    """Not when the host launched the work: the second one had to wait for the first."""
    clock = DeviceClock(device.event)
    with clock.span("step", "forward", microbatch=1):
        device.launch(30)
    with clock.span("step", "backward"):
        device.launch(60)
    assert enabled.names() == []
    assert clock.resolve() == 2
    device.now_ms = 100
    assert clock.resolve() == 0
    assert milliseconds(enabled.span("forward")) == pytest.approx((0, 30))
    assert milliseconds(enabled.span("backward")) == pytest.approx((30, 60))
    assert enabled.span("forward").attributes == {"microbatch": 1}


def test_what_is_done_is_exported_by_the_next_span(device, enabled):
    """The order is that in which the work ends."""
    clock = DeviceClock(device.event)
    with clock.span("step", "outer"):
        with clock.span("step", "inner"):
            device.launch(5)
        device.now_ms = 10
        device.launch(5)
    assert enabled.names() == ["inner"]
    device.now_ms = 20
    with clock.span("step", "next"):
        pass
    assert enabled.names() == ["inner", "outer", "next"]
    assert milliseconds(enabled.span("outer")) == pytest.approx((0, 15))


def test_the_parent_is_what_was_current_at_the_launch(device, enabled):
    """Though the span is made later."""
    clock = DeviceClock(device.event)
    with (
        trace.get_tracer("t").start_as_current_span("step") as step,
        clock.span("step", "forward"),
    ):
        device.launch(5)
    device.now_ms = 10
    clock.resolve()
    assert enabled.span("forward").parent.span_id == step.get_span_context().span_id


def test_a_group_that_is_thinned_out_meanwhile_loses_nothing(device, enabled, nemo_lens_groups):
    """The step in which the work was launched was a sampled one."""
    clock = DeviceClock(device.event)
    with clock.span("step", "forward"):
        device.launch(5)
    nemo_lens_groups()
    device.now_ms = 10
    clock.resolve()
    assert enabled.names() == ["forward"]


@given(
    st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50), st.booleans()), min_size=1, max_size=30)
)
def test_spans_are_where_the_device_was(nemo_lens_recorder_of, works):
    """For any pauses of the host and lengths of the work, once the device has been idle once."""
    device, recorder = Device(), nemo_lens_recorder_of()
    clock = DeviceClock(device.event)
    wanted = []
    real, device_clock.time.time_ns = device_clock.time.time_ns, device.time_ns
    try:
        for pause_ms, duration_ms, resolve in works:
            device.now_ms += pause_ms
            with clock.span("step", "work"):
                wanted.append((max(device.busy_until_ms, device.now_ms), duration_ms))
                device.launch(duration_ms)
            if resolve:
                clock.resolve()
        device.now_ms += 5000
        clock.resolve()
    finally:
        device_clock.time.time_ns = real
    got = [milliseconds(span) for span in recorder.spans]
    for (start_ms, length_ms), (wanted_ms, duration_ms) in zip(got, wanted, strict=True):
        assert start_ms == pytest.approx(wanted_ms, abs=0.05)
        assert length_ms == pytest.approx(duration_ms, abs=0.05)


@pytest.fixture(scope="module")
def nemo_lens_recorder_of():
    """Return a function that isolates, and gives a fresh recorder with the group on."""
    from contextlib import ExitStack

    from nemo.lens.state import set_enabled_span_groups
    from nemo.lens.testing import RecordingTracerProvider
    from nemo.lens.testing_isolation import isolated

    with ExitStack() as stack:

        def fresh():
            stack.close()
            stack.enter_context(isolated())
            recorder = RecordingTracerProvider()
            trace.set_tracer_provider(recorder)
            set_enabled_span_groups({"step"})
            return recorder

        yield fresh


def test_events_are_used_again(device, enabled):
    """A device event is not free to make."""
    clock = DeviceClock(device.event)
    for _ in range(100):
        with clock.span("step", "forward"):
            device.launch(0.001)
    device.now_ms = 1000
    clock.resolve()
    assert len(enabled.spans) == 100
    assert device.made < 10


def test_a_device_that_never_gets_done_costs_bounded_memory(device, enabled):
    """What is pushed out is counted."""
    clock = DeviceClock(device.event, max_pending=3)
    device.launch(10_000)
    for _ in range(5):
        with clock.span("step", "forward"):
            device.launch(1)
    assert clock.resolve() == 3
    assert discarded()["device span"] == 2


def test_a_broken_device_raises_nothing_here(device, enabled):
    """The job finds out by itself; spans that wait are lost and counted."""
    clock = DeviceClock(device.event)
    with clock.span("step", "forward"):
        device.launch(5)
    device.broken = True
    assert clock.resolve() == 0
    with clock.span("step", "forward"):
        pass
    device.broken = False
    with clock.span("step", "again"):
        device.launch(5)
    device.now_ms = 100
    clock.resolve()
    assert enabled.names() == ["again"]
    assert discarded()["device span"] >= 1


def test_while_the_group_is_off_no_event_is_made(device, nemo_lens_recorder):
    """The gate comes first."""
    clock = DeviceClock(device.event)
    with clock.span("step", "forward"):
        device.launch(5)
    assert (device.made, clock.resolve()) == (0, 0)


def test_work_that_is_only_captured_is_not_measured(device, enabled):
    """Events inside of a CUDA graph cannot be asked."""
    clock = DeviceClock(device.event, is_capturing=lambda: True)
    with clock.span("step", "forward"):
        pass
    assert device.made == 0


def test_without_torch_every_span_is_skipped(enabled, monkeypatch):
    """The same program runs everywhere."""
    monkeypatch.delitem(device_clock.sys.modules, "torch", raising=False)
    clock = cuda_clock()
    with clock.span("step", "forward"):
        pass
    assert (clock.resolve(), enabled.names()) == (0, [])


def test_exceptions_pass_and_the_work_is_measured(device, enabled):
    """What was launched before runs on."""
    clock = DeviceClock(device.event)

    def step():
        with clock.span("step", "forward"):
            device.launch(5)
            raise ValueError("bad batch")

    with pytest.raises(ValueError, match="bad batch"):
        step()
    device.now_ms = 10
    clock.resolve()
    assert enabled.names() == ["forward"]
