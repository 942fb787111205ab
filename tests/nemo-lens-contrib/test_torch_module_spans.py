# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the fakes have the methods of what they stand for
"""Spans of modules, on a stand-in for `torch.nn.Module`."""

import copy
import pickle
from abc import ABC
from asyncio import CancelledError

import pytest
from opentelemetry import trace

from nemo.lens.contrib.torch.module_spans import trace_modules
from nemo.lens.spans.discards import discarded


class Module:
    """Calls its children in order."""

    def __init__(self, **children):
        self.children = children

    def named_modules(self, path=""):
        yield path, self
        for name, child in self.children.items():
            yield from child.named_modules(f"{path}.{name}" if path else name)

    def __call__(self, x):
        for child in self.children.values():
            child(x)
        if isinstance(x, BaseException):
            raise x
        return x


@pytest.fixture
def model():
    return Module(encoder=Module(layer=Module()), head=Module())


def test_the_top_is_traced_by_default(model, nemo_lens_recorder, nemo_lens_groups):
    """Children are below the model."""
    trace_modules(model)
    nemo_lens_groups("layer")
    model(1)
    assert nemo_lens_recorder.names() == ["model.encoder", "model.head", "model"]


def test_modules_can_be_selected_by_path_and_object(model, nemo_lens_recorder, nemo_lens_groups):
    """With another group and prefix."""
    trace_modules(
        model, "step", prefix="actor", select=lambda path, _module: path.endswith("layer")
    )
    nemo_lens_groups("step")
    model(1)
    assert nemo_lens_recorder.names() == ["actor.encoder.layer"]


def test_spans_can_be_taken_off(model, nemo_lens_recorder, nemo_lens_groups):
    """Twice is harmless."""
    spans = trace_modules(model)
    nemo_lens_groups("layer")
    spans.remove()
    spans.remove()
    model(1)
    assert nemo_lens_recorder.names() == []
    assert type(model) is type(model.children["head"]) is Module
    assert list(vars(model)) == ["children"]


@pytest.mark.parametrize(
    "error", [ValueError("bad batch"), KeyboardInterrupt(), SystemExit(3), CancelledError()]
)
def test_a_pass_that_fails_is_marked_and_leaves_nothing_open(
    model, nemo_lens_recorder, nemo_lens_groups, error
):
    """Whatever ends it; the next pass starts anew."""
    trace_modules(model)
    nemo_lens_groups("layer")
    with pytest.raises(type(error)):
        model(error)
    assert not trace.get_current_span().get_span_context().is_valid
    assert nemo_lens_recorder.names() == ["model.encoder", "model"]
    for span in nemo_lens_recorder.spans:
        assert span.status.status_code is trace.StatusCode.ERROR
        assert [event.name for event in span.events] == ["exception"]
    model(1)
    assert nemo_lens_recorder.spans[-1].parent is None


def test_a_module_can_be_traced_twice(model, nemo_lens_recorder, nemo_lens_groups):
    """Each with its own handle; the later one is around the earlier one."""
    first = trace_modules(model, select=lambda path, _module: not path)
    second = trace_modules(model, "step", prefix="actor", select=lambda path, _module: not path)
    nemo_lens_groups("layer", "step")
    model(1)
    first.remove()
    model(1)
    second.remove()
    model(1)
    assert nemo_lens_recorder.names() == ["model", "actor", "actor"]


def test_a_module_keeps_its_name_and_what_it_is(model):
    """Libraries choose modules by `isinstance`, and by the name of the class."""
    trace_modules(model)
    kind = type(model)
    assert isinstance(model, Module)
    assert (kind.__name__, kind.__qualname__, kind.__module__) == ("Module", "Module", __name__)
    assert type(model.children["head"]) is kind


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_copies_and_pickles_are_what_they_were_without_spans(model, copied):
    """So that they can be loaded where no NeMo Lens is."""
    before = pickle.dumps(model)
    trace_modules(model)
    assert b"nemo_lens" not in pickle.dumps(model).replace(__name__.encode(), b"")
    other = copied(model)
    assert type(other) is Module
    assert other(5) == 5
    trace_modules(model).remove()
    assert pickle.dumps(pickle.loads(before)) == before


class Sealed(Module):
    """Cannot get another class."""

    def __init_subclass__(cls):
        raise TypeError("final")


class Meta(type):
    """Has its own idea of classes, as that of TorchScript."""


class Compiled(Module, metaclass=Meta):
    """Is better left alone."""


class Abstract(Module, ABC):
    """Is an ordinary module."""


def test_a_module_that_cannot_be_traced_stays_as_it_is(nemo_lens_recorder, nemo_lens_groups):
    """It is counted; the others are traced."""
    model = Module(sealed=Sealed(), compiled=Compiled(), abstract=Abstract())
    trace_modules(model)
    nemo_lens_groups("layer")
    assert model(1) == 1
    assert nemo_lens_recorder.names() == ["model.abstract", "model"]
    assert discarded()["traced module"] == 2


def test_while_the_group_is_off_nothing_is_recorded(model, nemo_lens_recorder):
    """The pass is as it was."""
    trace_modules(model)
    model(1)
    assert nemo_lens_recorder.names() == []
