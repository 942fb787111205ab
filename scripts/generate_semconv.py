# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Write the constants, the resource types and the documentation of the semantic conventions.

The YAML files in `nemo/lens/semconv/model` are the one place where an attribute is described. This
script checks them and renders everything that repeats them::

    python scripts/generate_semconv.py          # write the files
    python scripts/generate_semconv.py --check  # fail when a file differs from the model
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import semconv_json
import workspace
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ROOT = workspace.ROOT
PACKAGE = Path("packages/nemo-lens-api/src/nemo/lens/semconv")
MODEL = ROOT / PACKAGE / "model"

NUMBERS = {"int": int, "double": float}
TYPES = {"string": str, "boolean": bool, **NUMBERS}
STABILITIES = ("development", "stable", "deprecated")
USES = {
    "resource": "resource",
    "span": "span",
    "metric": "metric point",
    "event": "event of a span, log record",
    "compatibility": "compatibility constant, never emitted",
}

HEADER = """\
# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# Generated from semconv/model by scripts/generate_semconv.py: edit the model, not this file.
"""

DOCUMENTATION_INTRODUCTION = """\
Version {manifest.version} of the conventions, schema URL `{manifest.schema_url}`. Upstream names
follow version {manifest.upstream_version} of the OpenTelemetry semantic conventions.

Each constant is importable from `nemo.lens.semconv`. *Use* says where an attribute stands: on the
resource, on spans, on metric points, or on events of spans and on log records. A compatibility
constant is kept so that imports go on working; NeMo Lens never emits it."""


class ModelError(ValueError):
    """A record of the model that breaks its rules."""


@dataclass(frozen=True)
class Attribute:
    """One record of the model."""

    id: str
    constant: str
    type: str
    brief: str
    stability: str
    use: tuple[str, ...]
    examples: tuple[Any, ...]
    unit: str | None = None

    def check(self) -> None:
        """Raise `ModelError` for a record that breaks a rule of the model."""
        where = f"attribute {self.id!r}"
        if not re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+", self.id):
            raise ModelError(f"{where}: an id is dotted lower snake_case")
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", self.constant):
            raise ModelError(f"{where}: constant {self.constant!r} is not upper snake_case")
        if self.type not in TYPES:
            raise ModelError(f"{where}: type {self.type!r} is not one of {', '.join(TYPES)}")
        if (self.type in NUMBERS) != (self.unit is not None):
            raise ModelError(f"{where}: numbers have a unit, other types have none")
        if self.stability not in STABILITIES:
            raise ModelError(f"{where}: stability {self.stability!r} is not one of {STABILITIES}")
        if not self.use or not set(self.use) <= set(USES):
            raise ModelError(f"{where}: use {list(self.use)} is not made of {', '.join(USES)}")
        if not self.brief.endswith(".") or not self.brief[:1].isupper():
            raise ModelError(f"{where}: the brief is made of full sentences")
        wrong = [value for value in self.examples if type(value) is not TYPES[self.type]]
        if wrong or not self.examples:
            raise ModelError(f"{where}: examples {wrong} are missing or no {self.type}")


@dataclass(frozen=True)
class Namespace:
    """One file of the model: attributes that belong together."""

    title: str
    prefixes: tuple[str, ...]
    brief: str
    attributes: tuple[Attribute, ...]

    def check(self) -> None:
        """Raise `ModelError` for an attribute outside of the namespace or a wrong record."""
        for attribute in self.attributes:
            if not attribute.id.startswith(tuple(f"{prefix}." for prefix in self.prefixes)):
                raise ModelError(f"attribute {attribute.id!r} is outside of {self.prefixes}")
            attribute.check()


@dataclass(frozen=True)
class Manifest:
    """The versions that the conventions carry."""

    version: str
    schema_url: str
    upstream_version: str


def load_manifest(folder: Path = MODEL) -> Manifest:
    """Read the versions of the conventions."""
    data = yaml.safe_load((folder / "manifest.yaml").read_text("utf-8"))
    return Manifest(
        version=data["version"],
        schema_url=f"{data['schema_url_base']}/{data['version']}",
        upstream_version=data["upstream_version"],
    )


def load_namespaces(folder: Path = MODEL) -> list[Namespace]:
    """Read and check all namespaces, in the order of their titles."""
    files = sorted(path for path in folder.glob("*.yaml") if path.name != "manifest.yaml")
    namespaces = [_namespace(yaml.safe_load(path.read_text("utf-8"))) for path in files]
    for namespace in namespaces:
        namespace.check()
    attributes = [attribute for namespace in namespaces for attribute in namespace.attributes]
    _refuse_duplicates("id", (attribute.id for attribute in attributes))
    _refuse_duplicates("constant", (attribute.constant for attribute in attributes))
    return sorted(namespaces, key=lambda namespace: namespace.title.lower())


