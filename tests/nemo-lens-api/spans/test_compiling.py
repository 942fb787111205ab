# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Staying out of compiled regions, as far as that can be said without torch."""

import sys
import types
from unittest import mock

import pytest

from nemo.lens import helpers
from nemo.lens.spans import compiling
from nemo.lens.spans.compiling import SkippedSpan, skip_call, skip_span
from nemo.lens.spans.span_handle import skip_handle


@pytest.fixture(autouse=True)
def unbound(monkeypatch):
    """Begin as a process that has made no span since torch was loaded."""
    monkeypatch.setattr(compiling, "is_compiling", compiling._ask_torch_if_loaded)


def loaded(monkeypatch, torch):
    """Put a module in the place of torch."""
    monkeypatch.setitem(sys.modules, "torch", torch)


def test_without_torch_nothing_is_compiling():
    """And torch is not imported to find out."""
    assert compiling.is_compiling() is False
    compiling.bind_to_torch()
    assert "torch" not in sys.modules


def test_torch_is_asked_directly_from_the_first_question_on(monkeypatch):
    """Whenever it was loaded."""
    asked = mock.Mock(return_value=False)
    loaded(monkeypatch, types.SimpleNamespace(compiler=types.SimpleNamespace(is_compiling=asked)))
    assert compiling.is_compiling() is False
    assert compiling.is_compiling is asked


def test_nothing_is_bound_inside_a_region_that_is_being_compiled(monkeypatch):
    """Changing a module there would be a side effect of the graph."""
    asked = mock.Mock(return_value=True)
    loaded(monkeypatch, types.SimpleNamespace(compiler=types.SimpleNamespace(is_compiling=asked)))
    assert compiling.is_compiling() is True
    assert compiling.is_compiling is compiling._ask_torch_if_loaded


@pytest.mark.parametrize(
    "torch", [types.SimpleNamespace(), types.SimpleNamespace(compiler=None), None]
)
def test_a_torch_that_is_half_way_through_its_import_is_not_compiling(monkeypatch, torch):
    """Another thread may be importing it; an import that failed leaves None."""
    loaded(monkeypatch, torch)
    assert compiling.is_compiling() is False


@pytest.mark.parametrize(
    "use",
    [
        lambda: _entered(helpers.managed_span("step", "a")),
        helpers.trace_fn("step", "a")(int),
        lambda: list(helpers.trace_fn("step", "a")(_generator)()),
        helpers.span_cm("a")(int),
        lambda: helpers.mark("step", "a"),
        lambda: helpers.open_span("step", "a").span,
    ],
)
def test_helpers_make_no_span_while_the_compiler_traces(
    monkeypatch, nemo_lens_recorder, nemo_lens_groups, use
):
    """Also in versions of torch that do not look for a replacement."""
    nemo_lens_groups("step")
    monkeypatch.setattr(compiling, "is_compiling", lambda: True)
    assert not use()
    assert nemo_lens_recorder.started == []


def _entered(manager):
    with manager as span:
        return span


def _generator():
    yield from ()


def test_every_helper_names_what_stands_in_for_it():
    """What the compiler inlines takes any arguments and does nothing."""
    stand_ins = {
        "managed_span": skip_span,
        "span_cm": skip_span,
        "span_attributes": skip_span,
        "attached_context": skip_span,
        "safe_set_span_attributes": skip_call,
        "mark": skip_call,
        "open_span": skip_handle,
    }
    for name, stand_in in stand_ins.items():
        assert vars(getattr(helpers, name)) == {compiling._INLINE_ATTRIBUTE: stand_in}
    with skip_span("step", "a", x=1) as span:
        assert span is None
    assert skip_call(1, a=2) is None
    assert skip_handle("step", "a").span is None
    with pytest.raises(KeyError), SkippedSpan():
        raise KeyError


def test_wrappers_around_user_functions_carry_no_mark():
    """`functools.wraps` of somebody else would copy it and be bypassed."""
    assert compiling._INLINE_ATTRIBUTE not in vars(helpers.trace_fn("step", "a")(lambda: None))
