# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The check that attributes are named by constants."""

from __future__ import annotations

import check_semconv_use
import pytest
import workspace
from check_semconv_use import checked_files, known_attributes, literals, main, unknown_names

from nemo.lens import semconv

CONSTANTS = {"dl.rank": "DL_RANK"}


def test_the_packages_name_attributes_by_constants(capsys):
    """No literal escapes a rename."""
    assert main() == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    "source", ["x = 'dl.rank'", "f(a={'dl.rank': 1})", "d['dl.rank']", "f'{1}' + 'dl.rank'"]
)
def test_a_literal_is_found_wherever_it_stands(source):
    """As a value, a key or an index."""
    assert list(literals(source, CONSTANTS)) == [(1, "dl.rank")]


@pytest.mark.parametrize("source", ["x = DL_RANK", "x = 'dl.ranks'", '"""Sets dl.rank."""', "1"])
def test_constants_prose_and_other_names_pass(source):
    """Documentation may name attributes."""
    assert list(literals(source, CONSTANTS)) == []


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("span.set_attribute('dl.ranks', 1)", "dl.ranks"),
        ("f({'nv.dl.new_one': 1})", "nv.dl.new_one"),
        ("x = 'nemo.span.open'", "nemo.span.open"),
        ("x = 'exception.kind'", "exception.kind"),
    ],
)
def test_a_name_of_our_namespaces_that_the_model_lacks_is_found(source, name):
    """A typo, or an attribute that nobody described."""
    assert list(unknown_names(source, CONSTANTS)) == [(1, name)]


@pytest.mark.parametrize(
    "source",
    [
        "x = 'dl.rank'",
        "getLogger('nemo.lens.handle')",
        "x = 'See dl.ranks.'",
        "x = 'dl.iteration.'",
        "x = 'model.layers'",
        '"""Sets dl.ranks."""',
        "x = 'nemo.exit'",
    ],
)
def test_known_names_modules_events_and_prose_are_not_unknown(source):
    """What is in the model has a constant; loggers are called like modules."""
    assert list(unknown_names(source, CONSTANTS)) == []


@pytest.mark.parametrize(("folder", "status"), [("nemo-lens-instruments", 0), ("other", 1)])
def test_metric_names_are_the_instruments_own(tmp_path, folder, status):
    """The same namespaces hold metrics, and those are declared there and nowhere else."""
    file = tmp_path / folder / "planted.py"
    file.parent.mkdir()
    file.write_text("gauge('rl.reward.planted')\n")
    assert main([str(file)]) == status


def test_an_unknown_name_fails_with_its_place_and_the_cure(tmp_path, capsys):
    """The message says where attributes are described."""
    file = tmp_path / "planted.py"
    file.write_text("\nspan.set_attribute('nv.dl.ranks', 1)\n")
    assert main([str(file)]) == 1
    message = capsys.readouterr().err
    assert f"{file}:2: 'nv.dl.ranks' is not in the model" in message
    assert "semconv/model" in message


def test_the_known_names_are_those_of_the_constants():
    """They are read from the generated module, so that no import is needed."""
    source = (workspace.ROOT / check_semconv_use.SEMCONV / "attributes.py").read_text()
    known = known_attributes(source)
    assert known[semconv.NV_DL_RANK] == "NV_DL_RANK"
    assert len(known) == len(semconv.attributes.__all__)


def test_a_literal_fails_with_its_place_and_the_constant(tmp_path, capsys):
    """The message says what to write instead."""
    file = tmp_path / "planted.py"
    file.write_text("\nspan.set_attribute('nv.dl.rank', 1)\n")
    assert main([str(file)]) == 1
    expected = f"{file}:2: write nemo.lens.semconv.NV_DL_RANK instead of 'nv.dl.rank'"
    assert capsys.readouterr().err.strip() == expected


def test_all_packages_are_checked_but_the_conventions():
    """The generated module is where the literals live."""
    folders = {path.relative_to(workspace.ROOT).parts[1] for path in checked_files()}
    assert {"nemo-lens-api", "nemo-lens-sdk", "nemo-lens-cli"} <= folders
    assert not any("semconv" in path.parts for path in checked_files())
