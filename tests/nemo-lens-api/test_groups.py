# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`SpanRegistry`: what libraries register, what it refuses, what it warns about."""

from __future__ import annotations

import contextlib
import logging
import sys
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens import span_group_registry, state
from nemo.lens.groups import ALL, SpanRegistry


def warnings_of(caplog) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "nemo.lens.groups"]


def test_names_are_stripped_and_put_into_lower_case():
    """A mixed-case name at registration is normalised; the namespace is used verbatim."""
    SpanRegistry.register(" MyLib ", [" Step ", "LAYER"], {" Default ": ["STEP "]})
    assert SpanRegistry.groups() == {"step", "layer"}
    assert SpanRegistry.namespaces() == [" MyLib "]
    assert SpanRegistry.presets() == {"default": {"step"}, "all": {"step", "layer"}}


def test_a_library_may_register_no_group_and_any_iterable_of_groups():
    """An empty iterable is allowed, and so is a generator."""
    SpanRegistry.register("empty", ())
    SpanRegistry.register("lazy", (name for name in ("a", "b")))
    assert SpanRegistry.groups() == {"a", "b"}
    assert SpanRegistry.namespaces() == ["empty", "lazy"]


@pytest.mark.parametrize(
    ("arguments", "error", "fragment"),
    [
        (("", ["a"]), ValueError, "non-empty string"),
        ((None, ["a"]), ValueError, "non-empty string"),
        (("x", ["a", "  "]), ValueError, "empty group name"),
        (("x", ["All "]), ValueError, "reserved"),
        (("x", ["a"], {"ALL": ["a"]}), ValueError, "reserved"),
        (("x", "step"), TypeError, "collection of names, got 'step'"),
        (("x", ["a"], {"default": "a"}), TypeError, "collection of names, got 'a'"),
        (("x", [1]), TypeError, "must be text"),
        (("x", 7), TypeError, "collection of names, got 7"),
        (("x", ["a"], ["default"]), TypeError, "must be a mapping"),
        (("x", ["a"], {1: ["a"]}), TypeError, "text as keys"),
    ],
)
def test_a_wrong_registration_is_refused_and_leaves_nothing_behind(arguments, error, fragment):
    """Each wrong argument gives the documented error, and commits nothing."""
    with pytest.raises(error, match=fragment):
        SpanRegistry.register(*arguments)
    assert SpanRegistry.namespaces() == []


def test_registering_a_namespace_twice_needs_allow_override():
    """An override replaces the namespace as a whole, presets included."""
    SpanRegistry.register("lib", ["a"], {"default": ["a"]})
    with pytest.raises(ValueError, match=r"already registered.*allow_override=True"):
        SpanRegistry.register("lib", ["b"])
    assert SpanRegistry.groups() == {"a"}
    SpanRegistry.register("lib", ["b"], allow_override=True)
    assert SpanRegistry.groups() == {"b"}
    assert SpanRegistry.presets() == {"all": {"b"}}


def test_unregistering_leaves_groups_that_another_namespace_claims():
    """Group names are shared; only the last owner takes a name with it."""
    SpanRegistry.register("one", ["a", "shared"])
    SpanRegistry.register("two", ["shared"])
    SpanRegistry.unregister("one")
    assert SpanRegistry.groups() == {"shared"}


@pytest.mark.parametrize("namespace", ["nobody", "", None, [], 3])
def test_unregistering_what_is_not_registered_is_refused(namespace):
    """Whatever the argument is, the error says what is registered."""
    SpanRegistry.register("lib", ["a"])
    with pytest.raises(ValueError, match=r"is not registered; registered namespaces: 'lib'"):
        SpanRegistry.unregister(namespace)


def test_a_shared_name_gives_one_warning_per_other_owner(caplog):
    """A collision is no error: both namespaces share the gate, and a warning says so."""
    SpanRegistry.register("one", ["a", "b"])
    SpanRegistry.register("two", ["b"])
    caplog.clear()
    SpanRegistry.register("three", ["b", "a"])
    messages = warnings_of(caplog)
    assert len(messages) == 2
    assert "'three' registered 'a', 'b', which namespace 'one'" in messages[0]
    assert "'three' registered 'b', which namespace 'two'" in messages[1]


