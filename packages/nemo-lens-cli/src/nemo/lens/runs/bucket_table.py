# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which bucket a span belongs to: a table that is data, and that a consumer may change.

The table is the file `goodput_buckets.json` beside this module. A file of the same form overrides
it, entry by entry; `null` takes an entry out:

```json
{"groups": {"rollout": "productive", "evaluate": "productive", "data_loading": null}}
```

The first that applies decides: an attribute of the span (`attributes`, in the order of the table;
a value that is the name of a bucket means that bucket), its whole name (`names`), its group
(`groups`), and, for a span without a group, the last dotted part of its name (`operations`). A span
that nothing applies to has no bucket: its time belongs to the spans around it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from nemo.lens.runs.otlp_json import attributes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemo.lens.runs.records import Span

PRODUCTIVE: Final = "productive"
OVERHEAD: Final = "overhead"
IDLE: Final = "idle"
WASTED: Final = "wasted"
UNATTRIBUTED: Final = "unattributed"
BUCKETS: Final[tuple[str, ...]] = (PRODUCTIVE, OVERHEAD, IDLE, WASTED, UNATTRIBUTED)
"""All buckets. Of spans that run at the same time, the bucket that comes first here counts."""

SCHEMA: Final = 1
_DEFAULT: Final = Path(__file__).with_name("goodput_buckets.json")
_SECTIONS: Final = ("attributes", "names", "groups", "operations")
_LISTED: Final = 5


@dataclass(frozen=True)
class BucketTable:
    """The rules of a table, checked.

    Attributes:
        attributes: Bucket by value of an attribute, by its key; the first key that decides counts.
        names: Bucket by whole span name.
        groups: Bucket by span group.
        operations: Bucket by the last part of the name, for spans without a group.
    """

    attributes: Mapping[str, Mapping[str, str]]
    names: Mapping[str, str]
    groups: Mapping[str, str]
    operations: Mapping[str, str]

    @classmethod
    def default(cls) -> BucketTable:
        """The table that is shipped."""
        return cls({}, {}, {}, {}).with_overrides(_read(_DEFAULT), str(_DEFAULT))

    @classmethod
    def from_file(cls, path: str | Path) -> BucketTable:
        """The shipped table with the entries of a JSON file put over it.

        Raises:
            ValueError: The file cannot be read or is no table; the message names the file, the
                entry, and what is accepted.
        """
        return cls.default().with_overrides(_read(Path(path)), str(path))

    def with_overrides(self, overrides: Any, origin: str = "overrides") -> BucketTable:
        """This table with other entries put over it.

        Args:
            overrides: Any of the sections `attributes`, `names`, `groups` and `operations`; the
                bucket None takes an entry out.
            origin: What the overrides are called in errors.

        Raises:
            ValueError: They have another form.
        """
        sections = _checked_sections(overrides, origin)
        attributes = dict(self.attributes)
        # What a consumer adds decides before what is shipped.
        for key, values in reversed(list(sections.pop("attributes", {}).items())):
            if values is None:
                attributes.pop(key, None)
                continue
            where = f"{origin}: attributes.{key}"
            lowered = {_text(value): bucket for value, bucket in _mapping(values, where).items()}
            merged = _merged(attributes.pop(key, {}), lowered, where)
            attributes = {key: merged, **attributes}
        merged_sections = {
            section: _merged(
                getattr(self, section), sections.get(section, {}), f"{origin}: {section}"
            )
            for section in _SECTIONS[1:]
        }
        return BucketTable(attributes=attributes, **merged_sections)


class Classifier:
    """Sorts spans into buckets by a table.

    Args:
        table: The table.
    """

    def __init__(self, table: BucketTable) -> None:
        self._table = table
        self._known: dict[tuple[str, str | None], str | None] = {}
        self._strange: Counter[tuple[str, str]] = Counter()

    def bucket(self, span: Span) -> str | None:
        """The bucket of a span, None when nothing in the table applies."""
        pairs = span.raw.get("attributes")
        if pairs:
            found = self._by_attribute(pairs)
            if found is not None:
                return found
        key = (span.name, span.group)
        if key not in self._known:
            self._known[key] = self._by_name(span.name, span.group)
        return self._known[key]

    def problems(self) -> list[str]:
        """One line for each attribute value that the table does not know."""
        rows = self._strange.most_common(_LISTED)
        lines = [
            f"goodput: {key}={value[:40]!r} on {count:,} spans is not in the bucket table and was "
            f"passed over; name a bucket ({', '.join(BUCKETS)}) or override the table"
            for (key, value), count in rows
        ]
        more = len(self._strange) - len(rows)
        return [*lines, f"goodput: {more} more such values"] if more else lines

    def _by_attribute(self, pairs: Any) -> str | None:
        wanted = self._table.attributes
        given = {key: value for key, value in attributes(pairs).items() if key in wanted}
        if not given:
            return None
        for key, values in wanted.items():
            if key not in given:
                continue
            value = _text(given[key])
            if value in values:
                return values[value]
            if value in BUCKETS:
                return value
            # A flag that says nothing when it is off is no mistake.
            if not values.keys() & {"true", "false"}:
                self._strange[key, value] += 1
        return None

    def _by_name(self, name: str, group: str | None) -> str | None:
        table = self._table
        if name in table.names:
            return table.names[name]
        if group is not None:
            return table.groups.get(group)
        return table.operations.get(name.rpartition(".")[2])


def _read(path: Path) -> Any:
    try:
        return orjson.loads(path.read_bytes())
    except OSError as error:
        raise ValueError(
            f"the bucket table {str(path)!r} cannot be read: {error.strerror or error}"
        ) from error
    except ValueError as error:
        raise ValueError(f"the bucket table {str(path)!r} is no JSON: {error}") from error


def _checked_sections(overrides: Any, origin: str) -> dict[str, dict[str, Any]]:
    sections = dict(_mapping(overrides, origin))
    schema = sections.pop("schema", SCHEMA)
    if schema != SCHEMA:
        raise ValueError(
            f"{origin}: schema {schema!r} is not the schema {SCHEMA} that this version reads"
        )
    unknown = sections.keys() - set(_SECTIONS)
    if unknown:
        raise ValueError(
            f"{origin}: unknown section {min(unknown)!r}; a bucket table has {', '.join(_SECTIONS)}"
        )
    return {name: _mapping(section, f"{origin}: {name}") for name, section in sections.items()}


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: expected an object, got {str(value)[:40]!r}")  # noqa: TRY004 - a bad value in a file
    return cast("dict[str, Any]", value)


def _merged(base: Mapping[str, str], changes: Mapping[str, Any], where: str) -> dict[str, str]:
    merged: dict[str, str] = dict(base)
    for key, bucket in changes.items():
        if bucket is None:
            merged.pop(key, None)
        elif bucket in BUCKETS:
            merged[key] = bucket
        else:
            raise ValueError(
                f"{where}.{key}: {str(bucket)[:40]!r} is no bucket; accepted are "
                f"{', '.join(BUCKETS)}, or null to take the entry out"
            )
    return merged


def _text(value: Any) -> str:
    return str(value).strip().lower()
