# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The title check accepts Conventional Commit titles of the agreed types only."""

import check_title
import pytest


@pytest.mark.parametrize("kind", check_title.TYPES)
@pytest.mark.parametrize("scope", ["", "(api)", "(sdk, cli)"])
@pytest.mark.parametrize("breaking", ["", "!"])
def test_every_agreed_type_is_accepted(kind, scope, breaking):
    """With and without scope and mark of a breaking change."""
    assert check_title.is_conventional(f"{kind}{scope}{breaking}: keep spans in order")


@pytest.mark.parametrize(
    "title", ["", "Keep spans", "feature: x", "feat:x", "feat: ", "feat(): x", "Feat: x", "feat x"]
)
def test_other_titles_are_refused_with_what_is_expected(title, monkeypatch, capsys):
    """One line that shows the title and the accepted forms."""
    monkeypatch.setenv("TITLE", title)
    assert check_title.main() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert repr(title) in line
    assert "type(scope): text" in line