def test_an_override_is_silent_about_shared_names(caplog):
    """`allow_override=True` says that the caller knows."""
    SpanRegistry.register("one", ["a"])
    SpanRegistry.register("two", ["a"], allow_override=True)
    assert warnings_of(caplog) == []


def test_the_base_vocabulary_shares_its_names_in_silence(caplog):
    """Neither order of registration warns about the eight base names."""
    from nemo.lens.vocabulary import register_base_vocabulary

    SpanRegistry.register("early", ["step"])
    register_base_vocabulary()
    SpanRegistry.register("late", ["optimizer"])
    assert warnings_of(caplog) == []


def test_a_deferred_preset_member_joins_when_its_owner_registers(caplog):
    """A preset may name what comes later; it warns once and never names the unregistered."""
    SpanRegistry.register("one", ["a"], {"default": ["a", "later"]})
    assert len(warnings_of(caplog)) == 1
    assert "names 'later', which nobody has registered yet" in warnings_of(caplog)[0]
    assert SpanRegistry.presets()["default"] == {"a"}
    SpanRegistry.register("two", ["later"])
    assert SpanRegistry.presets()["default"] == {"a", "later"}
    SpanRegistry.unregister("two")
    assert SpanRegistry.presets()["default"] == {"a"}


def test_on_an_override_the_namespaces_own_earlier_groups_count_as_deferred(caplog):
    """What the namespace gives up is no longer registered."""
    SpanRegistry.register("one", ["old"])
    SpanRegistry.register("one", ["new"], {"default": ["old"]}, allow_override=True)
    assert "names 'old', which nobody has registered yet" in warnings_of(caplog)[0]


def test_presets_of_one_name_are_united_over_namespaces():
    """Every library adds to `default` and to `all`."""
    SpanRegistry.register("one", ["a", "b"], {"default": ["a"]})
    SpanRegistry.register("two", ["c"], {"default": ["c"]})
    assert SpanRegistry.presets() == {"default": {"a", "c"}, ALL: {"a", "b", "c"}}


def test_the_preset_all_exists_on_an_empty_registry():
    """`all` is every registered group, also when there is none."""
    assert SpanRegistry.presets() == {"all": frozenset()}
    assert SpanRegistry.resolve("all") == (frozenset(), frozenset())


@pytest.mark.parametrize(
    ("spec", "enabled", "pending"),
    [
        ("default", {"a"}, set()),
        (" Default ,, B ,b", {"a", "b"}, set()),
        ("", set(), set()),
        (None, set(), set()),
        ("nope, a", {"a"}, {"nope"}),
        ("all,-layer", {"a", "b"}, set()),
        ("-layer,all", {"a", "b"}, set()),
        ("all, - Default", {"b", "layer"}, set()),
        ("all,-nope", {"a", "b", "layer"}, {"-nope"}),
        ("-a", set(), set()),
        ("a,-", {"a"}, {"-"}),
        (["a"], set(), {"['a']"}),
    ],
)
def test_a_spec_resolves_to_enabled_and_pending(spec, enabled, pending):
    """Any case, blanks, duplicates and exclusions in any order; the unknown is pending."""
    SpanRegistry.register("lib", ["a", "b", "layer"], {"default": ["a"]})
    assert SpanRegistry.resolve(spec) == (enabled, pending)


def test_presets_are_looked_at_before_groups():
    """A preset named like a group wins, as for the reference library."""
    SpanRegistry.register("lib", ["x", "y"], {"x": ["y"]})
    assert SpanRegistry.resolve("x") == ({"y"}, frozenset())


def test_registering_after_setup_warns_and_takes_effect(caplog, monkeypatch):
    """The namespace was not selectable when telemetry was set up; its groups work from now on."""
    handle = types.ModuleType("nemo.lens.handle")
    handle._INITIALIZED = True
    monkeypatch.setitem(sys.modules, "nemo.lens.handle", handle)
    state.set_span_group_spec("late")
    SpanRegistry.register("mylib", ["late"])
    assert any("'mylib' was registered after setup_telemetry()" in m for m in warnings_of(caplog))
    assert state.is_span_group_enabled("late")


