# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The gate and what decides which groups are on."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens import state
from nemo.lens.groups import SpanRegistry
from nemo.lens.vocabulary import BASE_DEFAULT_GROUPS


@pytest.fixture
def library():
    """One registered library with a default preset."""
    SpanRegistry.register(
        "lib", ["job", "step", "layer", "evaluate"], {"default": ["job", "evaluate"]}
    )


def warnings_of(caplog) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "nemo.lens.state"]


def test_the_gate_is_closed_at_first():
    """Nothing is on before somebody enables it."""
    assert not state.is_span_group_enabled("step")
    assert state.enabled_span_groups() == frozenset()
    assert state.pending_span_groups() == frozenset()


def test_the_gate_is_one_membership_test_without_normalisation():
    """The answer is about the exact name; other spellings are never on."""
    state.set_enabled_span_groups(frozenset({"step"}))
    assert state.is_span_group_enabled("step")
    for other in ("Step", " step", "st", "", "steps"):
        assert not state.is_span_group_enabled(other)
    assert state.is_span_group_enabled.__module__ == "nemo.lens.state"


def test_the_pinned_set_is_a_copy_of_any_iterable():
    """A later change of the caller's set has no effect."""
    mine = {"step"}
    state.set_enabled_span_groups(mine)
    mine.add("job")
    assert state.enabled_span_groups() == {"step"}
    state.set_enabled_span_groups(name for name in ("a", "b"))
    assert state.enabled_span_groups() == {"a", "b"}


@pytest.mark.parametrize(("wrong", "shown"), [("steps", "'steps'"), (7, "7"), ([[]], "list")])
def test_a_pinned_set_must_be_a_collection_of_names(wrong, shown):
    """A single text would enable its letters; it is refused, and what was on stays on."""
    state.set_enabled_span_groups(frozenset({"job"}))
    with pytest.raises(TypeError, match=f"`groups` must be a collection of names.*{shown}"):
        state.set_enabled_span_groups(wrong)
    assert state.enabled_span_groups() == {"job"}


class Unpredictable:
    """A collection that misbehaves in the way it is told to."""

    def __init__(self, error):
        self.error = error

    def __iter__(self):
        raise self.error


@given(
    st.one_of(
        st.builds(Unpredictable, st.sampled_from([ValueError("v"), KeyError("k"), OSError("o")])),
        st.text(),
        st.none(),
        st.integers(),
        st.lists(st.one_of(st.text(), st.none(), st.lists(st.text(), max_size=1)), max_size=4),
        st.dictionaries(st.text(), st.none(), max_size=3),
    )
)
def test_pinning_anything_pins_its_elements_or_is_a_type_error(groups):
    """Whatever is given, the only error is TypeError, and then nothing changes."""
    state.set_enabled_span_groups(frozenset({"before"}))
    try:
        state.set_enabled_span_groups(groups)
    except TypeError:
        assert state.enabled_span_groups() == {"before"}
    else:
        assert state.enabled_span_groups() == frozenset(groups)


def test_a_spec_follows_what_libraries_register(library):
    """`all` grows and shrinks with the registry."""
    state.set_span_group_spec("all,-layer")
    assert state.enabled_span_groups() == {"job", "step", "evaluate"}
    SpanRegistry.register("other", ["rollout"])
    assert state.is_span_group_enabled("rollout")
    SpanRegistry.unregister("other")
    assert not state.is_span_group_enabled("rollout")


def test_the_last_writer_wins(library):
    """A pinned set stops following the registry, a spec starts it again."""
    state.set_span_group_spec("all, later")
    state.set_enabled_span_groups(frozenset({"step"}))
    assert state.pending_span_groups() == frozenset()
    SpanRegistry.register("other", ["later"])
    assert state.enabled_span_groups() == {"step"}
    state.set_span_group_spec("later")
    assert state.enabled_span_groups() == {"later"}


def test_a_second_librarys_spec_is_added(library):
    """Added specs keep their own exclusions, and all of them follow the registry."""
    state.set_span_group_spec("all,-layer,-step")
    state.add_span_group_spec("default,layer,later")
    assert state.enabled_span_groups() == {"job", "evaluate", "layer"}
    assert state.pending_span_groups() == {"later"}
    SpanRegistry.register("other", ["later"])
    assert state.enabled_span_groups() == {"job", "evaluate", "layer", "later"}


