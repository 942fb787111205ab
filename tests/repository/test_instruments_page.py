# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The page about metrics shows what the code declares."""

import generate_instruments_table
import pytest

from nemo.lens.instruments import MetricSpec, register_metric_group, schema


def test_the_page_matches_the_code():
    """As the pre-commit hook checks it."""
    assert generate_instruments_table.main(["--check"]) == 0


def test_a_difference_is_found_and_mended(tmp_path, capsys):
    """The message says what to run, and running it mends the page."""
    page = tmp_path / "page.md"
    text = generate_instruments_table.PAGE.read_text(encoding="utf-8")
    page.write_text(text.replace("`rl.entropy`", "`rl.disorder`"), encoding="utf-8")
    assert generate_instruments_table.main(["--check", "--page", str(page)]) == 1
    assert "run python scripts/generate_instruments_table.py" in capsys.readouterr().err
    assert generate_instruments_table.main(["--page", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == text


def test_a_page_without_markers_is_refused(tmp_path):
    """Nothing is written into a page that has no place for it."""
    page = tmp_path / "page.md"
    page.write_text("# Metrics\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="begin generated: instruments"):
        generate_instruments_table.main(["--page", str(page)])


def test_groups_of_others_stay_out_of_the_page():
    """A consumer's group belongs into the consumer's documentation."""
    register_metric_group("mylib", [MetricSpec("loss", "mylib.loss", "gauge", "1", "Loss.")])
    assert any(row["group"] == "mylib" for row in schema())
    assert "mylib.loss" not in "".join(generate_instruments_table.sections(schema()))
