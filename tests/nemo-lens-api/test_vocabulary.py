# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`SpanGroup`: the shape of 0.2, strict resolving, and registration as a namespace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens import groups, state
from nemo.lens.groups import SpanRegistry
from nemo.lens.vocabulary import SpanGroup, register_base_vocabulary, register_vocabulary

BASE = {
    "job",
    "checkpoint",
    "evaluate",
    "model_init",
    "load_checkpoint",
    "step",
    "forward_backward",
    "optimizer",
}


class RolloutGroup(SpanGroup):
    """A library's own vocabulary, as the documentation shows it."""

    ROLLOUT = "rollout"
    ALL_GROUPS = SpanGroup.ALL_GROUPS | {ROLLOUT}
    _PRESETS = {"default": frozenset({ROLLOUT}), "all": ALL_GROUPS}  # noqa: RUF012


class RewardGroup(SpanGroup):
    """A second library in the process."""

    REWARD = "Reward"
    ALL_GROUPS = SpanGroup.ALL_GROUPS | {REWARD}
    _PRESETS = {**SpanGroup._PRESETS, "default": frozenset({"reward", "job"})}  # noqa: RUF012


def name_of(cls) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def test_the_base_vocabulary_has_exactly_the_shape_of_the_contract():
    """Eight constants, their set, and three presets."""
    constants = {
        name: value for name, value in vars(SpanGroup).items() if name.isupper() and name[0] != "_"
    }
    assert constants.pop("ALL_GROUPS") == SpanGroup.ALL_GROUPS == BASE
    assert constants == {name.upper(): name for name in BASE}
    assert type(SpanGroup.ALL_GROUPS) is frozenset
    assert set(SpanGroup._PRESETS) == {"default", "per_step", "all"}
    assert SpanGroup._PRESETS["per_step"] == SpanGroup._PRESETS["all"] == BASE


def test_the_default_preset_is_pinned():
    """Adding to a default needs a written reason; this test is where it is asked for."""
    assert SpanGroup._PRESETS["default"] == {"job", "checkpoint", "evaluate"}
    assert SpanGroup.resolve("default") == {"job", "checkpoint", "evaluate"}


def test_span_group_is_one_object_everywhere():
    """`nemo.lens.groups` and the front hand out the same class."""
    import nemo.lens

    assert groups.SpanGroup is nemo.lens.SpanGroup is SpanGroup


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", frozenset()),
        ("  ", frozenset()),
        (" Step , JOB,,step,", {"step", "job"}),
        ("PER_STEP", BASE),
        ("all", BASE),
        ("all,-Optimizer", BASE - {"optimizer"}),
        ("default,step", {"job", "checkpoint", "evaluate", "step"}),
    ],
)
def test_resolve_ignores_case_and_blanks(spec, expected):
    """The strict resolver reads the same language as the registry."""
    resolved = SpanGroup.resolve(spec)
    assert type(resolved) is frozenset
    assert resolved == expected


def test_resolve_refuses_unknown_names_and_lists_what_there_is():
    """The error names what was got and everything that is accepted, of the subclass too."""
    with pytest.raises(ValueError, match=r"Unknown span group or preset: 'layer', 'stpe'") as got:
        SpanGroup.resolve("step,stpe,layer")
    assert all(repr(name) in str(got.value) for name in (*BASE, "default", "per_step", "all"))
    with pytest.raises(ValueError, match=r"Unknown span group or preset: 'per_step'") as got:
        RolloutGroup.resolve("per_step")
    assert "RolloutGroup" in str(got.value)
    assert "'rollout'" in str(got.value)


def test_a_subclass_overrides_presets_wholesale():
    """Its own groups and its own presets, nothing of the base beside them."""
    assert RolloutGroup.resolve("default") == {"rollout"}
    assert RolloutGroup.resolve("all") == BASE | {"rollout"}
    assert RewardGroup.resolve("REWARD") == {"reward"}


def test_importing_registers_nothing():
    """Neither `SpanGroup` nor a subclass registers by being defined."""
    assert SpanRegistry.namespaces() == []


def test_resolving_the_base_class_registers_the_base_vocabulary():
    """`SpanGroup` used directly means a process in which the base names exist."""
    RolloutGroup.resolve("all")
    assert SpanRegistry.namespaces() == []
    SpanGroup.resolve("step")
    assert SpanRegistry.namespaces() == ["nemo.lens"]


def test_the_base_vocabulary_registers_once_and_silently(caplog):
    """Repeating it changes nothing and says nothing."""
    SpanRegistry.register("early", ["step"])
    register_base_vocabulary()
    register_base_vocabulary()
    assert SpanRegistry.namespaces() == ["early", "nemo.lens"]
    assert SpanRegistry.presets()["per_step"] == BASE
    assert caplog.records == []


