# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans and `torch.compile`, with real PyTorch: no graph break, no recompilation, no eager loss.

torch is not in the lock file. Run this in an environment that has it.
"""

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.integration

torch = pytest.importorskip("torch")

import torch._dynamo as dynamo  # noqa: E402
from torch._dynamo.testing import CompileCounter  # noqa: E402

from nemo import lens  # noqa: E402
from nemo.lens.helpers import (  # noqa: E402
    attached_context,
    managed_span,
    mark,
    open_span,
    safe_set_span_attributes,
    span_attributes,
    span_cm,
    trace_fn,
)
from nemo.lens.spans import compiling  # noqa: E402
from nemo.lens.state import is_span_group_enabled  # noqa: E402


def with_managed_span(x):
    """Use the `with` block, its span and safe_set_span_attributes."""
    with managed_span("step", "s", n=1) as span:
        y = torch.sin(x)
        safe_set_span_attributes(span, {"a": 1})
    return y + 1


def with_span_through_the_package(x):
    """Look the helper up in the package at call time, as client code does."""
    with lens.managed_span("step", "s"):
        return x * 2


def with_span_cm(x):
    """Use the ungated context manager."""
    with span_cm("c", x=1):
        return torch.cos(x)


@trace_fn("step", "t")
def decorated(x):
    """Be a decorated function."""
    return torch.sin(x) * 2


def calling_decorated(x):
    """Call a decorated function in the graph."""
    return decorated(x) + 1


def with_scope(x):
    """Set scope attributes."""
    with span_attributes({"a": 1}):
        return x + 1


def with_gate(x):
    """Ask the gate and branch on it."""
    if is_span_group_enabled("step"):
        return x + 1
    return x + 1


def with_the_rest(x):
    """Use handles, marks and attached contexts."""
    handle = open_span("step", "h", n=1)
    mark("step", "m")
    with attached_context({"traceparent": "x"}):
        y = x + 1
    handle.close()
    return y


def with_nested_blocks(x):
    """Nest everything."""
    with managed_span("step", "outer"), span_cm("c"), managed_span("optimizer", "inner"):
        y = decorated(x)
        with span_attributes({"a": 1}), managed_span("step", "innermost"):
            return y.sum()


FUNCTIONS = [
    with_managed_span,
    with_span_through_the_package,
    with_span_cm,
    decorated,
    calling_decorated,
    with_scope,
    with_gate,
    with_the_rest,
    with_nested_blocks,
]


@pytest.fixture
def spans(nemo_lens_recorder):
    """Record spans, and forget what was compiled before."""
    dynamo.reset()
    return nemo_lens_recorder


@pytest.mark.parametrize("groups", [(), ("step",), ("step", "optimizer")])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_one_graph_and_the_same_result(spans, nemo_lens_groups, function, groups):
    """Groups on or off: `fullgraph=True` compiles, without a graph break, and makes no span."""
    nemo_lens_groups(*groups)
    x = torch.ones(3)
    expected = function(x)
    made = len(spans.started)
    assert torch.equal(torch.compile(function, fullgraph=True, backend="eager")(x), expected)
    assert len(spans.started) == made
    dynamo.reset()
    explanation = dynamo.explain(function)(x)
    assert (explanation.graph_count, explanation.graph_break_count) == (1, 0)


@pytest.mark.parametrize("groups", [(), ("step",)])
def test_gradients_flow_through_the_default_compiler_front(spans, nemo_lens_groups, groups):
    """The same under autograd tracing."""
    nemo_lens_groups(*groups)
    x = torch.ones(3, requires_grad=True)
    torch.compile(with_nested_blocks, fullgraph=True, backend="aot_eager")(x).backward()
    compiled = x.grad.clone()
    x.grad = None
    with_nested_blocks(x).backward()
    assert torch.equal(compiled, x.grad)


def test_toggling_groups_works_and_compiles_nothing_again(spans, nemo_lens_groups):
    """As step sampling does between steps."""
    counter = CompileCounter()
    compiled = torch.compile(with_managed_span, fullgraph=True, backend=counter)
    x = torch.ones(3)
    for groups in [(), ("step",), (), ("step", "optimizer"), ("step",)]:
        nemo_lens_groups(*groups)
        compiled(x)
    assert counter.frame_count == 1


def test_toggling_groups_around_a_decorated_function_works(spans, nemo_lens_groups):
    """A decorated function that is compiled itself asks the gate: one graph for each answer."""
    counter = CompileCounter()
    compiled = torch.compile(decorated, fullgraph=True, backend=counter)
    x = torch.ones(3)
    for groups in [(), ("step",), (), ("step",)]:
        nemo_lens_groups(*groups)
        assert torch.equal(compiled(x), torch.sin(x) * 2)
    assert counter.frame_count <= 2


def test_eager_calls_still_make_spans(spans, nemo_lens_groups):
    """Before and after compilation."""
    nemo_lens_groups("step")
    x = torch.ones(3)
    with_managed_span(x)
    torch.compile(with_managed_span, fullgraph=True, backend="eager")(x)
    with_managed_span(x)
    with managed_span("step", "around.the.compiled.call"):
        torch.compile(calling_decorated, fullgraph=True, backend="eager")(x)
    assert spans.names() == ["s", "s", "around.the.compiled.call"]


def test_modules_with_decorated_methods_compile(spans, nemo_lens_groups):
    """The usual place of an instrumented `forward`."""
    nemo_lens_groups("step")

    class Layer(torch.nn.Module):
        @trace_fn("step", "layer.forward")
        def forward(self, x):
            with managed_span("step", "layer.inner"):
                return x * 3

    layer = Layer()
    x = torch.ones(2)
    assert torch.equal(torch.compile(layer, fullgraph=True, backend="eager")(x), x * 3)
    layer(x)
    assert spans.names() == ["layer.inner", "layer.forward"]


def test_wrapping_a_traced_function_again_keeps_the_outer_wrapper_in_the_graph(spans):
    """The compiler's mark is not copied by `functools.wraps` to the wrappers of others."""
    import functools

    @functools.wraps(decorated)
    def doubled(x):
        return decorated(x) * 2

    x = torch.ones(2)
    assert torch.equal(torch.compile(doubled, fullgraph=True, backend="eager")(x), doubled(x))


