# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The header check wants the exact two lines at the top, after a shebang at most."""

import check_headers
import pytest
import workspace

HEADER = check_headers.HEADER


def test_every_file_of_this_checkout_has_its_header():
    """The check passes on the tree."""
    assert check_headers.main() == 0


@pytest.mark.parametrize("start", ["", "#!/usr/bin/env python3\n"])
def test_the_two_lines_at_the_top_are_accepted(tmp_path, start):
    """With and without a shebang line before them."""
    path = tmp_path / "module.py"
    path.write_text(f'{start}{HEADER}"""Text."""\n')
    assert check_headers.has_header(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        '"""Text."""\n' + HEADER,
        "\n" + HEADER,
        HEADER.replace("2026", "2025"),
        HEADER.splitlines()[0] + "\n",
        HEADER.rstrip("\n"),
    ],
)
def test_anything_else_is_refused(tmp_path, text):
    """A header that is late, cut or changed does not count."""
    path = tmp_path / "module.py"
    path.write_text(text)
    assert not check_headers.has_header(path)


def test_the_check_looks_at_all_python_files():
    """The tracked files that it reads include packages, tests and scripts."""
    checked = {
        path.relative_to(workspace.ROOT).parts[0]
        for path in workspace.tracked_files(*check_headers.WITH_HEADER)
    }
    assert {"packages", "tests", "scripts", "dev.py", ".ci", "pyproject.toml"} <= checked
