# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Check that code names attributes by the constants of `nemo.lens.semconv`, never by literals.

A literal escapes renames and typing, and a typo in one makes telemetry that nobody finds. So a
literal in one of our namespaces that the model lacks is refused as well::

    python scripts/check_semconv_use.py             # all of packages/*/src
    python scripts/check_semconv_use.py FILE ...    # some files
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import workspace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SEMCONV = Path("packages/nemo-lens-api/src/nemo/lens/semconv")
NAMESPACES = (
    *("nv.dl", "nv.gpu", "dl", "nemo", "slurm", "wandb", "inverted", "exception"),
    *("service", "deployment", "host", "container", "k8s"),
)
"""Where a name is the name of an attribute."""

METRIC_NAMESPACES = ("rl", "gym", "gen_ai", "process")
"""Where it may be the name of a metric too; the instruments declare those."""
INSTRUMENTS = "nemo-lens-instruments"

NO_ATTRIBUTES = re.compile(r"nemo\.lens(\..*)?|nemo\.exit")
"""Modules and what is called like them, and the name of an event."""
_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


def known_attributes(source: str) -> dict[str, str]:
    """Read attribute names and their constants from the source of the generated module."""
    return {
        node.value.value: node.target.id
        for node in ast.parse(source).body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }


def literals(source: str, constants: dict[str, str]) -> Iterator[tuple[int, str]]:
    """List the lines of `source` that spell an attribute name out, each with that name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and str(node.value) in constants:
            yield node.lineno, str(node.value)


def unknown_names(
    source: str, constants: dict[str, str], namespaces: Sequence[str] = NAMESPACES
) -> Iterator[tuple[int, str]]:
    """List the lines of `source` with a name in one of `namespaces` that has no constant."""
    prefixes = tuple(f"{namespace}." for namespace in namespaces)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            in_namespace = text.startswith(prefixes) and _NAME.fullmatch(text)
            if in_namespace and text not in constants and not NO_ATTRIBUTES.fullmatch(text):
                yield node.lineno, text


def checked_files(root: Path = workspace.ROOT) -> Iterable[Path]:
    """List the sources of all packages, less the conventions themselves."""
    sources = sorted(root.glob("packages/*/src/**/*.py"))
    return [path for path in sources if not path.is_relative_to(root / SEMCONV)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files in `arguments`, or all of them; the exit status of the script."""
    given = [Path(argument).resolve() for argument in arguments or ()]
    constants = known_attributes((workspace.ROOT / SEMCONV / "attributes.py").read_text("utf-8"))
    found = [
        f"{path}:{line}: write nemo.lens.semconv.{constants[name]} instead of {name!r}"
        for path in given or checked_files()
        for line, name in literals(path.read_text("utf-8"), constants)
    ]
    found += [
        f"{path}:{line}: {name!r} is not in the model; describe the attribute in "
        f"{SEMCONV / 'model'}, run scripts/generate_semconv.py, and use the constant"
        for path in given or checked_files()
        for line, name in unknown_names(path.read_text("utf-8"), constants, _namespaces_in(path))
    ]
    return workspace.report(found, "attribute names are constants everywhere")


def _namespaces_in(path: Path) -> tuple[str, ...]:
    return NAMESPACES if INSTRUMENTS in path.parts else (*NAMESPACES, *METRIC_NAMESPACES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
