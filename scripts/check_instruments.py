# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Check how metrics are declared in our packages, examples and pages.

A declaration is a call of `MetricSpec`, or of a meter's `create_counter` and the like, with a
literal name. It needs a UCUM unit, a description that is a sentence, and a name of the right
scope. And a number that moves is a metric: it is never put on a span::

    python scripts/check_instruments.py            # everything
    python scripts/check_instruments.py FILE ...   # some files
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import check_gated_arguments
import workspace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_CREATED = ("name", "unit", "description")
_OBSERVED = ("name", "callbacks", "unit", "description")
FIELDS = {
    "MetricSpec": ("key", "name", "kind", "unit", "description"),
    **{f"create_{kind}": _CREATED for kind in ("counter", "gauge", "histogram", "up_down_counter")},
    **{f"create_observable_{kind}": _OBSERVED for kind in ("counter", "gauge", "up_down_counter")},
}
# What these name moves from step to step and belongs into a metric.
SPAN_CALLS = {
    *("managed_span", "span_cm", "open_span", "start_span", "start_as_current_span", "SpanOptions"),
    *("safe_set_span_attributes", "span_attributes", "set_attribute", "set_attributes"),
}
MOVING = re.compile(
    r"(^|[._])(loss|grad_norm|learning_rate|throughput\w*|reward|accuracy|success_rate)$"
)

_ATOM = r"(?:(?:k|M|G|Ki|Mi|Gi|m|u|n)?(?:s|By|bit|W|J|Hz|V|A|K|m|g)|min|h|d|Cel|%|1)"
_UNIT = re.compile(rf"^(?:{_ATOM}|{{[a-z_]+}})(?:/(?:{_ATOM}|{{[a-z_]+}}))?$")
_NAME = re.compile(r"^[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:\.[a-z0-9]+(?:_[a-z0-9]+)*)+$")
_RESERVED = ("dl.", "nv.dl.")


class Declaration(NamedTuple):
    """A metric as the source declares it; None for what is no literal, "" for what is missing."""

    line: int
    name: str | None
    unit: str | None
    description: str | None


def problems(source: str) -> Iterator[tuple[int, str]]:
    """List what is wrong with the metrics that `source` declares, each with its line."""
    tree = ast.parse(source)
    for declaration in declarations(tree):
        for text in faults(declaration.name, declaration.unit, declaration.description):
            yield declaration.line, text
    for line, name in moving_span_attributes(tree):
        yield line, f"{name!r} is a number that moves: record it as a metric, not on a span"


def faults(name: str | None, unit: str | None, description: str | None) -> Iterator[str]:
    """List what is wrong with one metric; None stands for what cannot be read."""
    if name is not None:
        if not _NAME.match(name):
            yield f"metric {name!r}: write <scope>.<what>, in lower snake_case"
        if name.startswith(_RESERVED):
            yield f"metric {name!r}: dl.* is for attributes; use the scope of the application"
    if unit is not None and not _UNIT.match(unit):
        yield f"metric {name!r}: {unit!r} is no UCUM unit (1, s, By, {{token}}, {{token}}/s)"
    if description is not None and not re.match(r"^[A-Z].{7,}\.$", description):
        yield f"metric {name!r}: the description {description!r} is no sentence"


def declarations(tree: ast.AST) -> Iterator[Declaration]:
    """Find the metrics that are declared with a literal name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        fields = FIELDS.get(_called(node))
        if fields is None:
            continue
        given = dict(zip(fields, node.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        if isinstance(given.get("name"), ast.Constant):
            name, unit, description = (
                _literal(given.get(field)) for field in ("name", "unit", "description")
            )
            yield Declaration(node.lineno, name, unit, description)


def moving_span_attributes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Find moving numbers among the attributes that are given to spans."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in SPAN_CALLS:
            for name in _attribute_names(node):
                if MOVING.search(name):
                    yield node.lineno, name


def _attribute_names(call: ast.Call) -> Iterator[str]:
    yield from (keyword.arg for keyword in call.keywords if keyword.arg)
    mappings = [each.value for each in call.keywords if each.arg in {None, "attributes"}]
    for mapping in (*mappings, *call.args):
        if isinstance(mapping, ast.Dict):
            yield from (_spelled(key) for key in mapping.keys if key is not None)
    if _called(call) == "set_attribute" and call.args:
        yield _spelled(call.args[0])


def _spelled(key: ast.expr) -> str:
    """Give a literal key, or the name of the constant that stands in its place."""
    if isinstance(key, ast.Constant):
        return str(key.value)
    return str(getattr(key, "attr", getattr(key, "id", ""))).lower()


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _literal(node: ast.expr | None) -> str | None:
    if node is None:
        return ""
    return str(node.value) if isinstance(node, ast.Constant) else None


def sources(paths: Iterable[Path]) -> Iterator[tuple[Path, int, str]]:
    """Give the Python code of files and pages, with the line before it."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            for line, code in check_gated_arguments.code_blocks(text):
                yield path, line, code
        else:
            yield path, 0, text


def checked_files() -> list[Path]:
    """List the sources of our packages, the examples and all pages."""
    return workspace.tracked_files("packages/*/src/*.py", "examples/*.py", "*.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files in `arguments`, or all of them; the exit status of the script."""
    given = [Path(argument).resolve() for argument in arguments or ()]
    found = [
        f"{path}:{before + line}: {text}"
        for path, before, code in sources(given or checked_files())
        for line, text in problems(code)
    ]
    return workspace.report(found, "metrics have units, descriptions and names of their scope")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
