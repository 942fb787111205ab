# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans with times that were measured elsewhere, and when this process was created."""

import decimal
import os
import subprocess
import sys
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.context import Context

from nemo.lens import span_utilities
from nemo.lens.span_utilities import emit_span, linux_process_create_time
from nemo.lens.spans.discards import discarded
from nemo.lens.spans.span_names import group_of

LATEST = 2**64 - 1
"""The last nanosecond that OTLP has room for."""


class TestEmitSpan:
    """Finished spans."""

    def test_the_times_are_kept_exactly(self, nemo_lens_recorder):
        """Text and Decimal to the nanosecond, numbers as far as they reach."""
        emit_span(None, "text", "1700000000.123456789", Decimal("1700000001.000000001"))
        emit_span(None, "numbers", 1, 2.5)
        text, numbers = nemo_lens_recorder.spans
        assert (text.start_time, text.end_time) == (1700000000123456789, 1700000001000000001)
        assert (numbers.start_time, numbers.end_time) == (10**9, 25 * 10**8)
        assert text.instrumentation_scope.name == "nemo.lens"

    def test_it_returns_the_ended_span_and_never_makes_it_current(self, nemo_lens_recorder):
        """It can be the parent of others."""
        parent = emit_span(nemo_lens_recorder.get_tracer("mine"), "parent", 1, 9)
        assert not parent.is_recording()
        assert trace.get_current_span() is trace.INVALID_SPAN
        child = emit_span(None, "child", 2, 3, context=trace.set_span_in_context(parent))
        assert child.parent == parent.context

    def test_the_parent_is_the_current_span_unless_a_context_is_given(self, nemo_lens_recorder):
        """An empty Context makes a root."""
        with nemo_lens_recorder.get_tracer("t").start_as_current_span("current") as current:
            assert emit_span(None, "child", 1, 2).parent == current.context
            assert emit_span(None, "root", 1, 2, context=Context()).parent is None

    def test_a_group_that_is_off_is_looked_at_before_anything_else(
        self, nemo_lens_recorder, nemo_lens_groups
    ):
        """Not even the times are."""
        nemo_lens_groups("step")
        assert emit_span(None, "a", "no number", None, group="optimizer") is None
        assert emit_span(None, "b", 1, 2, group="step") is not None
        assert (nemo_lens_recorder.names(), group_of("b")) == (["b"], "step")

    def test_attributes_are_cleaned_and_the_callers_mapping_is_not_changed(
        self, nemo_lens_recorder
    ):
        """As for every helper."""
        attributes = {"prompt": "p", "bad": object(), "name": "n"}
        span = emit_span(None, "a", 2, 1, attributes=attributes)
        assert span.attributes["prompt"] == "[REDACTED]"
        assert span.attributes["name"] == "n"
        assert sorted(attributes) == ["bad", "name", "prompt"]

    def test_an_end_before_the_start_is_clamped_and_told(self, nemo_lens_recorder, caplog):
        """One WARNING, and attributes with what was given."""
        span = emit_span(
            None, "skewed", "5.000000001", "5", attributes={"inverted.skew": "mine", "x": 1}
        )
        assert span.start_time == span.end_time == 5000000001
        assert span.attributes == {
            "x": 1,
            "inverted.skew": True,
            "inverted.start_epoch_seconds": "5.000000001",
            "inverted.end_epoch_seconds": "5",
            "inverted.delta_seconds": "1E-9",
        }
        (record,) = caplog.records
        assert record.name == "nemo.lens.span_utilities"
        for fragment in (
            "possible clock skew",
            "clamping end to start (zero duration)",
            "'skewed'",
        ):
            assert fragment in record.getMessage()

    @pytest.mark.parametrize("bad", ["nan", float("inf"), "-Infinity", "x", None, "", b"1"])
    def test_times_that_are_no_finite_number_are_refused(self, nemo_lens_recorder, bad):
        """The error names the argument and the value."""
        with pytest.raises(ValueError, match="start_epoch_seconds must be finite") as caught:
            emit_span(None, "a", bad, 1)
        assert repr(bad) in str(caught.value)
        with pytest.raises(ValueError, match="end_epoch_seconds must be finite"):
            emit_span(None, "a", 1, bad)
        assert nemo_lens_recorder.started == []

    @pytest.mark.parametrize(
        ("start", "end", "start_time", "end_time"),
        [
            (-5, -4, 0, 0),
            (-1, 2, 0, 2 * 10**9),
            ("1e30", "1e31", LATEST, LATEST),
            ("1e999999999", "1e999999999", LATEST, LATEST),
            (1, "18446744073.709551616", 10**9, LATEST),
        ],
    )
    def test_times_that_no_exporter_takes_are_clamped_and_counted(
        self, nemo_lens_recorder, start, end, start_time, end_time
    ):
        """One such span would lose its whole batch."""
        span = emit_span(None, "odd", start, end)
        assert (span.start_time, span.end_time) == (start_time, end_time)
        assert set(discarded()) == {"time out of range"}

    def test_the_callers_decimal_context_does_not_matter(self, nemo_lens_recorder):
        """Neither its precision nor what it traps."""
        with decimal.localcontext() as context:
            context.prec = 6
            context.traps[decimal.Inexact] = True
            span = emit_span(None, "exact", "1700000000.123456789", "1700000001.5")
            with pytest.raises(ValueError, match="must be finite"):
                emit_span(None, "no number", "x", 1)
        assert (span.start_time, span.end_time) == (1700000000123456789, 1700000001500000000)

    def test_hostile_objects_lose_themselves_only(self, nemo_lens_recorder):
        """A time that cannot be read is a bad value; attributes that cannot are counted."""

        class Hostile(dict):
            def refuse(self, *_args):
                raise RuntimeError("hostile")

            __str__ = __repr__ = __bool__ = __iter__ = keys = items = refuse

        with pytest.raises(ValueError, match=r"start_epoch_seconds must be finite.*Hostile"):
            emit_span(None, "a", Hostile(), 1)
        for attributes in (Hostile(a=1), [1], 5):
            assert emit_span(None, "a", 1, 2, attributes=attributes).attributes == {}
        assert emit_span(None, Hostile(), 2, 1).end_time == 2 * 10**9
        assert emit_span(None, "a", 1, 2, context="garbage").start_time == 10**9

    @given(start=st.decimals(0, 10**10, places=9), length=st.decimals(0, 10**9, places=9))
    def test_every_decimal_time_is_exact(self, start, length):
        """Nanoseconds are the truncated product."""
        from nemo.lens.testing import RecordingTracerProvider

        tracer = RecordingTracerProvider().get_tracer("t")
        span = emit_span(tracer, "a", str(start), str(start + length))
        assert span.end_time - span.start_time == int(length * 10**9)


