# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The page about process ends shows the rows that the tests measure."""

import generate_ends_table


def test_the_page_matches_the_rows():
    """As the pre-commit hook checks it."""
    assert generate_ends_table.main(["--check"]) == 0


def test_a_difference_is_found_and_mended(tmp_path, capsys):
    """The message says what to run, and running it mends the page."""
    page = tmp_path / "page.md"
    text = generate_ends_table.PAGE.read_text(encoding="utf-8")
    page.write_text(
        text.replace("| SIGTERM twice | healthy | all |", "| SIGTERM twice | healthy | none |")
    )
    assert generate_ends_table.main(["--check", "--page", str(page)]) == 1
    assert "run python scripts/generate_ends_table.py" in capsys.readouterr().err
    assert generate_ends_table.main(["--page", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == text
