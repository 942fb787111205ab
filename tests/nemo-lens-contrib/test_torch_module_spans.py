# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the fakes have the methods of what they stand for
"""Spans of modules, on a stand-in with the hooks of `torch.nn.Module`."""

import pytest

from nemo.lens.contrib.torch.module_spans import trace_modules


class Hook:
    """Can be removed."""

    def __init__(self, hooks, function):
        self.hooks = hooks
        hooks.append(function)
        self.function = function

    def remove(self):
        self.hooks.remove(self.function)


class Module:
    """Calls its children in order, and its hooks around that."""

    def __init__(self, **children):
        self.children = children
        self.before, self.after = [], []

    def named_modules(self, path=""):
        yield path, self
        for name, child in self.children.items():
            yield from child.named_modules(f"{path}.{name}" if path else name)

    def register_forward_pre_hook(self, hook):
        return Hook(self.before, hook)

    def register_forward_hook(self, hook, *, always_call):
        assert always_call
        return Hook(self.after, hook)

    def __call__(self, x):
        for hook in self.before:
            hook(self, (x,))
        try:
            for child in self.children.values():
                child(x)
            if x is None:
                raise ValueError("bad batch")
        finally:
            for hook in self.after:
                hook(self, (x,), x)


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
    assert model.before == model.after == []


def test_after_an_exception_nothing_stays_open(model, nemo_lens_recorder, nemo_lens_groups):
    """The next pass starts anew."""
    trace_modules(model)
    nemo_lens_groups("layer")
    with pytest.raises(ValueError, match="bad batch"):
        model(None)
    model(1)
    assert nemo_lens_recorder.spans[-1].parent is None
    assert all(span.end_time for span in nemo_lens_recorder.spans)


def test_while_the_group_is_off_nothing_is_recorded(model, nemo_lens_recorder):
    """The hooks do nothing else."""
    trace_modules(model)
    model(1)
    assert nemo_lens_recorder.names() == []