def _namespace(data: Mapping[str, Any]) -> Namespace:
    return Namespace(
        title=data["title"],
        prefixes=tuple(data["namespace"].split(", ")),
        brief=data["brief"],
        attributes=tuple(_attribute(record) for record in data["attributes"]),
    )


def _attribute(record: Mapping[str, Any]) -> Attribute:
    known: dict[str, Any] = {**record}
    known |= {field: tuple(record[field]) for field in ("use", "examples")}
    return Attribute(**known)


def _refuse_duplicates(kind: str, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ModelError(f"{kind} {value!r} is in the model twice")
        seen.add(value)


def render_constants(namespaces: Sequence[Namespace], manifest: Manifest) -> str:
    """Render the module of constants: one per attribute, its brief as its docstring."""
    attributes = sorted(
        (attribute for namespace in namespaces for attribute in namespace.attributes),
        key=lambda attribute: attribute.constant,
    )
    names = sorted(
        [*(attribute.constant for attribute in attributes), "SCHEMA_URL", "SEMCONV_VERSION"]
    )
    lines = [
        HEADER
        + "# ruff: noqa: S105 - attributes that count tokens hold no passwords\n"
        + '"""Attribute names of the semantic conventions, one constant each."""',
        "from typing import Final",
        "\n".join(["__all__ = [", *(f'    "{name}",' for name in names), "]"]),
        _constant("SCHEMA_URL", manifest.schema_url, "Where these conventions are described."),
        _constant(
            "SEMCONV_VERSION",
            manifest.upstream_version,
            "The version of the OpenTelemetry conventions that upstream names are taken from.",
        ),
        *(_constant(item.constant, item.id, item.brief) for item in attributes),
    ]
    return "\n\n".join(lines) + "\n"


def _constant(name: str, value: str, brief: str) -> str:
    return f'{name}: Final = "{value}"\n{_docstring(brief)}'


def _docstring(text: str) -> str:
    if len(text) <= 94:  # noqa: PLR2004 - the line length, less two triple quotes
        return f'"""{text}"""'
    first, *rest = textwrap.wrap(text, 97)
    return "\n".join([f'"""{first}', *rest, '"""'])


def render_resource_types(namespaces: Sequence[Namespace]) -> str:
    """Render the types of all resource attributes, from which converters are chosen."""
    types = {
        attribute.id: attribute.type
        for namespace in namespaces
        for attribute in namespace.attributes
        if "resource" in attribute.use
    }
    return "\n".join(
        [
            HEADER + '"""The type of each resource attribute, as the model states it."""',
            "",
            "from typing import Final",
            "",
            "RESOURCE_ATTRIBUTE_TYPES: Final[dict[str, str]] = {",
            *(f'    "{name}": "{types[name]}",' for name in sorted(types)),
            "}",
            "",
        ]
    )


def render_documentation(namespaces: Sequence[Namespace], manifest: Manifest) -> str:
    """Render the reference page: one table per namespace."""
    lines = [
        "<!-- Generated from semconv/model by scripts/generate_semconv.py: edit the model. -->",
        "",
        "# Semantic conventions",
        "",
        DOCUMENTATION_INTRODUCTION.format(manifest=manifest),
    ]
    for namespace in namespaces:
        lines += ["", f"## {namespace.title}", "", namespace.brief, ""]
        lines += ["| attribute | constant | type | use | stability | meaning | examples |"]
        lines += ["|---|---|---|---|---|---|---|"]
        lines += [_row(attribute) for attribute in namespace.attributes]
    return "\n".join(lines) + "\n"


def _row(attribute: Attribute) -> str:
    kind = f"{attribute.type}, `{attribute.unit}`" if attribute.unit else attribute.type
    cells = [
        f"`{attribute.id}`",
        f"`{attribute.constant}`",
        kind,
        ", ".join(USES[use] for use in attribute.use),
        attribute.stability,
        attribute.brief,
        ", ".join(f"`{_example(value)}`" for value in attribute.examples),
    ]
    return "| " + " | ".join(cells) + " |"


def _example(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def render() -> dict[Path, str]:
    """Render every generated file, by its path in the repository."""
    namespaces, manifest = load_namespaces(), load_manifest()
    return {
        PACKAGE / "attributes.py": render_constants(namespaces, manifest),
        PACKAGE / "_resource_types.py": render_resource_types(namespaces),
        semconv_json.PAGE: semconv_json.render_json(namespaces, manifest),
        Path("docs/reference/semantic-conventions.md"): render_documentation(namespaces, manifest),
    }


def drifted(root: Path = ROOT) -> list[Path]:
    """List the generated files under `root` that differ from what the model says."""
    return [
        path
        for path, text in render().items()
        if not (root / path).is_file() or (root / path).read_text("utf-8") != text
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Write the generated files, or with `--check` compare them; the exit status of the script."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing, fail on drift")
    if parser.parse_args(argv).check:
        stale = [
            f"{path} differs from the model: run python scripts/generate_semconv.py"
            for path in drifted()
        ]
        return workspace.report(stale, "the generated files are what the model says")
    for path, text in render().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
