# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The no-op helpers as a file that stands alone, and copies of it that have fallen behind."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import subprocess
import sys

import pytest

from nemo.lens import fallbacks

HELPERS = ("trace_fn", "managed_span", "span_cm", "span_attributes", "is_span_group_enabled")
HELPERS += ("safe_set_span_attributes", "SpanRegistry")


@pytest.fixture
def copy(call, tmp_path):
    """The file that the command prints."""
    status, out, err = call("vendor-fallbacks")
    assert (status, err) == (0, "")
    file = tmp_path / "_fallbacks.py"
    file.write_text(out, encoding="utf-8")
    return file


def load(file):
    spec = importlib.util.spec_from_file_location("vendored_fallbacks_copy", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_copy_runs_where_nothing_is_installed(copy):
    """Neither NeMo Lens nor OpenTelemetry, not even site-packages."""
    script = (
        "import _fallbacks as f, sys\n"
        "with f.managed_span('step', 'x', iteration=1) as span, f.span_cm('y') as other:\n"
        "    assert span is None and other is None\n"
        "assert f.trace_fn('g', 'n')(len) is len and not f.is_span_group_enabled('g')\n"
        "assert f.SpanRegistry.resolve('a,b')[1] == {'a', 'b'}\n"
        "assert not [m for m in sys.modules if m.split('.')[0] in ('nemo', 'opentelemetry')]\n"
    )

    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", script],
        cwd=copy.parent,
        check=False,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", HELPERS)
def test_the_copy_has_the_signatures_of_the_module(copy, name):
    """Consumers compare theirs with ours, parameter for parameter."""
    ours, theirs = getattr(fallbacks, name), getattr(load(copy), name)

    assert inspect.signature(theirs) == inspect.signature(ours)
    public = {each for each in vars(load(copy)) if not each.startswith("_")}
    assert public == {each for each in vars(fallbacks) if not each.startswith("_")}


def test_the_copy_imports_the_standard_library_alone_for_type_checkers_too(copy):
    """A checker of the consumer finds every module."""
    imports = [
        node.module
        for node in ast.walk(ast.parse(copy.read_text()))
        if isinstance(node, ast.ImportFrom)
    ]

    assert {module.split(".")[0] for module in imports} <= {*sys.stdlib_module_names}


def test_a_copy_may_be_formatted_and_licensed_otherwise(copy, call):
    """Comments, doc strings and layout are the library's own."""
    text = ast.unparse(ast.parse(copy.read_text()))
    copy.write_text("# Copyright: somebody else\n" + text.replace("Do nothing.", "Nothing."))

    status, out, err = call("vendor-fallbacks", "--check", str(copy))

    assert (status, err) == (0, "")
    assert out == f"{copy} is current.\n"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("return False", "return True", "different: is_span_group_enabled"),
        ("    tracer: Tracer | None = None,", "", "different: "),
        ("def span_cm(", "def span_context(", "missing: span_cm"),
        ("_NO_SPAN = _NoSpan()", "_NO_SPAN = _NoSpan()\nMORE = 1", "not part of it: MORE = 1"),
        ("class _NoSpan:", "class _NoSpan(", "it is no Python module"),
    ],
)
def test_a_copy_that_has_fallen_behind_fails_the_check(copy, call, before, after, words):
    """What differs is named, and so is the way to renew the file."""
    text = copy.read_text()
    assert before in text
    copy.write_text(text.replace(before, after))

    status, out, err = call("vendor-fallbacks", "--check", str(copy))
    answer = json.loads(call("vendor-fallbacks", "--check", str(copy), "--json")[1])

    assert (status, err) == (1, "")
    assert words in out
    assert f"nemo-lens vendor-fallbacks > {copy}" in out
    assert answer["current"] is False
    assert answer["differences"]


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_copy_that_cannot_be_read_is_one_line(call, tmp_path, content):
    """A missing file, or one that is no text."""
    file = tmp_path / "copy.py"
    if content is not None:
        file.write_bytes(content)

    status, out, err = call("vendor-fallbacks", "--check", str(file))

    assert (status, out, err.count("\n")) == (1, "", 1)
    assert str(file) in err