def test_a_spec_may_be_added_to_a_pinned_set(library):
    """What was pinned stays on beside what the spec selects."""
    state.set_enabled_span_groups(frozenset({"mine"}))
    state.add_span_group_spec("step")
    assert state.enabled_span_groups() == {"mine", "step"}


def test_an_empty_registry_is_reported_also_for_all(caplog):
    """The most common mistake has its own message."""
    state.set_span_group_spec("all")
    assert len(warnings_of(caplog)) == 1
    assert "no library has registered any span groups" in warnings_of(caplog)[0]


def test_unknown_names_are_pending_and_reported_with_what_there_is(library, caplog):
    """The warning lists the registered groups, presets and namespaces."""
    state.set_span_group_spec("step,Stpe")
    assert state.pending_span_groups() == {"stpe"}
    (message,) = warnings_of(caplog)
    assert "no library registered in this process provides 'stpe'" in message
    assert "Registered groups: 'evaluate', 'job', 'layer', 'step'" in message
    assert "presets: 'all', 'default'" in message
    assert "namespaces: 'lib'" in message


def test_a_spec_that_selects_nothing_is_reported(library, caplog):
    """Only exclusions select nothing."""
    state.set_span_group_spec("-layer")
    (message,) = warnings_of(caplog)
    assert "resolved to no span groups" in message


@pytest.mark.parametrize("blank", ["", " ", " , ", None])
def test_a_blank_spec_is_silent(library, caplog, blank):
    """Nothing was asked for, nothing is missing."""
    state.set_span_group_spec(blank)
    assert state.enabled_span_groups() == frozenset()
    assert warnings_of(caplog) == []


def test_setting_a_spec_always_reports_and_refreshing_only_on_change(caplog):
    """A registration that changes nothing about the warning does not repeat it."""
    state.set_span_group_spec("a,b")
    state.set_span_group_spec("a,b")
    assert len(warnings_of(caplog)) == 2
    SpanRegistry.register("one", ["a"])
    assert len(warnings_of(caplog)) == 3
    SpanRegistry.register("two", ["c"])
    state.refresh_enabled_span_groups()
    assert len(warnings_of(caplog)) == 3
    SpanRegistry.register("three", ["b"])
    assert len(warnings_of(caplog)) == 3
    SpanRegistry.clear()
    assert len(warnings_of(caplog)) == 4


def test_on_steps_that_are_not_sampled_only_default_groups_stay_on(library):
    """Step sampling exchanges the gate's set between steps."""
    state.set_span_group_spec("all")
    state.set_step_sampling(10)
    assert state.is_span_group_enabled("step")
    on = {}
    for step in range(21):
        state.set_step(step)
        on[step] = state.is_span_group_enabled("step"), state.is_span_group_enabled("job")
    assert [step for step in on if on[step][0]] == [0, 10, 20]
    assert all(job for _, job in on.values())
    state.set_step(11)
    assert state.enabled_span_groups() == {"job", "step", "layer", "evaluate"}


def test_between_sampled_steps_the_gates_set_is_prebuilt(library):
    """The two sets are made once, not at every step."""
    state.set_span_group_spec("all")
    state.set_step_sampling(2)
    sets = set()
    for step in range(6):
        state.set_step(step)
        sets.add(id(state._enabled))
    assert len(sets) == 2


def test_only_enabled_groups_stay_on_between_sampled_steps(library):
    """A default group that nobody enabled is not opened by sampling."""
    state.set_enabled_span_groups(frozenset({"step", "evaluate"}))
    state.set_step_sampling(2)
    state.set_step(1)
    assert state._enabled == {"evaluate"}


def test_without_a_registered_default_the_base_default_stays_on():
    """Pinned groups in a process without a registry are thinned out by the base preset."""
    state.set_enabled_span_groups(frozenset({"step", "job"}))
    state.set_step_sampling(2)
    state.set_step(1)
    assert state._enabled == {"job"}


