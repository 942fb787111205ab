# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The group of each span name, and the text it is exported under."""

import enum

import pytest

from nemo.lens.helpers import managed_span, mark, span_cm, trace_fn
from nemo.lens.spans import span_names
from nemo.lens.spans.span_names import group_of, known_text, note


def test_helpers_note_the_group_of_each_name(nemo_lens_recorder, nemo_lens_groups):
    """It is not put on the span."""
    nemo_lens_groups("step", "job")
    with managed_span("step", "lib.step"), span_cm("lib.free"):
        trace_fn("job", "lib.job")(mark)("job", "lib.mark")
    assert [group_of(n) for n in ("lib.step", "lib.free", "lib.job", "lib.mark", "nobody")] == [
        "step", None, "job", "job", None,
    ]  # fmt: skip
    assert all("group" not in key for span in nemo_lens_recorder.spans for key in span.attributes)


def test_a_name_used_without_a_group_first_is_still_noted():
    """span_cm knows no group; the managed_span of the same name does."""
    note("lib.a", None)
    note("lib.a", "step")
    assert group_of("lib.a") == "step"


def test_the_first_group_of_a_name_stays():
    """A name in two groups belongs to the first."""
    note("lib.a", "step")
    note("lib.a", "job")
    assert group_of("lib.a") == "step"


def test_odd_names_are_exported_as_plain_text():
    """Enum members, bytes and broken text."""

    class Name(str, enum.Enum):
        A = "lib.a"

    assert note(Name.A, "step") == "lib.a"
    assert type(note(Name.A, "step")) is str
    assert note("x\udcff", "step") == "x\\udcff"
    assert known_text("x\udcff") == "x\\udcff"


def test_names_made_from_data_do_not_grow_the_memory(monkeypatch):
    """Beyond the bound a name is repaired anew each time, and has no group."""
    monkeypatch.setattr(span_names, "MAX_NAMES", 2)
    assert [note(f"n{i}", "step") for i in range(4)] == ["n0", "n1", "n2", "n3"]
    assert [group_of(f"n{i}") for i in range(4)] == ["step", "step", None, None]


@pytest.mark.parametrize("name", [[], {}, set()])
def test_unhashable_names_are_no_problem(nemo_lens_recorder, nemo_lens_groups, name):
    """They are written out."""
    nemo_lens_groups("step")
    with managed_span("step", name):
        pass
    assert nemo_lens_recorder.names() == [str(name)]
