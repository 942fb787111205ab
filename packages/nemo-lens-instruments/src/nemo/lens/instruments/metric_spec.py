# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a metric is: one frozen record, from which everything else about it is derived."""

from __future__ import annotations

import dataclasses
import itertools
import math
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.points import NotANumber, number
from nemo.lens.spans.text import real_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from opentelemetry.metrics import CallbackOptions, Observation

    ObservableCallback = Callable[[CallbackOptions], Iterable[Observation]]

SYNCHRONOUS_METRIC_KINDS = frozenset({"counter", "gauge", "histogram", "up_down_counter"})
"""Kinds whose values the program records when it has them."""

OBSERVABLE_METRIC_KINDS = frozenset(
    {"observable_counter", "observable_gauge", "observable_up_down_counter"}
)
"""Kinds whose values a callback reports at every collection."""

METRIC_KINDS = SYNCHRONOUS_METRIC_KINDS | OBSERVABLE_METRIC_KINDS
"""All accepted values of `MetricSpec.kind`."""

_TEXTS = ("unit", "description", "owner", "seconds_name")


@dataclasses.dataclass(frozen=True)
class MetricSpec:
    """One metric of a group.

    Args:
        key: The name of the value at the recording call, `record_metrics(meter, group, key=...)`.
        name: The instrument's name in the application's scope, such as `rl.reward.mean`.
        kind: One of `METRIC_KINDS`.
        unit: A UCUM unit: `s`, `By`, `{token}`, `1`, or empty for a number without one.
        description: A full sentence that says what the number means.
        callback: For observable kinds only: a function that reports the complete set of
            observations each time.
        buckets: Histograms only: advisory upper bounds, finite and ascending, in `unit`.
        attributes: The attribute names that points of this metric carry; for documentation.
        seconds_name: For a histogram in `ms` only: the name under which the same durations are
            recorded in seconds, when `NemoLensConfig.metric_durations` says so.
        owner: Who to ask about the metric.

    Raises:
        ValueError: A field that is not of its type, an empty key or name, an unknown kind, a
            callback that is missing or not usable, bucket bounds on another kind or out of order,
            or a name in seconds for what is no duration in milliseconds.
    """

    key: str
    name: str
    kind: str = "gauge"
    unit: str = ""
    description: str = ""
    callback: ObservableCallback | None = None
    buckets: tuple[float, ...] | None = None
    attributes: tuple[str, ...] = ()
    owner: str = ""
    seconds_name: str = ""

    def __post_init__(self) -> None:
        """Refuse a specification that no instrument could be made from."""
        if not _is_text(self.key) or not self.key:
            raise ValueError(f"A metric's key must be a non-empty string, got {self.key!r}.")
        if not _is_text(self.name) or not self.name:
            raise self._refusal(f"the name must be a non-empty string, got {self.name!r}")
        if not _is_text(self.kind) or self.kind not in METRIC_KINDS:
            raise self._refusal(
                f"kind {self.kind!r} is not one of {', '.join(sorted(METRIC_KINDS))}"
            )
        for field in _TEXTS:
            if not _is_text(getattr(self, field)):
                raise self._refusal(f"{field} must be a string, got {getattr(self, field)!r}")
        for field in ("key", "name", "kind", *_TEXTS):  # members of text enumerations among them
            object.__setattr__(self, field, str.__str__(getattr(self, field)))
        self._check_callback()
        self._check_buckets()
        self._check_attributes()
        if self.seconds_name and (self.kind, self.unit) != ("histogram", "ms"):
            raise self._refusal(
                "seconds_name is only used by histograms with the unit 'ms',"
                f" not by {self.kind!r} with {self.unit!r}"
            )

    @property
    def instrument(self) -> tuple[str, str, str, str]:
        """What OpenTelemetry tells the instruments of one meter apart by."""
        return self.name.strip().lower(), self.kind, self.unit, self.description

    @property
    def is_observable(self) -> bool:
        """Whether a callback reports the values."""
        return self.kind in OBSERVABLE_METRIC_KINDS

    def in_seconds(self) -> MetricSpec | None:
        """Return the metric that records the same durations in seconds, None without one."""
        if not self.seconds_name:
            return None
        bounds = None if self.buckets is None else tuple(bound / 1000 for bound in self.buckets)
        return dataclasses.replace(
            self, name=self.seconds_name, unit="s", buckets=bounds, seconds_name=""
        )

    def _refusal(self, problem: str) -> ValueError:
        return ValueError(f"Metric {self.key!r}: {problem}.")

    def _check_callback(self) -> None:
        callback: Any = self.callback
        if not self.is_observable:
            if callback is not None:
                raise self._refusal(
                    f"a callback is only used by observable kinds, not by {self.kind!r};"
                    " record the values with record_metrics instead"
                )
        elif not callable(callback) and not isinstance(callback, GeneratorType):
            raise self._refusal(
                f"the kind {self.kind!r} requires a callback that returns its observations,"
                f" got {callback!r}"
            )

    def _check_buckets(self) -> None:
        given: Any = self.buckets
        if given is None:
            return
        if self.kind != "histogram":
            raise self._refusal(f"bucket bounds belong to histograms, not to {self.kind!r}")
        try:
            bounds = tuple(map(number, given))
        except (NotANumber, TypeError):
            bounds = ()
        if (
            not bounds
            or not all(map(math.isfinite, bounds))
            or any(low >= high for low, high in itertools.pairwise(bounds))
        ):
            raise self._refusal(
                f"bucket bounds {given!r} must be finite numbers, ascending and not empty"
            )
        object.__setattr__(self, "buckets", bounds)

    def _check_attributes(self) -> None:
        given: Any = self.attributes
        if real_type(given) not in {tuple, list} or not all(map(_is_text, given)):
            raise self._refusal(f"attributes must be a tuple of attribute names, got {given!r}")
        object.__setattr__(self, "attributes", tuple(map(str.__str__, given)))


def _is_text(value: object) -> bool:
    return issubclass(real_type(value), str)