class TestProcessCreateTime:
    """From `/proc`."""

    def test_it_is_when_a_child_was_started(self):
        """Of a real process, to the resolution of the clock tick."""
        before = time.time()
        program = (
            "from nemo.lens.span_utilities import linux_process_create_time as created\n"
            "print(created())"
        )
        output = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout
        assert before - 0.1 <= float(output) <= time.time()

    def test_the_command_may_contain_anything(self):
        """Spaces and parentheses in the name of the program."""
        fields = " ".join(["S", *["0"] * 18, "250", "0", "0"])
        created = linux_process_create_time(
            stat_text=f"12 (a ) (b) {fields}",
            uptime_text="100.5 3.2",
            read_time=1000.0,
            clock_ticks_per_second=100,
        )
        assert created == 1000.0 - (100.5 - 2.5)

    @pytest.mark.parametrize(
        ("stat", "uptime", "ticks"),
        [
            ("", "1 1", 100),
            ("1 (a) S 0", "1 1", 100),
            ("1 (a) S " + "0 " * 18 + "x", "1 1", 100),
            ("1 (a) S " + "0 " * 20, "", 100),
            ("1 (a) S " + "0 " * 20, "x", 100),
            ("1 (a) S " + "0 " * 20, "1 1", 0),
            ("1 (a) S " + "0 " * 20, "nan 1", 100),
            ("1 (a) S " + "0 " * 20, "inf 1", 100),
            ("1 (a) S " + "0 " * 18 + "9" * 400, "1 1", 100),
            ("1 (a) S " + "0 " * 18 + "9" * 5000, "1 1", 100),
        ],
    )
    def test_malformed_data_is_refused(self, stat, uptime, ticks):
        """As a ValueError with the agreed text."""
        with pytest.raises(ValueError, match="Malformed Linux process stat or uptime data"):
            linux_process_create_time(
                stat_text=stat, uptime_text=uptime, clock_ticks_per_second=ticks
            )

    def test_unreadable_files_are_a_runtime_error(self, tmp_path):
        """Outside Linux, or with /proc hidden."""
        with pytest.raises(RuntimeError, match="requires readable process stat and uptime data"):
            linux_process_create_time(stat_path=str(tmp_path / "missing"))
        (tmp_path / "binary").write_bytes(b"\xff")
        with pytest.raises(RuntimeError, match="requires readable"):
            linux_process_create_time(uptime_path=os.fspath(tmp_path / "binary"))


def test_clients_find_both_functions_in_the_module():
    """They look them up there, and patch them there."""
    assert sorted(span_utilities.__all__) == ["emit_span", "linux_process_create_time"]
