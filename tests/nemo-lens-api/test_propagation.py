# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Trace context in and out of carriers."""

import collections
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry import baggage, trace
from opentelemetry.context import Context, get_current

from nemo.lens.helpers import attached_context, managed_span
from nemo.lens.propagation import extract_context, inject_context
from nemo.lens.spans.discards import discarded

TRACE_ID, SPAN_ID = "a" * 32, "b" * 16
TRACEPARENT = f"00-{TRACE_ID}-{SPAN_ID}-01"


def trace_id_of(context):
    """Return the trace id in `context`, or None."""
    span_context = trace.get_current_span(context).get_span_context()
    return f"{span_context.trace_id:032x}" if span_context.is_valid else None


class TestInject:
    """Writing the current context."""

    def test_it_writes_into_any_mutable_mapping(self, nemo_lens_recorder, nemo_lens_groups):
        """Other keys are left alone."""
        nemo_lens_groups("step")
        carrier = collections.UserDict({"x": 1})
        with managed_span("step", "a") as span:
            inject_context(carrier)
        expected = f"00-{span.context.trace_id:032x}-{span.context.span_id:016x}-01"
        assert dict(carrier) == {"x": 1, "traceparent": expected}

    def test_without_a_span_it_adds_nothing(self):
        """There is nothing to say."""
        carrier = {"x": 1}
        inject_context(carrier)
        assert carrier == {"x": 1}

    @pytest.mark.parametrize("carrier", [None, 5, (), collections.abc.Mapping])
    def test_a_carrier_that_cannot_be_written_is_counted(
        self, nemo_lens_recorder, nemo_lens_groups, carrier
    ):
        """The message goes out without a context."""
        nemo_lens_groups("step")
        with managed_span("step", "a"):
            inject_context(carrier)
        assert discarded() == {"context injection": 1}


class TestExtract:
    """Reading a context."""

    @pytest.mark.parametrize("key", ["traceparent", "Traceparent", "TRACEPARENT", b"traceparent"])
    @pytest.mark.parametrize("value", [TRACEPARENT, TRACEPARENT.encode(), [TRACEPARENT]])
    def test_keys_in_any_case_and_values_as_libraries_have_them(self, key, value):
        """Title-cased HTTP headers, bytes, lists."""
        assert trace_id_of(extract_context({key: value})) == TRACE_ID

    def test_a_context_round_trips(self, nemo_lens_recorder, nemo_lens_groups):
        """With its baggage."""
        nemo_lens_groups("step")
        carrier = {}
        with attached_context(baggage.set_baggage("k", "v")), managed_span("step", "a") as span:
            inject_context(carrier)
        context = extract_context(carrier)
        assert trace_id_of(context) == f"{span.context.trace_id:032x}"
        assert baggage.get_baggage("k", context) == "v"

    @pytest.mark.parametrize(
        "carrier",
        [
            None, [], "x", 5, b"x", {}, {"a": 1}, {"traceparent": None}, {"traceparent": 5},
            {"traceparent": []}, {"traceparent": {"a": 1}}, {"traceparent": ""},
            {"traceparent": TRACEPARENT[:-1]}, {"traceparent": "ff" + TRACEPARENT[2:]},
            {"traceparent": TRACEPARENT + "-extra"}, {"traceparent": TRACEPARENT * 1000},
            {"traceparent": f"00-{'0' * 32}-{SPAN_ID}-01"}, {"traceparent": b"\xff\xfe"},
            {5: TRACEPARENT}, {"baggage": 3}, {"baggage": "%%%"},
        ],
    )  # fmt: skip
    def test_garbage_gives_the_current_context(self, carrier):
        """Extraction never raises and never invents."""
        assert extract_context(carrier) is get_current()
        current = extract_context({"traceparent": TRACEPARENT})
        with attached_context(current):
            assert trace_id_of(extract_context(carrier)) == TRACE_ID

    @pytest.mark.parametrize("state", [None, 7, "=", "a=b," * 100, b"a=b"])
    def test_a_bad_trace_state_does_not_hide_the_parent(self, state):
        """The trace goes on."""
        context = extract_context({"traceparent": TRACEPARENT, "tracestate": state})
        assert trace_id_of(context) == TRACE_ID

    def test_the_extracted_context_holds_only_what_came(self):
        """The baggage of the receiving process is not mixed in."""
        with attached_context(baggage.set_baggage("mine", "1", Context())):
            context = extract_context({"traceparent": TRACEPARENT})
        assert baggage.get_all(context) == {}

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.one_of(
            st.dictionaries(
                st.one_of(st.sampled_from(["traceparent", "tracestate", "baggage"]), st.binary()),
                st.one_of(st.none(), st.integers(), st.text(), st.binary(), st.lists(st.text())),
            ),
            st.text(),
            st.lists(st.tuples(st.text(), st.text())),
        )
    )
    def test_no_carrier_raises(self, carrier):
        """Whatever a peer sends."""
        assert isinstance(extract_context(carrier), Context)

    def test_a_carrier_that_raises_gives_the_current_context(self):
        """A mapping of the caller's may fail in any way."""

        class Broken(collections.UserDict):
            def items(self):
                raise OSError

        assert extract_context(Broken(traceparent=TRACEPARENT)) is get_current()


@pytest.mark.parametrize(
    ("propagators", "expected"), [("nonsense", True), ("none", False), ("baggage", False)]
)
def test_otel_propagators_is_honoured_and_garbage_in_it_is_not_fatal(propagators, expected):
    """OpenTelemetry raises at import for an unknown name; here W3C's propagators take over."""
    program = (
        "from nemo.lens.propagation import extract_context, inject_context\n"
        "from opentelemetry.trace import get_current_span\n"
        f"context = extract_context({{'traceparent': {TRACEPARENT!r}}})\n"
        f"assert get_current_span(context).get_span_context().is_valid is {expected}\n"
        "inject_context({})\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={"OTEL_PROPAGATORS": propagators},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert ("OTEL_PROPAGATORS" in result.stderr) is (propagators == "nonsense")
