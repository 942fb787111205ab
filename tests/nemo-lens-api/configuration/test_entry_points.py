# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Names of installed parts in variables."""

from __future__ import annotations

import pytest

from nemo.lens.configuration.entry_points import EntryPoints

PROPAGATORS = "opentelemetry_propagator"


@pytest.fixture
def broken_plugin(tmp_path, monkeypatch):
    """Install a distribution whose entry points cannot be loaded."""
    metadata = tmp_path / "qa_broken-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: qa-broken\nVersion: 1.0\n", encoding="utf-8"
    )
    (metadata / "entry_points.txt").write_text(
        f"[{PROPAGATORS}]\nqa_missing = qa_nowhere:thing\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)


def test_a_name_is_good_when_its_entry_point_can_be_loaded():
    """Whatever package brings it."""
    assert EntryPoints(PROPAGATORS).parse(" baggage ") == "baggage"
    with pytest.raises(ValueError, match="b4"):
        EntryPoints(PROPAGATORS).parse("b4")


@pytest.mark.usefixtures("broken_plugin")
def test_an_entry_point_that_cannot_be_loaded_is_no_good():
    """OpenTelemetry would fail on it later."""
    with pytest.raises(ValueError, match="qa_missing"):
        EntryPoints(PROPAGATORS).parse("qa_missing")


def test_names_have_a_case_and_none_has_not():
    """As OpenTelemetry has it."""
    names = EntryPoints(PROPAGATORS, "baggage", "none", several=True)
    assert names.parse("baggage, NONE,") == "baggage,none"
    with pytest.raises(ValueError, match="Baggage"):
        names.parse("Baggage")


def test_a_list_is_refused_whole_or_goes_on_with_its_good_names():
    """It depends on who reads it."""
    whole = EntryPoints(PROPAGATORS, several=True)
    rest = EntryPoints(PROPAGATORS, several=True, keeps_rest=True)
    assert whole.remains("b4,baggage") == ""
    assert rest.remains("b4,baggage") == "baggage"
    for names in (whole, rest):
        with pytest.raises(ValueError, match="b4"):
            names.parse("b4,baggage")


def test_names_that_are_known_are_not_looked_for():
    """The look at what is installed takes time."""
    assert EntryPoints("no such group", "random").parse("random") == "random"


def test_what_stands_behind_a_name_can_be_had():
    """Or there is no such name."""
    loaded = EntryPoints(PROPAGATORS).load("baggage")
    assert loaded.__name__ == "W3CBaggagePropagator"
    with pytest.raises(LookupError):
        EntryPoints(PROPAGATORS).load("b4")
