# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Stages of a pipeline link to where their work came from."""

import sys

import pytest

from nemo.lens import state
from nemo.lens.contrib.torch.pipeline_parallel import pipeline_span, share_pipeline_trace

KEPT = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
SENT = {"traceparent": f"00-{'a' * 32}-{'c' * 16}-01"}


@pytest.mark.parametrize(("carrier", "linked"), [(None, "b"), (SENT, "c")])
def test_a_stage_links_to_the_carrier(carrier, linked, nemo_lens_recorder, nemo_lens_groups):
    """That which came with the work, or else the one that is kept."""
    nemo_lens_groups("communication")
    state.set_pp_trace_carrier(KEPT)
    with pipeline_span("communication", "recv", carrier, microbatch=3):
        pass
    span = nemo_lens_recorder.span("recv")
    assert [link.context.span_id for link in span.links] == [int(linked * 16, 16)]
    assert span.attributes == {"microbatch": 3}


@pytest.mark.parametrize("carrier", [None, {}, {"traceparent": "x"}])
def test_without_a_carrier_there_is_no_link(carrier, nemo_lens_recorder, nemo_lens_groups):
    """The span is there all the same."""
    nemo_lens_groups("communication")
    with pipeline_span("communication", "recv", carrier):
        pass
    assert nemo_lens_recorder.span("recv").links == []


def test_while_the_group_is_off_there_is_no_span(nemo_lens_recorder):
    """And no look at the carrier."""
    with pipeline_span("communication", "recv", SENT) as span:
        assert span is None
    assert nemo_lens_recorder.names() == []


def test_without_torch_nothing_is_shared(monkeypatch):
    """What was kept stays."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    state.set_pp_trace_carrier(KEPT)
    assert share_pipeline_trace(0) is None
    assert state.get_pp_trace_carrier() is KEPT
