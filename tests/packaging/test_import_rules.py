# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Rules about single modules that the import linter cannot express."""

import ast
import sys

import pytest
import workspace

API = workspace.API.folder / "src/nemo/lens"
SDK = workspace.SDK.folder / "src/nemo/lens"


def imported_roots(tree):
    """The top-level names of all absolute imports anywhere in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] if node.level == 0 else "."


def parsed(path):
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def run(tree):
    """The statements of a module that run, which leaves out what is for type checkers."""
    return ast.Module(
        [
            statement
            for node in tree.body
            for statement in (node.orelse if is_for_checkers(node) else [node])
        ],
        [],
    )


def is_for_checkers(node):
    """Whether a statement is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_fallbacks_import_the_standard_library_alone():
    """A consumer can copy the module into a process that has nothing installed."""
    foreign = set(imported_roots(run(parsed(API / "fallbacks.py")))) - sys.stdlib_module_names
    assert foreign == set()
    planted = run(ast.parse("if TYPE_CHECKING:\n    import a\nelse:\n    import b\nimport c"))
    assert set(imported_roots(planted)) == {"b", "c"}


def test_the_front_extends_its_path_first():
    """Type checkers know exactly this spelling; the other distributions need it first."""
    docstring, extension, *_ = parsed(API / "__init__.py").body
    assert isinstance(docstring, ast.Expr)
    assert isinstance(docstring.value, ast.Constant)
    assert ast.unparse(extension) == (
        "__path__ = __import__('pkgutil').extend_path(__path__, __name__)"
    )


def test_the_sdk_package_imports_nothing():
    """A process that only decides about exporting does not load the OpenTelemetry SDK."""
    assert list(imported_roots(parsed(SDK / "sdk/__init__.py"))) == []


def test_the_front_of_the_import_package_is_in_one_distribution():
    """No distribution has nemo/__init__.py; only the api has nemo/lens/__init__.py."""
    sources = [each.folder / "src" for each in workspace.DISTRIBUTIONS]
    assert [path for source in sources for path in source.glob("nemo/__init__.py")] == []
    fronts = [path for source in sources for path in source.glob("nemo/lens/__init__.py")]
    assert fronts == [API / "__init__.py"]


@pytest.mark.parametrize("name", ["providers", "strategies", "logging_bridge"])
def test_a_compatibility_module_is_one_import(name):
    """The code lives under nemo.lens.sdk; the old path only re-exports it."""
    statements = [
        node
        for node in parsed(SDK / f"{name}.py").body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    assert {type(node) for node in statements} <= {ast.ImportFrom, ast.Assign}
    modules = {node.module for node in statements if isinstance(node, ast.ImportFrom)}
    assert all(module.startswith("nemo.lens.sdk") for module in modules)


def test_the_compatibility_module_that_needs_the_sdk_imports_it_at_first_use():
    """Importing `nemo.lens.sampling` loads nothing; its one name is that of `nemo.lens.sdk`."""
    module = parsed(SDK / "sampling.py")
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    assert [function.name for function in functions] == ["__getattr__"]
    imported = [node for node in module.body if isinstance(node, ast.ImportFrom)]
    assert {node.module for node in imported} == {"__future__", "typing"}


def test_type_checkers_see_the_front_from_every_distribution():
    """In an editable install pyright reads the first root that it meets; each has the front."""
    others = [each for each in workspace.DISTRIBUTIONS if each.owns and each is not workspace.API]
    for distribution in others:
        link = distribution.folder / "src/nemo/lens/__init__.pyi"
        assert link.is_symlink()
        assert link.resolve() == API / "__init__.py"