def test_a_subclass_is_its_own_namespace_without_the_base_beside_it():
    """All its groups and its own presets."""
    register_vocabulary(RolloutGroup)
    assert SpanRegistry.namespaces() == [name_of(RolloutGroup)]
    assert SpanRegistry.groups() == BASE | {"rollout"}
    assert SpanRegistry.presets() == {"default": {"rollout"}, "all": BASE | {"rollout"}}


def test_two_vocabularies_are_united_without_a_warning(caplog):
    """Inherited names are shared in silence; the enabled set is the union."""
    register_vocabulary(RolloutGroup)
    register_vocabulary(RewardGroup)
    state.set_span_group_spec("default")
    assert state.enabled_span_groups() == {"rollout", "reward", "job"}
    assert caplog.records == []


def test_names_of_their_own_that_two_vocabularies_share_are_reported(caplog):
    """Only names that nobody inherited are a collision."""

    class Other(SpanGroup):
        ALL_GROUPS = SpanGroup.ALL_GROUPS | {"rollout"}

    register_vocabulary(RolloutGroup)
    register_vocabulary(Other)
    (record,) = caplog.records
    assert "registered 'rollout', which namespace" in record.getMessage()


def test_a_library_may_register_names_that_a_vocabulary_inherited(caplog):
    """Sharing base names is what they are for, whichever way a library registers."""
    register_vocabulary(RolloutGroup)
    SpanRegistry.register("newer", ["step", "optimizer"])
    assert caplog.records == []
    SpanRegistry.register("other", ["rollout"])
    (record,) = caplog.records
    assert f"which namespace '{name_of(RolloutGroup)}' has registered too" in record.getMessage()


def test_a_class_of_a_module_imported_again_replaces_the_earlier_one():
    """The namespace is the class's full name, so a new version takes the place of the old."""

    def define(group):
        return type("Again", (SpanGroup,), {"ALL_GROUPS": frozenset({group}), "_PRESETS": {}})

    register_vocabulary(define("old"))
    register_vocabulary(define("new"))
    assert SpanRegistry.groups() == {"new"}


def test_preset_members_outside_all_groups_are_groups_too():
    """A class that lists a name only in a preset could enable it in 0.2, and still can."""

    class Loose(SpanGroup):
        ALL_GROUPS = frozenset({"a"})
        _PRESETS = {"default": frozenset({"b"}), "all": frozenset({"c"})}  # noqa: RUF012

    assert Loose.resolve("default") == {"b"}
    assert Loose.resolve("all") == {"a", "b", "c"}
    register_vocabulary(Loose)
    assert SpanRegistry.groups() == {"a", "b", "c"}


def test_registration_takes_effect_at_once():
    """A stored spec is resolved again."""
    state.set_span_group_spec("rollout")
    register_vocabulary(RolloutGroup)
    assert state.is_span_group_enabled("rollout")


odd_names = st.one_of(
    st.text(max_size=4), st.integers(), st.none(), st.sampled_from(["all", " All", "", "a,b"])
)


@given(
    st.one_of(st.none(), st.integers(), st.frozensets(odd_names, max_size=4)),
    st.one_of(st.none(), st.dictionaries(odd_names, st.lists(odd_names, max_size=3), max_size=3)),
    st.text(max_size=8),
)
def test_registering_a_class_never_raises_whatever_it_declares(all_groups, presets, spec):
    """A misshapen class loses what cannot be a group name; resolving raises only ValueError."""
    cls = type("Odd", (SpanGroup,), {"ALL_GROUPS": all_groups, "_PRESETS": presets})
    register_vocabulary(cls)
    assert "" not in SpanRegistry.groups()
    assert "all" not in SpanRegistry.groups()
    try:
        assert cls.resolve(spec) <= SpanRegistry.groups()
    except ValueError as error:
        assert "Unknown span group or preset" in str(error)  # noqa: PT017
    SpanRegistry.clear()


@pytest.mark.parametrize("thing", [None, 7, "step", object(), lambda: None])
def test_registering_what_is_no_class_at_all_does_not_raise(thing):
    """A wrong argument of set-up must not stop a job here; it simply brings no group."""
    register_vocabulary(thing)
    assert SpanRegistry.groups() == frozenset()


def test_a_metaclass_that_raises_does_not_stop_the_registration():
    """What cannot be read counts as not declared."""

    class Meta(type):
        @property
        def ALL_GROUPS(cls):  # noqa: N802
            raise RuntimeError("hostile")

    register_vocabulary(Meta("Hostile", (), {"_PRESETS": {"default": ["mine"]}}))
    assert SpanRegistry.groups() == {"mine"}


def test_a_class_that_merely_looks_like_a_vocabulary_is_registered():
    """A client's vendored mirror has the shape without the base class."""

    class Mirror:
        ALL_GROUPS = frozenset({"step", "mine"})
        _PRESETS = {"default": frozenset({"mine"})}  # noqa: RUF012

    register_vocabulary(Mirror)
    assert SpanRegistry.presets() == {"default": {"mine"}, "all": {"mine", "step"}}
