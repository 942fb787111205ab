# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The model of the semantic conventions, and what is generated from it."""

from __future__ import annotations

import shutil

import generate_semconv
import pytest
from generate_semconv import Attribute, ModelError, drifted, load_namespaces, main, render

from nemo.lens import semconv
from nemo.lens.semconv import attributes as constants

GOOD = {
    "id": "dl.rank",
    "constant": "DL_RANK",
    "type": "int",
    "unit": "1",
    "use": ("resource",),
    "stability": "development",
    "brief": "The rank of this process.",
    "examples": (0,),
}


@pytest.fixture
def copy(tmp_path):
    """The generated files, in a folder that a test may change."""
    for path in render():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(generate_semconv.ROOT / path, tmp_path / path)
    return tmp_path


def test_the_generated_files_are_what_the_model_says():
    """Constants, types and documentation do not drift from the model."""
    assert main(["--check"]) == 0


@pytest.mark.parametrize("path", render(), ids=str)
def test_a_changed_or_missing_file_is_drift(copy, path):
    """The check finds a hand edit in each of the files."""
    assert drifted(copy) == []
    (copy / path).write_text((copy / path).read_text("utf-8") + "\n", "utf-8")
    assert drifted(copy) == [path]
    (copy / path).unlink()
    assert drifted(copy) == [path]


def test_drift_is_printed_and_fails(copy, monkeypatch, capsys):
    """The exit status stops continuous integration, and the text says what to do."""
    monkeypatch.setattr(generate_semconv, "ROOT", copy)
    monkeypatch.setattr(generate_semconv, "drifted", lambda: drifted(copy))
    page = "docs/reference/semantic-conventions.md"
    (copy / page).write_text("old", "utf-8")
    assert main(["--check"]) == 1
    assert f"{page} differs from the model: run python scripts/generate_semconv.py" in (
        capsys.readouterr().err
    )
    assert main([]) == 0
    assert main(["--check"]) == 0


def test_the_model_and_the_constants_are_one_to_one():
    """Each record has its constant, and there are no constants beside them."""
    model = {
        attribute.constant: attribute.id
        for namespace in load_namespaces()
        for attribute in namespace.attributes
    }
    versions = {"SCHEMA_URL", "SEMCONV_VERSION"}
    assert {name: getattr(semconv, name) for name in constants.__all__ if name not in versions} == (
        model
    )


def test_every_attribute_is_on_the_reference_page():
    """Users find each name, with its constant."""
    page = render()[generate_semconv.Path("docs/reference/semantic-conventions.md")]
    for namespace in load_namespaces():
        for attribute in namespace.attributes:
            assert f"| `{attribute.id}` | `{attribute.constant}` |" in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "dl.Rank"}, "dotted lower snake_case"),
        ({"id": "rank"}, "dotted lower snake_case"),
        ({"constant": "dl_rank"}, "upper snake_case"),
        ({"type": "float"}, "not one of string, boolean, int, double"),
        ({"unit": None}, "numbers have a unit"),
        ({"type": "string", "examples": ("a",)}, "other types have none"),
        ({"stability": "beta"}, "stability 'beta'"),
        ({"use": ()}, "is not made of resource, span"),
        ({"use": ("log",)}, "is not made of resource, span"),
        ({"brief": "TODO"}, "full sentences"),
        ({"brief": "the rank."}, "full sentences"),
        ({"examples": ()}, "are missing or no int"),
        ({"examples": (True,)}, "are missing or no int"),
    ],
)
def test_a_record_that_breaks_a_rule_is_refused(change, message):
    """The model stays complete: types, units, sentences and examples."""
    Attribute(**GOOD).check()
    with pytest.raises(ModelError, match=message):
        Attribute(**{**GOOD, **change}).check()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dl.rank", "id 'dl.rank' is in the model twice"),
        ("nemo.rank", "'nemo.rank' is outside of"),
    ],
)
def test_a_name_twice_or_outside_of_its_namespace_is_refused(tmp_path, text, message):
    """A name stands in one place."""
    record = f"""
  - id: {text}
    constant: OTHER
    type: int
    unit: "1"
    use: [span]
    stability: development
    brief: Another one.
    examples: [1]
"""
    shutil.copytree(generate_semconv.MODEL, tmp_path / "model")
    file = tmp_path / "model" / "dl.yaml"
    file.write_text(file.read_text("utf-8") + record, "utf-8")
    with pytest.raises(ModelError, match=message):
        load_namespaces(tmp_path / "model")
