# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The attribute sets of a group's points: cleaned once, known again, and bounded in number.

Every distinct set is a time series of its own, in this process, in the collector and in the
database. A request id among the attributes would make one for each request, so only so many are
kept apart; what comes after them is recorded under `otel.metric.overflow=true`, as the
OpenTelemetry specification has it: the sums stay right, the series stay few.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from nemo.lens.instruments.points import LONGEST_TEXT, point_attributes
from nemo.lens.instruments.problems import warn_once
from nemo.lens.spans.text import real_type

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    Points = dict[str, Any] | None

MAX_ATTRIBUTE_SETS = 2000
"""Distinct attribute sets of one group on one meter; the default of the OpenTelemetry SDKs."""

OVERFLOW: dict[str, Any] = {"otel.metric.overflow": True}
"""The attributes of every point beyond the bound."""

_PLAIN_TYPES = frozenset({str, bool, int, float})
_MAX_SPELLINGS = 2 * MAX_ATTRIBUTE_SETS


class AttributeSets:
    """Gives each distinct set of attributes one dictionary, the same object every time.

    Args:
        group: The metric group, for messages.
    """

    __slots__ = ("_group", "_sets", "_spellings")

    def __init__(self, group: str) -> None:
        self._group = group
        self._sets: dict[Hashable, dict[str, Any]] = {}
        # As callers write them, so that a set that was seen before is not cleaned again.
        self._spellings: dict[Hashable, Points] = {}

    def of(self, attributes: Any) -> Points:
        """Return the dictionary for `attributes`: None for none, `OVERFLOW` beyond the bound."""
        given = attributes
        if type(attributes) is not dict:
            return self._kept(point_attributes(given, self._group))
        try:
            kinds = tuple(map(type, given.values()))
            if not _PLAIN_TYPES.issuperset(kinds):
                return self._kept(point_attributes(given, self._group))
            # With the types, because True, 1 and 1.0 are equal and mean different series.
            spelling = (tuple(given.items()), kinds)
            known = self._spellings.get(spelling, self)
        except Exception:  # a key or a type whose hash or comparison fails
            return self._kept(point_attributes(given, self._group))
        if known is not self:
            return cast("Points", known)
        points = self._kept(point_attributes(given, self._group))
        if any(type(value) is str and len(value) > LONGEST_TEXT for value in given.values()):
            return points  # remembering it would keep the whole text
        if len(self._spellings) >= _MAX_SPELLINGS:
            self._spellings.clear()
        self._spellings[spelling] = points
        return points

    def _kept(self, points: Points) -> Points:
        if points is None:
            return None
        identity = frozenset((key, _identity(value)) for key, value in points.items())
        known = self._sets.get(identity)
        if known is not None:
            return known
        if len(self._sets) >= MAX_ATTRIBUTE_SETS:
            self._tell_overflow(points)
            return OVERFLOW
        return self._sets.setdefault(identity, points)

    def _tell_overflow(self, points: Mapping[str, Any]) -> None:
        warn_once(
            ("overflow", self._group),
            "Metric group %r has had %d distinct attribute sets; further ones are recorded under"
            " otel.metric.overflow=true. Leave out attributes that identify single requests,"
            " samples or steps; %r takes the most values.",
            self._group,
            MAX_ATTRIBUTE_SETS,
            self._most_varied(points),
        )

    def _most_varied(self, points: Mapping[str, Any]) -> str:
        values: dict[str, set[Any]] = {key: set() for key in points}
        for known in tuple(self._sets.values()):
            for key in values.keys() & known.keys():
                values[key].add(known[key])
        return max(values, key=lambda key: len(values[key]))


def _identity(value: Any) -> tuple[Any, ...]:
    """Return what equal values of one type share; NaN, which equals nothing, is one value here."""
    kind = real_type(value)
    if kind is tuple:
        return (kind, *map(_identity, value))
    return kind, None if kind is float and math.isnan(value) else value
