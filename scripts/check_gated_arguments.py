# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Find work in the arguments of gated calls: every user pays it, with telemetry off too.

Arguments are evaluated before the gate can say no. So an f-string, a ``.format``, a comprehension
or a call does not belong there; a value that exists already does. Looks at the packages, the
examples and the Python blocks of the documentation.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from typing import TYPE_CHECKING

import workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

GATED = {"managed_span", "is_span_group_enabled", "span_attributes"}
# A container of options: what it holds is looked at instead.
CONTAINERS = {"SpanOptions"}
# The mark of a documentation line that shows what not to do.
COUNTEREXAMPLE = "# wrong"

_WORK = (ast.JoinedStr, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await)
_BLOCK = re.compile(
    r"^(?P<indent> *)```(?:python|py)\b[^\n]*\n(?P<code>.*?)^ *```", re.MULTILINE | re.DOTALL
)


def findings(source: str) -> list[tuple[int, str]]:
    """Line and description of each piece of work in the arguments of a gated call."""
    lines = source.splitlines()
    return [
        (work.lineno, f"`{ast.unparse(work)}` in the arguments of {_called_name(call)}()")
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
        and _called_name(call) in GATED
        and not _is_counterexample(lines, call.lineno)
        for work in _work_in_arguments(call)
    ]


def _work_in_arguments(call: ast.Call) -> Iterator[ast.expr]:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from _work_in(argument)


def _work_in(node: ast.expr) -> Iterator[ast.expr]:
    """The outermost pieces of work in an expression; a lambda only runs when it is called."""
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Call) and _called_name(node) in CONTAINERS:
        yield from _work_in_arguments(node)
    elif isinstance(node, (*_WORK, ast.Call)) or _builds_text(node):
        yield node
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _work_in(child)


def _builds_text(node: ast.expr) -> bool:
    """Whether this is ``"..." % x`` or ``"..." + x``."""
    return isinstance(node, ast.BinOp) and any(
        isinstance(side, ast.Constant) and isinstance(side.value, str)
        for side in (node.left, node.right)
    )


def _called_name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _is_counterexample(lines: list[str], line: int) -> bool:
    return any(COUNTEREXAMPLE in text for text in lines[max(0, line - 2) : line])


def code_blocks(markdown: str) -> Iterator[tuple[int, str]]:
    """Each Python block of a Markdown text with the number of the line before its first."""
    for block in _BLOCK.finditer(markdown):
        line = markdown.count("\n", 0, block.start("code"))
        yield line, textwrap.dedent(block["code"])


def main() -> int:
    """Check the tree; returns the exit status."""
    problems: list[str] = []
    sources = workspace.tracked_files("packages/*.py", "examples/*.py", "docs/*.py")
    pages = workspace.tracked_files("*.md")
    for path in [*sources, *pages]:
        where = path.relative_to(workspace.ROOT)
        text = path.read_text(encoding="utf-8")
        blocks = [(0, text)] if path.suffix == ".py" else code_blocks(text)
        for offset, code in blocks:
            try:
                found = findings(code)
            except SyntaxError as error:
                problems.append(f"{where}:{offset + (error.lineno or 0)}: {error.msg}")
                continue
            problems += [f"{where}:{offset + line}: {what}" for line, what in found]
    return workspace.report(
        problems, f"gated calls: no work in arguments ({len(sources)} modules, {len(pages)} pages)"
    )


if __name__ == "__main__":
    sys.exit(main())
