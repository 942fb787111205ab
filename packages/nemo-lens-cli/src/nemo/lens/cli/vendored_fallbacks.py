# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo.lens.fallbacks` as a module that stands alone, and copies of it compared with it.

The copy is the module's own source. Only what type checkers read of other packages is replaced: a
library that cannot depend on them has nothing to check against.
"""

from __future__ import annotations

import ast
from collections import Counter
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_STANDARD: Final = ("__future__", "collections.abc", "contextlib", "typing")
_INTRODUCTION: Final = '''\
"""The instrumentation helpers of NeMo Lens as no-ops, for where they cannot be imported.

Written by `nemo-lens vendor-fallbacks` from nemo.lens.fallbacks; `nemo-lens vendor-fallbacks
--check` finds out when this copy has fallen behind.

PYTEST_DONT_REWRITE: pytest would put two names of its own into the module.
"""'''


def source() -> str:
    """The text of the copy, ready to be written to a file."""
    text = resources.files("nemo.lens").joinpath("fallbacks.py").read_text(encoding="utf-8")
    module = ast.parse(text)
    defined = {getattr(statement, "name", "") for statement in module.body}
    replacements: dict[ast.stmt, Sequence[str]] = {module.body[0]: _INTRODUCTION.splitlines()}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module not in _STANDARD:
            replacements[node] = _aliases(node, defined)
    lines = text.splitlines()
    for node in sorted(replacements, key=lambda node: -node.lineno):
        lines[node.lineno - 1 : node.end_lineno] = replacements[node]
    return "\n".join(lines) + "\n"


def differences(copy: str) -> list[str]:
    """What of a copy is not as `source` has it, one line each; empty for a current one.

    Comments, doc strings and formatting do not count, so that the formatter and the licence header
    of a library may be its own.
    """
    try:
        found = _statements(copy)
    except (SyntaxError, ValueError) as error:  # a NUL is a ValueError on older interpreters
        return [f"it is no Python module: {error}"]
    wanted = _statements(source())
    return [
        *(f"missing: {name}" for name in wanted if name not in found),
        *(f"not part of it: {name}" for name in found if name not in wanted),
        *(f"different: {name}" for name in wanted if found.get(name, wanted[name]) != wanted[name]),
    ]


def _aliases(foreign: ast.ImportFrom, defined: set[str]) -> list[str]:
    """What type checkers get for names of other packages: what stands for them here, or `Any`."""
    indent = " " * foreign.col_offset
    return [
        f"{indent}{alias.name} = {f'_{alias.name}' if f'_{alias.name}' in defined else 'Any'}"
        for alias in foreign.names
    ]


def _statements(text: str) -> dict[str, str]:
    """The statements of a module by their names or first lines, without what does not count."""
    module = ast.parse(text)
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            node.body = [each for each in node.body if not _is_text(each)]
    seen: Counter[str] = Counter()
    statements: dict[str, str] = {}
    for statement in module.body:
        name = getattr(statement, "name", "") or ast.unparse(statement).partition("\n")[0]
        seen[name] += 1
        statements[name if seen[name] == 1 else f"{name} (again)"] = ast.dump(statement)
    return statements


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
