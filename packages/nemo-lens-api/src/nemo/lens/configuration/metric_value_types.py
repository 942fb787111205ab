# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Types of the settings about single metrics: buckets, attributes, and which are dropped."""

from __future__ import annotations

import itertools
import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, cast

from nemo.lens.configuration.value_types import Names, ValueType

# What OpenTelemetry accepts as the name of an instrument; patterns add `*` and `?`.
_NAME: Final = re.compile(r"[A-Za-z][\w./-]{0,254}", re.ASCII)
_PATTERN: Final = re.compile(r"[A-Za-z*?][\w./*?-]{0,254}", re.ASCII)
_SEPARATORS: Final = frozenset(",;=")


class ForEachMetric(ValueType):
    """Values for metrics by name: `<metric>=<value>,<value>` entries, with `;` between them.

    The canonical value is a tuple of `(metric, values)` pairs, which `dict` makes a mapping of; in
    code a mapping is accepted as well.
    """

    empty_allowed: ClassVar[bool]

    def parse(self, text: str) -> tuple[tuple[str, tuple[Any, ...]], ...]:
        """Give the pairs in their order."""
        pairs: list[tuple[str, list[str]]] = []
        for entry in filter(None, map(str.strip, text.split(";"))):
            name, equals, listed = entry.partition("=")
            if not equals:
                raise ValueError(entry)
            values = [value.strip() for value in listed.split(",")] if listed.strip() else []
            pairs.append((name.strip(), values))
        return self.canonical(pairs)

    def accepts(self, value: object) -> bool:
        """Accept a mapping or pairs with usable names and values; never raises."""
        if isinstance(value, str):
            return False
        try:
            self.canonical(value)
        except Exception:
            # Whatever a value from user code raises when it is looked at, it is not accepted.
            return False
        return True

    def canonical(self, value: Any) -> tuple[tuple[str, tuple[Any, ...]], ...]:
        """Give the pairs with names and values of the right types."""
        given = cast("Mapping[str, Any]", value).items() if isinstance(value, Mapping) else value
        pairs = tuple((_checked_name(name), self._checked(values)) for name, values in given)
        if len(dict(pairs)) < len(pairs):
            raise ValueError(pairs)
        return pairs

    def render(self, value: Any) -> str:
        """Give the entries as `parse` reads them."""
        return ";".join(f"{name}={','.join(map(str, values))}" for name, values in value)

    def _checked(self, values: Any) -> tuple[Any, ...]:
        if isinstance(values, (str, bytes)):
            raise TypeError(values)
        checked = tuple(self._value(value) for value in cast("Iterable[Any]", values))
        if not (checked or self.empty_allowed):
            raise ValueError(values)
        return checked

    @abstractmethod
    def _value(self, value: Any) -> Any:
        """Give one of the values in its right type; raise for any other."""


class MetricBuckets(ForEachMetric):
    """Upper bounds of the buckets of histograms."""

    fault = "Invalid buckets"
    accepted = (
        "'<histogram>=<bound>,<bound>' entries with ';' between them, the bounds finite numbers in "
        "increasing order; in code a mapping of names to bounds"
    )
    empty_allowed = False

    def _checked(self, values: Any) -> tuple[float, ...]:
        bounds = super()._checked(values)
        if any(after <= before for before, after in itertools.pairwise(bounds)):
            raise ValueError(values)
        return bounds

    def _value(self, value: Any) -> float:
        # Python reads `1_000` as a number; in a list of bounds it is a slip of the keyboard.
        if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
            raise ValueError(value)
        bound = float(value)
        if not math.isfinite(bound):
            raise ValueError(value)
        return bound


class MetricAttributes(ForEachMetric):
    """Keys of the attributes that metrics keep."""

    fault = "Invalid metric attributes"
    accepted = (
        "'<metric>=<key>,<key>' entries with ';' between them, no key to keep none; in code a "
        "mapping of names to keys"
    )
    empty_allowed = True

    def _value(self, value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError(value)
        key = value.strip()
        if not key or not key.isprintable() or not _SEPARATORS.isdisjoint(key):
            raise ValueError(value)
        return key


class MetricPatterns(Names):
    """Names of metrics, with `*` for any characters and `?` for any one."""

    fault = "Invalid metric"
    accepted = (
        "names of metrics, in which '*' stands for any characters and '?' for one, separated by "
        "commas in a variable and in a tuple in code"
    )

    def _name(self, word: str) -> str:
        if not _PATTERN.fullmatch(word):
            raise ValueError(word)
        return word


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(name)
    return name