def test_the_name_that_the_compiler_reads_is_still_its_name():
    """A private name of PyTorch: this fails in the first release that renames it."""

    def replacement():
        return 1

    def function():
        return 2

    setattr(function, compiling._INLINE_ATTRIBUTE, replacement)
    inlined = torch.compile(lambda x: x * function(), fullgraph=True, backend="eager")
    assert torch.equal(inlined(torch.ones(1)), torch.ones(1))


@pytest.mark.parametrize("order", ["torch first", "torch after set-up", "torch after a span"])
def test_torch_may_be_imported_at_any_time(order):
    """Before or after set-up, and after spans were made: nothing of torch is imported by lens."""
    steps = {
        "torch first": ["import torch", "from nemo.lens.helpers import *", "enable()"],
        "torch after set-up": ["from nemo.lens.helpers import *", "enable()", "import torch"],
        "torch after a span": [
            "from nemo.lens.helpers import *",
            "enable()",
            "use()",
            "import torch",
        ],
    }
    program = textwrap.dedent("""
        import sys
        def enable():
            import nemo.lens.state
            nemo.lens.state.set_enabled_span_groups(frozenset({"step"}))
        def use():
            with managed_span("step", "eager"): pass
            assert "torch" not in sys.modules
        STEPS
        from nemo.lens.state import set_enabled_span_groups
        from nemo.lens.testing import RecordingTracerProvider
        from opentelemetry import trace
        recorder = RecordingTracerProvider()
        trace.set_tracer_provider(recorder)
        @trace_fn("step", "inner")
        def inner(x): return x * 2
        def f(x):
            with managed_span("step", "s"):
                return inner(x)
        for group in ("step", "off", "step"):
            set_enabled_span_groups(frozenset({group}))
            assert torch.compile(f, fullgraph=True, backend="eager")(torch.ones(1)) == 2
            torch._dynamo.reset()
            assert torch.compile(inner, fullgraph=True, backend="eager")(torch.ones(1)) == 2
            torch._dynamo.reset()
        assert recorder.started == []
        f(torch.ones(1))
        assert recorder.names() == ["inner", "s"]
    """)
    program = program.replace("STEPS", "\n".join(steps[order]))
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