def test_sampling_never_reopens_a_closed_gate(library):
    """After shutdown pins the empty set, steps go by without opening anything."""
    state.set_span_group_spec("all")
    state.set_step_sampling(3)
    state.set_enabled_span_groups(frozenset())
    for step in range(4):
        state.set_step(step)
        SpanRegistry.register(f"late-{step}", ["step"], allow_override=True)
        assert state._enabled == frozenset()


def test_turning_sampling_off_opens_the_gate_at_once(library):
    """The interval takes effect for the step that is running."""
    state.set_span_group_spec("all")
    state.set_step_sampling(5)
    state.set_step(3)
    assert not state.is_span_group_enabled("step")
    state.set_step_sampling(1)
    assert state.is_span_group_enabled("step")


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True, None])
def test_the_sampling_interval_is_a_whole_number_of_at_least_one(wrong):
    """A programmer's error is named."""
    with pytest.raises(ValueError, match=r"`every` must be a whole number of at least 1, got"):
        state.set_step_sampling(wrong)


def test_the_step_is_known_until_it_is_forgotten():
    """`None` stands for no step."""
    assert state.current_step() is None
    state.set_step(7)
    assert state.current_step() == 7
    state.set_step(None)
    assert state.current_step() is None


def test_a_numpy_step_becomes_an_int():
    """Whatever has `__index__` is a step number."""
    numpy = pytest.importorskip("numpy")
    state.set_step(numpy.int64(12))
    assert type(state.current_step()) is int
    assert state.current_step() == 12


def test_a_step_that_is_no_number_is_ignored_with_one_warning(caplog):
    """Telemetry does not stop a step, and does not repeat itself."""

    class Odd:
        def __index__(self):
            raise RuntimeError("hostile")

    state.set_step(3)
    for wrong in ("4", 1.5, Odd(), object()):
        state.set_step(wrong)
    assert state.current_step() == 3
    (message,) = warnings_of(caplog)
    assert "needs a whole number, got '4'" in message


def test_the_carrier_is_kept_as_it_is():
    """One process-wide place, no copy."""
    assert state.get_pp_trace_carrier() is None
    carrier = {"traceparent": "00-1-2-01"}
    state.set_pp_trace_carrier(carrier)
    assert state.get_pp_trace_carrier() is carrier
    state.set_pp_trace_carrier(None)
    assert state.get_pp_trace_carrier() is None


def test_threads_that_register_enable_and_step_end_in_a_consistent_state():
    """The gate's set is always the one that belongs to the last choice."""
    SpanRegistry.register("lib", ["a", "b"], {"default": ["a"]})
    state.set_step_sampling(2)

    def work(number):
        for turn in range(50):
            name = f"t{number}-{turn}"
            SpanRegistry.register(name, [name])
            state.set_step(turn)
            state.set_span_group_spec("all")
            SpanRegistry.unregister(name)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state.set_step(0)
    assert SpanRegistry.namespaces() == ["lib"]
    assert state._enabled == state.enabled_span_groups() == {"a", "b"}


@given(st.lists(st.sampled_from(["pin", "spec", "step", "register", "unregister"]), max_size=8))
def test_after_any_history_the_gate_is_the_choice_or_its_default_part(history):
    """Whatever was called before, the gate never shows more than was chosen."""
    SpanRegistry.clear()
    state.set_enabled_span_groups(())
    state.set_step_sampling(2)
    state.set_step(None)
    for turn, action in enumerate(history):
        if action == "pin":
            state.set_enabled_span_groups({f"p{turn}", "a"})
        elif action == "spec":
            state.set_span_group_spec("all")
        elif action == "step":
            state.set_step(turn)
        elif action == "register":
            SpanRegistry.register("x", ["a", "b"], {"default": ["a"]}, allow_override=True)
        elif "x" in SpanRegistry.namespaces():
            SpanRegistry.unregister("x")
        sampled = (state.current_step() or 0) % 2 == 0
        chosen = state.enabled_span_groups()
        default = SpanRegistry.presets().get("default", BASE_DEFAULT_GROUPS)
        assert state._enabled == (chosen if sampled else chosen & default)
