# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The table of settings, and that nothing that is derived from it drifts."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from nemo.lens.config import NemoLensConfig
from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES
from nemo.lens.configuration.settings import SETTINGS
from nemo.lens.configuration.value_types import DefaultText

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "generate_settings_table.py"
PAGE = ROOT / "docs" / "reference" / "configuration.md"

SETTING_IDS = [setting.field for setting in SETTINGS]


def run_script(*arguments):
    """Run the generator as CI does."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], check=False, capture_output=True, text=True
    )


def test_fields_and_rows_are_the_same_in_the_same_order():
    """Every public field has a row, and no row is without a field."""
    public = [f.name for f in dataclasses.fields(NemoLensConfig) if not f.name.startswith("_")]
    assert public == [setting.field for setting in SETTINGS]


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_IDS)
def test_the_default_of_a_field_is_the_default_of_its_row(setting):
    """The dataclass and the table say the same default, down to its type."""
    value = getattr(NemoLensConfig(), setting.field)
    assert value == setting.default
    assert type(value) is type(setting.default)


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_IDS)
def test_a_default_is_a_canonical_value_of_its_type(setting):
    """No default is refused by its own type or changed by it."""
    assert setting.type.accepts(setting.default)
    assert setting.type.canonical(setting.default) == setting.default


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_IDS)
def test_the_attributes_section_describes_each_field(setting):
    """`help(NemoLensConfig)` has a line for each field."""
    assert f"\n    {setting.field}: " in (inspect.getdoc(NemoLensConfig) or "")


def test_no_two_rows_read_the_same_variable():
    """A variable means one thing."""
    names = [name for setting in SETTINGS for name in setting.variables("NEMO_LENS")]
    names += [row.name for row in FOREIGN_VARIABLES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("row", [*SETTINGS, *FOREIGN_VARIABLES], ids=lambda row: row[0])
def test_a_description_is_one_full_sentence(row):
    """Descriptions read as sentences in the documentation."""
    assert row.description[0].isupper()
    assert row.description.endswith(".")
    assert ". " not in row.description


def test_the_documentation_has_the_tables_of_the_code():
    """The page in the repository is what the generator writes."""
    result = run_script("--check")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("written", "wanted"),
    [("| `nemo` |", "| `lens` |"), ("OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_INTERVAL")],
)
def test_a_page_that_drifted_fails_the_check_and_is_repaired(tmp_path, written, wanted):
    """`--check` names the page and the cure, and writing restores it."""
    page = tmp_path / "configuration.md"
    original = PAGE.read_text(encoding="utf-8")
    page.write_text(original.replace(written, wanted), encoding="utf-8")
    refused = run_script("--check", "--page", str(page))
    assert refused.returncode == 1
    assert str(page) in refused.stderr
    assert "generate_settings_table.py" in refused.stderr
    assert run_script("--page", str(page)).returncode == 0
    assert page.read_text(encoding="utf-8") == original


def test_a_page_without_markers_is_refused(tmp_path):
    """The generator never guesses where a table belongs."""
    page = tmp_path / "configuration.md"
    page.write_text("# Configuration\n", encoding="utf-8")
    result = run_script("--page", str(page))
    assert result.returncode == 1
    assert "begin generated: settings" in result.stderr


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        lambda text: pickle.loads(pickle.dumps(text)),
        lambda text: dataclasses.asdict(NemoLensConfig(service_name=text))["service_name"],
        lambda text: dataclasses.replace(NemoLensConfig(service_name=text)).service_name,
    ],
    ids=["copy", "deepcopy", "pickle", "asdict", "replace"],
)
def test_an_unchosen_default_stays_told_from_the_same_text_chosen(duplicate):
    """It equals the plain text and keeps its type in every kind of copy."""
    unchosen = DefaultText("nemo")
    assert duplicate(unchosen) == "nemo"
    assert type(duplicate(unchosen)) is DefaultText
    assert type(duplicate("nemo")) is str
