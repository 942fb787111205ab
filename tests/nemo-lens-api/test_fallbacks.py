# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The no-op helpers: same signatures, no effect, nothing imported."""

from __future__ import annotations

import contextlib
import inspect
import subprocess
import sys
import types

import pytest

from nemo.lens import fallbacks, groups, helpers, state

FIVE = {
    "trace_fn",
    "managed_span",
    "span_cm",
    "is_span_group_enabled",
    "safe_set_span_attributes",
}
REAL = {
    "trace_fn": helpers.trace_fn,
    "managed_span": helpers.managed_span,
    "span_cm": helpers.span_cm,
    "span_attributes": helpers.span_attributes,
    "safe_set_span_attributes": helpers.safe_set_span_attributes,
    "is_span_group_enabled": state.is_span_group_enabled,
}


def shape(function) -> list[tuple[str, object, object]]:
    """Return name, kind and default of every parameter; `redact_keys` may default otherwise."""
    return [
        (p.name, p.kind, "any" if p.name == "redact_keys" else p.default)
        for p in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize("name", sorted(REAL))
def test_each_fallback_has_the_signature_of_the_real_helper(name):
    """Every call that the real one takes is taken, in the same way."""
    assert shape(getattr(fallbacks, name)) == shape(REAL[name])


def public_methods(cls) -> dict[str, object]:
    return {n: getattr(cls, n) for n in dir(cls) if not n.startswith("_")}


def test_the_registry_has_the_methods_of_the_real_one():
    """The same class methods with the same parameters."""
    real, fake = public_methods(groups.SpanRegistry), public_methods(fallbacks.SpanRegistry)
    assert set(fake) == set(real)
    assert {name: shape(method) for name, method in fake.items()} == {
        name: shape(method) for name, method in real.items()
    }


def test_the_module_shows_exactly_the_five_public_callables():
    """Clients compare their vendored copies with `vars(module)`."""
    shown = {n for n, v in vars(fallbacks).items() if callable(v) and not n.startswith("_")}
    assert shown == FIVE
    assert not [n for n, v in vars(fallbacks).items() if isinstance(v, types.ModuleType)]


def test_two_more_are_found_by_name():
    """`SpanRegistry` and `span_attributes` import like the others."""
    from nemo.lens.fallbacks import SpanRegistry, span_attributes

    assert SpanRegistry.__name__ == "SpanRegistry"
    assert span_attributes.__name__ == "span_attributes"
    assert "SpanRegistry" not in vars(fallbacks)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        fallbacks.nonsense  # noqa: B018


def test_nothing_but_the_standard_library_is_imported():
    """The file works where it is alone, as a library's vendored copy."""
    code = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('vendored', {fallbacks.__file__!r})\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "before = set(sys.modules)\n"
        "spec.loader.exec_module(module)\n"
        "with module.managed_span('step', 'x'): pass\n"
        "print({m.split('.')[0] for m in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert out.stdout == "set()\n"


def test_trace_fn_returns_the_function_itself():
    """No wrapper, so no cost at all."""

    def work():
        """Do nothing."""

    assert fallbacks.trace_fn("step", "work")(work) is work
    assert fallbacks.trace_fn("step", "work", tracer=None)(work) is work


@pytest.mark.parametrize(
    "make",
    [
        lambda: fallbacks.managed_span("step", "x", None, k=1),
        lambda: fallbacks.span_cm("x", None, False, k=1),
        lambda: fallbacks.span_attributes({"k": 1}),
    ],
)
def test_context_managers_yield_none_nest_and_let_exceptions_pass(make):
    """They also work in an `ExitStack` and may be entered again."""
    with contextlib.ExitStack() as stack:
        assert stack.enter_context(make()) is None
        with make() as span:
            assert span is None
    error = ValueError("mine")
    reused = make()
    for _ in range(2):
        with pytest.raises(ValueError, match="mine") as got, reused:
            raise error
        assert got.value is error


def test_managed_span_refuses_to_decorate_and_names_trace_fn():
    """The same TypeError as the real helper gives, at decoration time."""
    with pytest.raises(TypeError, match="trace_fn"):

        @fallbacks.managed_span("step", "x")
        def work():
            """Never reached."""


def test_span_attributes_refuses_to_decorate():
    """The real one is no decorator either: code must not work with the fallback alone."""

    def work():
        """Never decorated."""

    for module in (fallbacks, helpers):
        with pytest.raises(TypeError, match="not callable"):
            module.span_attributes({"k": 1})(work)


class _Speechless:
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize("spec", [None, 3, b"step", ["a"], _Speechless()], ids=repr)
def test_resolving_what_is_no_text_never_raises(spec):
    """As in the real registry, which finds none of this registered either."""
    assert fallbacks.SpanRegistry.resolve(spec) == groups.SpanRegistry.resolve(spec)


def test_span_cm_may_decorate():
    """The function comes back unchanged."""

    def work():
        return 3

    assert fallbacks.span_cm("x")(work) is work


def test_the_gate_is_closed_and_attributes_go_nowhere():
    """Both do nothing, whatever they are given."""
    assert fallbacks.is_span_group_enabled("step") is False
    assert fallbacks.safe_set_span_attributes(object(), {"k": object()}) is None
    assert fallbacks.safe_set_span_attributes(None, {}, redact_keys=("k",)) is None


def test_the_registry_accepts_everything_and_holds_nothing():
    """Nothing is validated; a spec is pending as a whole."""
    registry = fallbacks.SpanRegistry
    registry.register("", "all", presets={"all": []}, allow_override=True)
    registry.unregister("nobody")
    registry.clear()
    assert registry.groups() == frozenset()
    assert registry.namespaces() == []
    assert registry.presets() == {"all": frozenset()}
    assert registry.resolve(" Step,,ALL ") == (frozenset(), {"step", "all"})