def test_registering_before_setup_is_silent(caplog):
    """The ordinary case logs nothing."""
    SpanRegistry.register("mylib", ["early"], {"default": ["early"]})
    assert caplog.records == []


def test_nothing_is_logged_under_the_lock(caplog):
    """A log handler in another thread may use the registry while a warning is being logged."""
    import threading

    seen = []

    class Handler(logging.Handler):
        def emit(self, record):
            """Use the registry from a thread that does not own the lock."""
            thread = threading.Thread(target=lambda: seen.append(self.from_another_thread()))
            thread.start()
            thread.join(5)

        def from_another_thread(self):
            """Take every lock that the logging thread must not hold."""
            name = f"from-log-{len(seen)}"
            SpanRegistry.register(name, [])
            state.set_span_group_spec("")
            return name

    handler = Handler()
    logging.getLogger("nemo.lens").addHandler(handler)
    try:
        SpanRegistry.register("one", ["a"], {"p": ["later"]})
        SpanRegistry.register("two", ["a"])
        state.set_span_group_spec("unknown")
    finally:
        logging.getLogger("nemo.lens").removeHandler(handler)
    assert seen == ["from-log-0", "from-log-1", "from-log-2"]


def test_a_picture_of_the_registry_can_be_put_back():
    """`snapshot` and `restore` undo what happened in between, and re-resolve."""
    SpanRegistry.register("lib", ["a"])
    state.set_span_group_spec("all")
    before = span_group_registry.snapshot()
    SpanRegistry.register("more", ["b"])
    assert state.enabled_span_groups() == {"a", "b"}
    span_group_registry.restore(before)
    assert SpanRegistry.namespaces() == ["lib"]
    assert state.enabled_span_groups() == {"a"}


class Hostile(str):
    """A text whose every method misbehaves."""

    __slots__ = ()

    def strip(self, *args):
        """Fail."""
        raise RuntimeError("strip")

    def lower(self):
        """Fail."""
        raise RuntimeError("lower")

    def split(self, *args):
        """Fail."""
        raise RuntimeError("split")

    def __hash__(self):
        raise RuntimeError("hash")

    def __eq__(self, other):
        raise RuntimeError("eq")

    def __str__(self):
        raise RuntimeError("str")

    def __repr__(self):
        raise RuntimeError("repr")


class Liar:
    """An object that lies about its class and fails in everything else."""

    @property
    def __class__(self):
        raise RuntimeError("class")

    def __iter__(self):
        raise RuntimeError("iter")

    def __str__(self):
        raise RuntimeError("str")

    def __repr__(self):
        raise RuntimeError("repr")


names = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["a", "b", "all", "-a", ",", "default", "\ud800"]),
    st.builds(Hostile, st.text(max_size=3)),
)
anything = st.one_of(
    names, st.none(), st.integers(), st.binary(max_size=3), st.builds(Liar), st.builds(object)
)
collections = st.one_of(st.lists(anything, max_size=4), anything)
mappings = st.one_of(
    st.none(), anything, st.dictionaries(st.text(max_size=3), collections, max_size=3)
)


@given(st.lists(st.tuples(anything, collections, mappings, st.booleans()), max_size=4), anything)
def test_arbitrary_registrations_and_specs_raise_only_the_documented_errors(calls, spec):
    """Whatever the names are, only ValueError and TypeError come out, and invariants hold."""
    SpanRegistry.clear()
    for namespace, members, presets, override in calls:
        with contextlib.suppress(ValueError, TypeError):
            SpanRegistry.register(namespace, members, presets, allow_override=override)
    known = SpanRegistry.groups()
    assert all(type(name) is str and name == name.strip().lower() for name in known)
    assert all(members <= known for members in SpanRegistry.presets().values())
    enabled, pending = SpanRegistry.resolve(spec)
    assert enabled <= known
    assert not pending & known
    state.set_span_group_spec(spec)
    assert state.enabled_span_groups() == enabled
    assert state.pending_span_groups() == pending
    SpanRegistry.clear()
